// The first screen: who is here? Then straight to the work when there is only one kind of it.
import { useNavigate } from "@tanstack/react-router";

import type { Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { enter } from "@/session/session";
import { firstScreenOf } from "./routes";

export function IdentifyPage() {
  const navigate = useNavigate();
  const chosen = (worker: Worker): void => {
    enter(worker);
    void navigate(firstScreenOf(worker));
  };
  return (
    <main>
      <Identify onChosen={chosen} />
    </main>
  );
}
