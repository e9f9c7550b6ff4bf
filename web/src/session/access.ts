// What the server says about this device: the mode, whether the device is enrolled, when the screen locks. The last answer is
// stored, so that a tablet that is reloaded without a connection knows it too.
import { useSyncExternalStore } from "react";

import { getAccess } from "@/api/acceso";
import { RefusedError } from "@/api/http";
import type { Access } from "@/api/identity-types";
import { storage } from "@/storage/storage";

const ACCESS = "carrete.access";
/** A server of an older version knows no identities. */
const OPEN: Access = {
  modo: "open",
  taller: "",
  dispositivo: null,
  inscripcion: null,
  sesion: null,
  administrador: true,
  bloqueo_s: 300,
  muchos_fallos: false,
  foto_en_rechazo: false,
  firma: false,
  clave_publica: null,
};

export interface AccessState {
  /** Null: not known yet. */
  access: Access | null;
  /** The server did not answer the last time. */
  failed: boolean;
}

type Listener = (access: Access) => void;

let state: AccessState = { access: storedAccess(), failed: false };
let generation = 0;
const subscribers = new Set<() => void>();
const listeners = new Set<Listener>();

function storedAccess(): Access | null {
  try {
    const stored = JSON.parse(storage.get(ACCESS) ?? "null") as Access | null;
    return typeof stored?.modo === "string" ? stored : null;
  } catch {
    return null;
  }
}

export const currentAccess = (): Access | null => state.access;

/** The name with which this device is enrolled. */
export const deviceName = (): string | undefined => state.access?.dispositivo?.nombre;

/** Nobody signs in: the server knows no identities, or it is not known yet whether it does. */
export const isOpen = (): boolean => (state.access?.modo ?? "open") === "open";

/** Called with every answer of the server, before the screens see it. */
export function onAccess(listener: Listener): void {
  listeners.add(listener);
}

/** Somebody signs in or out now: an answer that is still on its way is about the time before. */
export function outdateAccess(): void {
  generation += 1;
}

export async function refreshAccess(): Promise<Access | null> {
  const asked = ++generation;
  try {
    const access = await getAccess().catch(openIfUnknown);
    if (asked === generation) accept(access);
    return access;
  } catch {
    if (asked === generation) publish({ ...state, failed: true });
    return null;
  }
}

function openIfUnknown(error: unknown): Access {
  if (error instanceof RefusedError && error.problem.status === 404) return OPEN;
  throw error;
}

function accept(access: Access): void {
  storage.set(ACCESS, JSON.stringify({ ...access, sesion: null, inscripcion: null }));
  state = { access, failed: false };
  for (const listener of listeners) listener(access);
  publish(state);
}

function publish(changed: AccessState): void {
  state = changed;
  for (const subscriber of subscribers) subscriber();
}

export function subscribeAccess(subscriber: () => void): () => void {
  subscribers.add(subscriber);
  return () => subscribers.delete(subscriber);
}

export const useAccess = (): AccessState => useSyncExternalStore(subscribeAccess, () => state);
