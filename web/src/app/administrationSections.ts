// The sections of the administrator's page, and who sees which.
import type { Worker } from "@/api/types";

export const SECTIONS = [
  "personas",
  "soldadura",
  "dispositivos",
  "planilla",
  "ajustes",
  "respaldo",
  "integraciones",
  "accesos",
  "sistema",
] as const;
export type Section = (typeof SECTIONS)[number];

/** A supervisor gives PINs to the floor and keeps the weld record's procedures and qualifications, and nothing else. */
const OF_A_SUPERVISOR: readonly Section[] = ["personas", "soldadura"];

export const isAdministrator = (worker: Worker | null): boolean => worker?.roles.includes("Administrador") ?? false;

export function sectionsOf(worker: Worker | null): readonly Section[] {
  if (isAdministrator(worker)) return SECTIONS;
  return worker?.roles.includes("Supervisor") ? OF_A_SUPERVISOR : [];
}

/** The section of an address: `/administracion/personas`. */
export const sectionAt = (pathname: string): string => pathname.split("/")[2] ?? "";

export const maySee = (worker: Worker | null, section: string): boolean =>
  isAdministrator(worker) || section === "" || (OF_A_SUPERVISOR as readonly string[]).includes(section);
