// Which operations each role allows (rule 3), in the order of the floor. The server decides; the tablet only avoids refusals.
import type { Operacion, Rol } from "@/api/types";

const ROLES_FOR: Record<Operacion, readonly Rol[] | "any"> = {
  ARM: ["Armador", "Ayudante"],
  SOLD: ["Soldador", "Ayudante"],
  METROLOGIA: ["Metrologia"],
  REPARACION: "any",
};

export const OPERACIONES = Object.keys(ROLES_FOR) as Operacion[];

export const isOperacion = (text: string): text is Operacion => (OPERACIONES as string[]).includes(text);

export function operationsOf(roles: readonly Rol[]): Operacion[] {
  return OPERACIONES.filter((operacion) => {
    const allowed = ROLES_FOR[operacion];
    return allowed === "any" || roles.some((rol) => allowed.includes(rol));
  });
}
