// The first screen: the worker chooses their name, and goes straight to the list if they have only one operation.
import { useNavigate } from "@tanstack/react-router";

import type { Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { startSession } from "@/session/session";
import { firstScreenOf } from "./routes";

export function IdentifyPage() {
  const navigate = useNavigate();
  const onChosen = (worker: Worker): void => {
    startSession(worker);
    void navigate(firstScreenOf(worker));
  };
  return (
    <main>
      <Identify onChosen={onChosen} />
    </main>
  );
}
