import { describe, expect, it } from "vitest";

import type { Person } from "@/api/personas";
import { countPeople, findPeople, freeId, hasPrivileges, sameRoles, visiblePeople } from "./people";

const person = (id: number, nombre: string, apellido: string, changes: Partial<Person> = {}): Person => ({
  id,
  nombre,
  apellido,
  label: `${nombre[0] ?? ""}${apellido[0] ?? ""}(${id})`,
  roles: ["Armador"],
  activo: true,
  roles_pendientes: [],
  cambio_pendiente: null,
  tiene_pin: true,
  badge: null,
  bloqueado: [],
  ...changes,
});

const MR = person(93, "Manuel", "Rojas");
const NP = person(7, "Nora", "Pérez", { tiene_pin: false });
const SV = person(40, "Silvia", "Vera", { roles: ["Supervisor"] });
const GONE = person(12, "Ángel", "Soto", { activo: false, tiene_pin: false });
const ASKED = person(5, "Luis", "Pinto", { roles_pendientes: ["NDT"] });
const LOCKED = person(8, "Juan", "Salas", { bloqueado: [{ dispositivo: null, desde: "2026-11-16T08:00:00-03:00" }] });
const ALL = [MR, NP, SV, GONE, ASKED, LOCKED];

describe("the people of the administrator's page", () => {
  it("needs attention where a PIN is missing or locked, or something waits; nobody who left lacks a PIN", () => {
    expect(findPeople(ALL, "attention", "").map(({ id }) => id)).toEqual([8, 5, 7]);
    expect(countPeople(ALL, "inactive")).toBe(1);
    expect(countPeople(ALL, "active")).toBe(5);
  });

  it("finds by name without accents, by label and by role, whatever group is chosen", () => {
    expect(findPeople(ALL, "active", "angel")).toEqual([GONE]);
    expect(findPeople(ALL, "inactive", "(93)")).toEqual([MR]);
    expect(findPeople(ALL, "inactive", "superv sil")).toEqual([SV]);
  });

  it("shows a supervisor nobody who has a privilege or may soon have one", () => {
    expect(visiblePeople(ALL, false)).toEqual([MR, NP, GONE, LOCKED]);
    expect(visiblePeople(ALL, true)).toEqual(ALL);
    expect(hasPrivileges(ASKED)).toBe(true);
  });

  it("offers the number after the highest to somebody new", () => {
    expect(freeId(ALL)).toBe(94);
    expect(freeId([])).toBe(1);
  });

  it("compares roles whatever their order", () => {
    expect(sameRoles(["Armador", "NDT"], ["NDT", "Armador"])).toBe(true);
    expect(sameRoles(["Armador"], ["NDT"])).toBe(false);
    expect(sameRoles([], ["NDT"])).toBe(false);
  });
});
