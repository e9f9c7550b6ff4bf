// Which people a list shows, and which roles are privileges. Pure.
import type { Person } from "@/api/personas";
import type { Rol } from "@/api/types";
import { foldText } from "@/shop/merge";

export const FLOOR_ROLES = ["Armador", "Soldador", "Ayudante"] as const satisfies readonly Rol[];
/** Roles that a workbook alone does not give. */
export const PRIVILEGES = ["Metrologia", "NDT", "Supervisor", "Administrador"] as const satisfies readonly Rol[];
export const ROLES: readonly Rol[] = [...FLOOR_ROLES, ...PRIVILEGES];

export type Which = "active" | "attention" | "inactive";

const isPrivilege = (rol: Rol): boolean => (PRIVILEGES as readonly Rol[]).includes(rol);

/** Also somebody for whom one waits: a supervisor must not get their PIN. */
export const hasPrivileges = ({ roles, roles_pendientes }: Person): boolean => [...roles, ...roles_pendientes].some(isPrivilege);

export const isWaiting = ({ roles_pendientes, cambio_pendiente }: Person): boolean =>
  roles_pendientes.length > 0 || cambio_pendiente !== null;

export const isLocked = ({ bloqueado }: Person): boolean => bloqueado.length > 0;

const needsAttention = (person: Person): boolean =>
  isWaiting(person) || (person.activo && (isLocked(person) || !person.tiene_pin));

const BELONGS: Record<Which, (person: Person) => boolean> = {
  active: ({ activo }) => activo,
  attention: needsAttention,
  inactive: ({ activo }) => !activo,
};

export const fullName = ({ nombre, apellido }: { nombre: string; apellido: string }): string => `${nombre} ${apellido}`;

/** The people that this viewer may do something for. */
export const visiblePeople = (people: readonly Person[], administrator: boolean): Person[] =>
  administrator ? [...people] : people.filter((person) => !hasPrivileges(person));

export const countPeople = (people: readonly Person[], which: Which): number => people.filter(BELONGS[which]).length;

/** By name. Text that is typed finds everybody, whatever group is chosen. */
export function findPeople(people: readonly Person[], which: Which, typed: string): Person[] {
  const parts = foldText(typed).split(/\s+/).filter(Boolean);
  const matches = (person: Person): boolean => {
    const text = foldText(`${fullName(person)} ${person.label} ${person.roles.join(" ")}`);
    return parts.every((part) => text.includes(part));
  };
  const byName = new Intl.Collator("es");
  return people
    .filter(parts.length > 0 ? matches : BELONGS[which])
    .sort((a, b) => byName.compare(fullName(a), fullName(b)) || a.id - b.id);
}

/** The number that a new person may get: the one after the highest. */
export const freeId = (people: readonly Person[]): number => Math.max(0, ...people.map(({ id }) => id)) + 1;

export const sameRoles = (a: readonly Rol[], b: readonly Rol[]): boolean =>
  a.length === b.length && a.every((rol) => b.includes(rol));
