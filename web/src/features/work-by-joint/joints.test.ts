import { describe, expect, it } from "vitest";

import type { Joint } from "@/api/types";
import { inchesOf, jointState, listedJointState, stillOpen } from "./joints";

const joint = (n_union: number, more: Partial<Joint> = {}): Joint => ({
  n_union,
  dn_union: 6,
  tipo_union: "BW",
  datos_incompletos: null,
  arm_worker: null,
  arm_fecha_fin: null,
  sol_worker: null,
  sol_fecha_fin: null,
  ndt_union: null,
  ndt_status: null,
  wps: null,
  espesor: null,
  material: null,
  posicion: null,
  colada_1: null,
  colada_2: null,
  ...more,
});
const armed = { arm_fecha_fin: "2026-11-14T10:00:00-03:00" };
const welded = { ...armed, sol_fecha_fin: "2026-11-14T12:00:00-03:00" };

describe("a joint", () => {
  it("can be ticked when the server says so", () => {
    expect(jointState(joint(1), "ARM", new Set([1]))).toBe("open");
    expect(jointState(joint(1, armed), "SOLD", new Set([1]))).toBe("open");
  });

  it("that is done says so, for each operation on its own", () => {
    expect(jointState(joint(1, armed), "ARM", new Set())).toBe("done");
    expect(jointState(joint(1, welded), "SOLD", new Set())).toBe("done");
  });

  it("cannot be welded before it is armed, nor when it is for fit-up only", () => {
    expect(jointState(joint(1), "SOLD", new Set())).toBe("not_armed");
    expect(jointState(joint(1, armed), "SOLD", new Set())).toBe("arm_only");
  });
});

describe("a joint that is only shown", () => {
  it("is to be done or done, also before the server has said what can be ticked", () => {
    expect(listedJointState(joint(1), "ARM")).toBe("open");
    expect(listedJointState(joint(1, armed), "ARM")).toBe("done");
    expect(listedJointState(joint(1), "SOLD")).toBe("not_armed");
    expect(listedJointState(joint(1, armed), "SOLD")).toBe("open");
    expect(listedJointState(joint(1, welded), "SOLD")).toBe("done");
  });

  it("is for fit-up only once the server has said so", () => {
    expect(listedJointState(joint(1, armed), "SOLD", new Set([2]))).toBe("arm_only");
  });
});

describe("the ticks", () => {
  it("add up to inches; a joint without a diameter counts none", () => {
    const joints = [joint(1, { dn_union: 2.5 }), joint(2, { dn_union: null }), joint(3, { dn_union: 16 })];
    expect(inchesOf(joints, new Set([1, 2, 3]))).toBe(18.5);
  });

  it("fall away when the joint was done meanwhile", () => {
    expect([...stillOpen(new Set([1, 2]), new Set([2, 3]))]).toEqual([2]);
  });
});
