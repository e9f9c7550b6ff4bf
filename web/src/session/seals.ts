// The PINs that were typed on the lock screen without a connection, sealed, until the server has checked them.
import { NoAnswerError, RefusedError } from "@/api/http";
import { postPin } from "@/api/sesion";
import { storage } from "@/storage/storage";

const PREFIX = "carrete.seal.";
/** The seals of wrong PINs stay known: another tab, or this page after a reload, has taps that were made with them. */
const WRONG = "carrete.wrong-seal.";
const WRONG_KEPT_MS = 7 * 24 * 3_600_000;

interface StoredSeal {
  id: string;
  sellado: string;
  at: number;
}

/** `right`: the server opened the session. `wrong`: nobody knows who used the tablet since. */
export type Verdict = (seal: string, verdict: "right" | "wrong") => void;

export function keepSeal(id: string, sellado: string): void {
  const seal: StoredSeal = { id, sellado, at: Date.now() };
  storage.set(PREFIX + id, JSON.stringify(seal));
}

/** Oldest first. */
function storedSeals(): StoredSeal[] {
  const names = storage.names().filter((name) => name.startsWith(PREFIX));
  return names.map((name) => JSON.parse(storage.get(name) ?? "{}") as StoredSeal).sort((a, b) => a.at - b.at);
}

export const openSeals = (): ReadonlySet<string> => new Set(storedSeals().map(({ id }) => id));

export function wrongSeals(): ReadonlySet<string> {
  const names = storage.names().filter((name) => name.startsWith(WRONG));
  return new Set(names.map((name) => name.slice(WRONG.length)));
}

function forgetOldWrongSeals(): void {
  for (const id of wrongSeals()) if (Date.now() - Number(storage.get(WRONG + id)) > WRONG_KEPT_MS) storage.remove(WRONG + id);
}

let sending: Promise<void> | null = null;

/** Sends the sealed PINs in their order; those without an answer are sent again later. One sending at a time. */
export function sendSeals(onVerdict: Verdict): Promise<void> {
  return (sending ??= checkAll(onVerdict).finally(() => (sending = null)));
}

async function checkAll(onVerdict: Verdict): Promise<void> {
  forgetOldWrongSeals();
  for (const { id, sellado } of storedSeals()) {
    const verdict = await check(sellado);
    if (verdict === "later") return;
    if (verdict === "wrong") storage.set(WRONG + id, String(Date.now()));
    storage.remove(PREFIX + id);
    onVerdict(id, verdict);
  }
}

async function check(sellado: string): Promise<"right" | "wrong" | "later"> {
  try {
    await postPin({ sellado });
    return "right";
  } catch (error) {
    if (error instanceof NoAnswerError) return "later";
    return error instanceof RefusedError && error.problem.status === 429 ? "later" : "wrong";
  }
}
