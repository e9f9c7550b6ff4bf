// The choice of the operation, for workers whose roles allow several.
import { useNavigate } from "@tanstack/react-router";

import { ChooseOperation } from "@/features/choose-operation/ChooseOperation";
import { useWorker } from "@/session/session";
import { toList } from "./routes";

export function OperationPage() {
  const navigate = useNavigate();
  const worker = useWorker();
  if (!worker) return null;
  return (
    <main>
      <ChooseOperation worker={worker} onChosen={(operacion) => void navigate(toList(operacion))} />
    </main>
  );
}
