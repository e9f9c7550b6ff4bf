// The addresses of the screens, as values for the router.
import { redirect } from "@tanstack/react-router";

import type { Operacion, Worker } from "@/api/types";
import { currentWorker } from "@/session/session";
import { operationsOf } from "@/shop/operations";

export const toList = (operacion: Operacion) => ({ to: "/trabajo/$operacion", params: { operacion } }) as const;

export const toSpool = (operacion: Operacion, tag: string) =>
  ({ to: "/trabajo/$operacion/$tag", params: { operacion, tag } }) as const;

/** Everybody may repair, and repairs are one tap away from any list: they are no reason to show the choice of operations. */
export function toWork(worker: Worker) {
  const byRole = operationsOf(worker.roles).filter((operacion) => operacion !== "REPARACION");
  if (byRole.length > 1) return { to: "/operacion" } as const;
  return toList(byRole[0] ?? "REPARACION");
}

/** Who only examines welds begins with the list of examinations. */
export function firstScreenOf(worker: Worker) {
  const examines = worker.roles.includes("NDT") && operationsOf(worker.roles).every((operacion) => operacion === "REPARACION");
  return examines ? ({ to: "/ensayos" } as const) : toWork(worker);
}

/** For screens that need a worker: without one the first screen opens. */
export function requireWorker(): void {
  if (!currentWorker()) throw redirect({ to: "/" });
}

/** For the first screen: with a worker, that worker's screen opens instead. */
export function requireNoWorker(): void {
  const worker = currentWorker();
  if (worker) throw redirect(firstScreenOf(worker));
}
