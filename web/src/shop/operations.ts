// What each role may do (product rule 3), in the order of the floor. The server decides; this only spares refusals.
import type { Operacion, Rol } from "@/api/types";

const MAY: Record<Operacion, readonly Rol[] | "any"> = {
  ARM: ["Armador", "Ayudante"],
  SOLD: ["Soldador", "Ayudante"],
  METROLOGIA: ["Metrologia"],
  REPARACION: "any",
};

export const OPERACIONES = Object.keys(MAY) as Operacion[];

export const isOperacion = (text: string): text is Operacion => (OPERACIONES as string[]).includes(text);

export function operationsOf(roles: readonly Rol[]): Operacion[] {
  return OPERACIONES.filter((operacion) => {
    const who = MAY[operacion];
    return who === "any" || roles.some((rol) => who.includes(rol));
  });
}
