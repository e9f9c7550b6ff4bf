// Tells whoever listens that the server no longer knows this device or this session. Any call may be the first to hear it.
import type { Problem } from "./types";

type Listener = (problem: Problem) => void;

const CODES = ["SESION_REQUERIDA", "DISPOSITIVO_NO_INSCRITO"];
const listeners = new Set<Listener>();

export function onIdentityRefusal(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function reportRefusal(problem: Problem): void {
  if (CODES.includes(problem.code)) for (const listener of listeners) listener(problem);
}
