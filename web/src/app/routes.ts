// Where people go: addresses as values, so that pages do not spell them.
import { redirect } from "@tanstack/react-router";

import type { Operacion, Worker } from "@/api/types";
import { whoIsHere } from "@/session/session";
import { operationsOf } from "@/shop/operations";

export const toList = (operacion: Operacion) => ({ to: "/trabajo/$operacion", params: { operacion } }) as const;

export const toSpool = (operacion: Operacion, tag: string) =>
  ({ to: "/trabajo/$operacion/$tag", params: { operacion, tag } }) as const;

/** Repairs are for everybody and one tap away from any list: they alone make no choice. */
export function firstScreenOf(worker: Worker) {
  const byRole = operationsOf(worker.roles).filter((operacion) => operacion !== "REPARACION");
  if (byRole.length > 1) return { to: "/operacion" } as const;
  return toList(byRole[0] ?? "REPARACION");
}

/** For screens that need somebody: nobody here leads to the first one. */
export function requireWorker(): void {
  if (!whoIsHere()) throw redirect({ to: "/" });
}

/** The first screen is for nobody: whoever is here goes on working. */
export function requireNobody(): void {
  const worker = whoIsHere();
  if (worker) throw redirect(firstScreenOf(worker));
}
