import { beforeEach, describe, expect, it, vi } from "vitest";

const WORKER = { id: 7, label: "LP(7)", nombre: "Luis", apellido: "Pérez", roles: ["Armador"] };
const SIGNED = { session: "s-7", proof: "pin", seal: null as string | null, until: Date.now() + 3_600_000 };

/** A page that starts on a tablet whose smaller storage has this visit. */
async function start(seal: string | null = null) {
  const entries = new Map([
    ["carrete.access", JSON.stringify({ modo: "pin", bloqueo_s: 300, dispositivo: {} })],
    ["carrete.worker", JSON.stringify(WORKER)],
    ["carrete.session", JSON.stringify({ ...SIGNED, seal })],
    ["carrete.touched", String(Date.now())],
  ]);
  vi.stubGlobal("localStorage", {
    get length() {
      return entries.size;
    },
    key: (i: number) => [...entries.keys()][i] ?? null,
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
  });
  const { recoverVisit, RECOVER_MS_MAX } = await import("./recover");
  const { currentVisit, setVisit } = await import("./session");
  const { seals } = await import("./seals");
  const { followSeal } = await import("./signIn");
  seals.onChange(followSeal);
  const { tapIdentity } = await import("./tapIdentity");
  const { tapKeys } = await import("@/storage/tapKeys");
  const { followAccess } = await import("./signIn");
  return { entries, recoverVisit, RECOVER_MS_MAX, currentVisit, setVisit, seals, tapIdentity, tapKeys, followAccess };
}

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("BroadcastChannel", undefined);
  vi.stubGlobal("fetch", () => Promise.reject(new Error("no network")));
});

describe("a page that starts after the browser was killed", () => {
  it("is open for the person who was here", async () => {
    const { recoverVisit, currentVisit } = await start();
    await recoverVisit();
    expect(currentVisit()).toMatchObject({ worker: { id: 7 }, locked: null });
  });

  it("stays open with a PIN that is still to be checked", async () => {
    const { recoverVisit, currentVisit, seals } = await start("seal");
    await seals.keep("seal", "sealed");
    await recoverVisit();
    expect(currentVisit()).toMatchObject({ signed: { seal: "seal" }, locked: null });
  });

  it("is locked when nothing is known of the PIN that opened the screen, and taps of nobody are sent", async () => {
    const { recoverVisit, currentVisit, tapIdentity } = await start("seal");
    expect(tapIdentity.signed()).not.toBeNull();
    await recoverVisit();
    expect(currentVisit()).toMatchObject({ signed: { seal: "seal" }, locked: "idle" });
    expect(tapIdentity.signed()).toBeNull();
  });

  it("is locked when the databases do not answer, and does not wait for them", async () => {
    vi.useFakeTimers();
    const { recoverVisit, RECOVER_MS_MAX, currentVisit, seals } = await start();
    vi.spyOn(seals, "load").mockReturnValue(new Promise(() => undefined));
    const recovered = recoverVisit();
    await vi.advanceTimersByTimeAsync(RECOVER_MS_MAX);
    await recovered;
    expect(currentVisit()).toMatchObject({ worker: { id: 7 }, locked: "idle" });
    vi.useRealTimers();
  });

  it("is nobody's when the key of the session was destroyed, whatever the smaller storage and the server say", async () => {
    const { recoverVisit, currentVisit, entries, tapKeys, followAccess } = await start();
    await tapKeys.save("s-7", {} as CryptoKey);
    await tapKeys.destroy("s-7");
    await recoverVisit();
    expect(currentVisit()).toMatchObject({ worker: null, signed: null });
    expect(entries.get("carrete.signout.s-7")).toBe("1"); // and the server will hear of it
    const sesion = { session: "s-7", worker: WORKER, proof: "pin", locked: false };
    followAccess({ modo: "pin", sesion } as unknown as Parameters<typeof followAccess>[0]);
    expect(currentVisit().worker).toBeNull();
  });

  it("is nobody's also where that session never had a key here", async () => {
    const { recoverVisit, currentVisit, tapKeys } = await start();
    expect(await tapKeys.destroy("s-7")).toBeNull();
    await recoverVisit();
    expect(currentVisit().worker).toBeNull();
  });

  it("is locked when that PIN was found wrong, and says so", async () => {
    const { recoverVisit, currentVisit, setVisit, entries } = await start("seal");
    setVisit({ locked: "idle" });
    entries.set("carrete.seal.seal", JSON.stringify({ id: "seal", sellado: null, verdict: "wrong", at: Date.now() }));
    await recoverVisit();
    expect(currentVisit()).toMatchObject({ signed: { seal: "seal" }, locked: "seal" });
  });
});
