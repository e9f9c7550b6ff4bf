// `/inscribir`: this device becomes one of the shop's.
import { useNavigate } from "@tanstack/react-router";

import { EnrolThis } from "@/features/enrol/EnrolThis";

export function EnrolPage() {
  const navigate = useNavigate();
  return <EnrolThis onEnrolled={({ tipo }) => void navigate({ to: tipo === "tablero" ? "/tablero" : "/" })} />;
}
