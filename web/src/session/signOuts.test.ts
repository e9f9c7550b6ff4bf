import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Tap } from "@/taps/tap";

const mac = (letter: string): string => letter.repeat(64);

function tapOf(session: string, letter: string, order: number): Tap {
  const header = `${session}, ${order}, 2026-11-16T13:30:00.000Z, ${mac(letter)}`;
  return {
    key: `k-${letter}`,
    path: "/api/occupation/tomar",
    body: { tag_spool: letter },
    about: { accion: "TOMAR", operacion: "ARM", tags: [letter], worker: "LP(7)" },
    at: 0,
    order,
    state: "unsent",
    author: { worker_id: 7, session, seal: null },
    signature: { session, number: order, time: "2026-11-16T13:30:00.000Z", body: "{}", header },
  };
}

const REFUSAL = JSON.stringify({ title: "Datos inválidos", status: 422, code: "DATOS_INVALIDOS", detail: "…" });

interface Told {
  path: string;
  body: unknown;
  keepalive: boolean | undefined;
}

/** A tablet whose taps are in the smaller storage. Its database is `readable`, or cannot be read, or is `absent`. */
async function start({ readable = true, absent = false, stored = [] as Tap[] } = {}) {
  const entries = new Map(stored.map((tap) => [`carrete.tap.${tap.key}`, JSON.stringify(tap)]));
  vi.stubGlobal("localStorage", {
    get length() {
      return entries.size;
    },
    key: (i: number) => [...entries.keys()][i] ?? null,
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
  });
  const told: Told[] = [];
  const network = { isAway: false, refusesBodies: false, isBehindStrictProxy: false };
  vi.stubGlobal("fetch", (path: string, { body, keepalive }: RequestInit) => {
    if (network.isAway) return Promise.reject(new Error("no network"));
    told.push({ path, body: body === undefined ? undefined : JSON.parse(body as string), keepalive });
    if (body !== undefined && network.isBehindStrictProxy) return Promise.resolve(new Response("<h1>413</h1>", { status: 413 }));
    const refused = body !== undefined && network.refusesBodies;
    return Promise.resolve(new Response(refused ? REFUSAL : '{"success": true}', { status: refused ? 422 : 200 }));
  });
  const { database } = await import("@/storage/database");
  const disk = { isReadable: readable };
  vi.spyOn(database, "isAbsent").mockReturnValue(absent);
  vi.spyOn(database, "read").mockImplementation((_names, work) => {
    let result: unknown;
    const request: { result: unknown[]; onsuccess?: () => void } = { result: [] };
    work(() => ({ getAll: () => request }) as never, (finished) => (result = finished));
    if (disk.isReadable) request.onsuccess?.();
    return Promise.resolve(result as never);
  });
  const { tapKeys } = await import("@/storage/tapKeys");
  const signOuts = await import("./signOuts");
  await tapKeys.save("s-7", {} as CryptoKey);
  for (const tap of stored) if (tap.signature?.session === "s-7") await tapKeys.take("s-7");
  return { entries, told, network, disk, ...signOuts };
}

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("BroadcastChannel", undefined);
});

describe("the end of a session", () => {
  it("is told with its last number and the signatures of its taps that wait, oldest first, and of no other", async () => {
    const stored = [tapOf("s-7", "b", 2), tapOf("s-8", "c", 3), tapOf("s-7", "a", 1)];
    const { told, keepSignOut, sendSignOuts, hasSignOuts } = await start({ stored });
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told).toEqual([
      { path: "/api/sesion?sesion=s-7&ultimo_toque=2", body: { sin_enviar: [mac("a"), mac("b")] }, keepalive: true },
    ]);
    expect(hasSignOuts()).toBe(false);
  });

  it("is told without any when nothing waits", async () => {
    const { told, keepSignOut, sendSignOuts } = await start();
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told.map(({ body }) => body)).toEqual([{ sin_enviar: [] }]);
  });

  it("counts taps whose PIN is not checked, and doubtful ones, but none without a signature", async () => {
    const sealed: Tap = { ...tapOf("s-7", "a", 1), author: { worker_id: 7, session: "s-7", seal: "pin" } };
    const doubtful: Tap = { ...tapOf("s-7", "b", 2), doubtful: true };
    const unsigned: Tap = { ...tapOf("s-7", "c", 3), signature: undefined };
    const { told, keepSignOut, sendSignOuts } = await start({ stored: [sealed, doubtful, unsigned] });
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told[0]?.body).toEqual({ sin_enviar: [mac("a"), mac("b")] });
  });

  it("is told again until it is heard, with what waits by then", async () => {
    const { told, network, entries, keepSignOut, sendSignOuts, hasSignOuts } = await start({
      stored: [tapOf("s-7", "a", 1), tapOf("s-7", "b", 2)],
    });
    network.isAway = true;
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(hasSignOuts()).toBe(true);
    network.isAway = false;
    entries.delete("carrete.tap.k-a"); // it was answered meanwhile
    await sendSignOuts();
    expect(told.map(({ body }) => body)).toEqual([{ sin_enviar: [mac("b")] }]);
    expect(hasSignOuts()).toBe(false);
  });

  it("is told without the taps while the database cannot be read, and again once it can", async () => {
    const { told, disk, keepSignOut, sendSignOuts, hasSignOuts } = await start({ readable: false, stored: [tapOf("s-7", "a", 1)] });
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told).toEqual([{ path: "/api/sesion?sesion=s-7&ultimo_toque=1", body: undefined, keepalive: true }]);
    expect(hasSignOuts()).toBe(true);
    disk.isReadable = true;
    await sendSignOuts();
    expect(told[1]?.body).toEqual({ sin_enviar: [mac("a")] });
    expect(hasSignOuts()).toBe(false);
  });

  it("is told without the taps at last, when the database cannot be read at all: a list without them would refuse them", async () => {
    const { told, network, keepSignOut, sendSignOuts, hasSignOuts, TELLS_WITHOUT_TAPS_MAX } = await start({
      readable: false,
      stored: [tapOf("s-7", "a", 1)],
    });
    await keepSignOut("s-7");
    network.isAway = true;
    for (let n = 0; n <= TELLS_WITHOUT_TAPS_MAX; n++) await sendSignOuts(); // not heard, so it does not count
    network.isAway = false;
    for (let n = 0; n <= TELLS_WITHOUT_TAPS_MAX; n++) await sendSignOuts();
    expect(told.map(({ body }) => body)).toEqual([undefined, undefined, undefined]);
    expect(hasSignOuts()).toBe(false);
  });

  it("is told with what is in the smaller storage where there is no database at all", async () => {
    const { told, keepSignOut, sendSignOuts, hasSignOuts } = await start({ readable: false, absent: true, stored: [tapOf("s-7", "a", 1)] });
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told.map(({ body }) => body)).toEqual([{ sin_enviar: [mac("a")] }]);
    expect(hasSignOuts()).toBe(false);
  });

  it("is told once more without the list when that was refused", async () => {
    const { told, network, keepSignOut, sendSignOuts, hasSignOuts } = await start({ stored: [tapOf("s-7", "a", 1)] });
    network.refusesBodies = true;
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told.map(({ body }) => body)).toEqual([{ sin_enviar: [mac("a")] }, undefined]);
    expect(hasSignOuts()).toBe(false);
  });

  it("is told once more without the list when a proxy takes no body", async () => {
    const { told, network, keepSignOut, sendSignOuts, hasSignOuts } = await start({ stored: [tapOf("s-7", "a", 1)] });
    network.isBehindStrictProxy = true;
    await keepSignOut("s-7");
    await sendSignOuts();
    expect(told.map(({ path, body }) => [path, body])).toContainEqual(["/api/sesion?sesion=s-7&ultimo_toque=1", undefined]);
    expect(hasSignOuts()).toBe(false);
  });

  it("names the oldest thousand, and does not depend on the page's end then", async () => {
    const stored = Array.from({ length: 1_001 }, (_, n) => {
      const header = `s-7, ${n + 1}, t, ${String(n).padStart(64, "0")}`;
      const signature = { session: "s-7", number: n + 1, time: "t", body: "{}", header };
      return { ...tapOf("s-7", "a", n + 1), key: `k-${n}`, signature };
    });
    const { told, keepSignOut, sendSignOuts } = await start({ stored });
    await keepSignOut("s-7");
    await sendSignOuts();
    const { sin_enviar } = told[0]?.body as { sin_enviar: string[] };
    expect(sin_enviar).toHaveLength(1_000);
    expect([sin_enviar[0], sin_enviar[999]]).toEqual(["0".repeat(64), "999".padStart(64, "0")]);
    expect(told[0]?.keepalive).toBe(false);
  });
});
