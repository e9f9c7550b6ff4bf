// Which access events the page shows, as the address has it: `/administracion/accesos?tipo=PIN_INCORRECTO&desde=2026-11-16`.
import type { AccessKind } from "@/api/accesos";

export type AccessTone = "plain" | "good" | "bad" | "warn";

/** In the order in which the filter offers them. */
const TONES: Record<AccessKind, AccessTone> = {
  ENTRO: "good",
  SALIO: "plain",
  PIN_INCORRECTO: "warn",
  PIN_BLOQUEADO: "bad",
  PIN_DESBLOQUEADO: "good",
  MUCHOS_FALLOS: "bad",
  IDENTIDAD_RECHAZADA: "bad",
  PIN_NUEVO: "plain",
  ROL_CAMBIADO: "plain",
  PRIVILEGIO_CONFIRMADO: "plain",
  PRIVILEGIO_RECHAZADO: "warn",
  INSCRITO: "plain",
  REVOCADO: "warn",
  TOKEN_CREADO: "plain",
  TOKEN_REVOCADO: "warn",
  CLAVES_RESPALDADAS: "plain",
  CLAVE_DE_GOOGLE: "warn",
  RESPALDO_DESCARGADO: "plain",
  WEBHOOK_CAMBIADO: "plain",
  ADMINISTRADOR_CREADO: "plain",
};
export const KINDS = Object.keys(TONES) as AccessKind[];

export interface AccessFilter {
  tipo?: AccessKind;
  persona?: number;
  dispositivo?: string;
  desde?: string;
  hasta?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const DEVICE = /^[a-z0-9-]{1,64}$/;

/** Leaves out what no server would understand. */
export function accessFilter(search: Record<string, unknown>): AccessFilter {
  const tipo = KINDS.find((kind) => kind === search.tipo);
  const persona = Number(search.persona);
  const text = (value: unknown, pattern: RegExp): string | undefined => {
    const found = typeof value === "string" || typeof value === "number" ? String(value) : "";
    return pattern.test(found) ? found : undefined;
  };
  const dispositivo = text(search.dispositivo, DEVICE);
  const desde = text(search.desde, DAY);
  const hasta = text(search.hasta, DAY);
  return {
    ...(tipo && { tipo }),
    ...(Number.isInteger(persona) && persona > 0 && { persona }),
    ...(dispositivo !== undefined && { dispositivo }),
    ...(desde !== undefined && { desde }),
    ...(hasta !== undefined && { hasta }),
  };
}

/** In old rows a lock that somebody lifted is the same kind of event as the lock. */
export const toneOf = ({ tipo, detalle }: { tipo: AccessKind; detalle: string | null }): AccessTone =>
  tipo === "PIN_BLOQUEADO" && detalle === "desbloqueado" ? "good" : TONES[tipo];

/** The events of each day together, in the order they came. */
export function byDay<T extends { at: string }>(events: readonly T[]): [string, T[]][] {
  const days: [string, T[]][] = [];
  for (const event of events) {
    const day = event.at.slice(0, 10);
    const last = days.at(-1);
    if (last?.[0] === day) last[1].push(event);
    else days.push([day, [event]]);
  }
  return days;
}
