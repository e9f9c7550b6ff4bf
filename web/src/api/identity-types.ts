// The answers about identity, until `schema.ts` has them: who signs in, on which device, in which mode.
import type { Worker } from "./types";

/** `pin`: everybody signs in with a PIN. `device`: floor workers by name or badge alone. `open`: no identity. */
export type AccessMode = "pin" | "device" | "open";
export type DeviceKind = "tablet" | "tablero" | "oficina";

export interface SessionAnswer {
  worker: Worker;
  roles: Worker["roles"];
  ends: string;
  /** The public number of the session. */
  session: string;
  proof: string;
  locked: boolean;
  /** For how many seconds the PIN of a supervisor's action still counts; 0: it is asked for. */
  pin_fresh_s: number;
}

export interface SignInAnswer extends SessionAnswer {
  /** base64url of 32 bytes; null where taps cannot be signed. */
  tap_key?: string | null;
}

export interface Access {
  modo: AccessMode;
  dispositivo: { id: string; nombre: string; tipo: DeviceKind } | null;
  inscripcion: { numero: string; estado: "esperando" | "vencida" } | null;
  sesion: SessionAnswer | null;
  /** An administrator exists. */
  administrador: boolean;
  bloqueo_s: number;
  /** Taps can be signed. */
  firma: boolean;
  /** base64url of a raw P-256 point, to which a PIN is sealed while there is no connection. */
  clave_publica: string | null;
}

export interface EnrolmentAnswer {
  id: string;
  codigo: string;
  direccion: string;
  vence: string;
}

export interface DevicesAnswer {
  dispositivos: {
    id: string;
    nombre: string;
    tipo: DeviceKind;
    ultimo_uso: string | null;
    revocado_en: string | null;
  }[];
  inscripciones: { id: string; nombre: string; tipo: DeviceKind; numero: string | null; vence: string }[];
}

/** Who wants to sign in: a person picked from the list, or a badge that a reader typed. */
export type Claimant = { worker_id: number } | { badge: string };

export interface FirstAdministrator {
  codigo: string;
  worker_id: number;
  nombre: string;
  apellido: string;
  pin: string;
  dispositivo: string;
}
