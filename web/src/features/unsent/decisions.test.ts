import { describe, expect, it } from "vitest";

import type { Worker } from "@/api/types";
import type { Tap } from "@/taps/tap";
import { decisionOf, isOfOther } from "./decisions";

const worker = (id: number, ...roles: Worker["roles"]): Worker => ({ id, nombre: "A", apellido: "B", label: `AB(${id})`, roles });
const tap: Tap = {
  key: "k",
  path: "/api/occupation/tomar",
  body: {},
  about: { accion: "TOMAR", operacion: "ARM", tags: ["A"], worker: "AB(93)" },
  at: 0,
  state: "unsent",
  author: { worker_id: 93, session: "s-1", seal: null },
};

describe("an unsent tap", () => {
  it("is sent or dropped by its author", () => {
    expect(decisionOf(tap, worker(93, "Armador"), true)).toBe("send");
    expect(decisionOf({ ...tap, doubtful: true }, worker(93, "Armador"), true)).toBe("confirm");
    expect(isOfOther(tap, worker(93))).toBe(false);
  });

  it("is none of anybody else's business, but a supervisor may drop it", () => {
    expect(decisionOf(tap, worker(7, "Armador"), true)).toBe("none");
    expect(decisionOf(tap, worker(93, "Armador"), false)).toBe("none"); // opened with a PIN that nobody has checked
    expect(decisionOf({ ...tap, doubtful: true }, worker(93, "Armador"), false)).toBe("none");
    expect(decisionOf(tap, worker(21, "Supervisor"), false)).toBe("none");
    expect(decisionOf(tap, null, true)).toBe("none");
    expect(decisionOf(tap, worker(21, "Supervisor"), true)).toBe("drop");
    expect(isOfOther(tap, worker(7))).toBe(true);
  });

  it("is everybody's where the server knows no identities", () => {
    const open: Tap = JSON.parse(JSON.stringify({ ...tap, author: undefined })) as Tap;
    expect(decisionOf(open, null, true)).toBe("send");
    expect(isOfOther(open, worker(7))).toBe(false);
  });
});
