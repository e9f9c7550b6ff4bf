// Sign-outs that the server may not have heard of yet. The server must learn the number of the session's last tap, and which of its taps
// are still on this tablet: from then on it accepts no others. Until it has answered, it is told again, also after a reload and after
// the browser was killed.
import { NoAnswerError } from "@/api/http";
import { deleteSession } from "@/api/sesion";
import { storage } from "@/storage/storage";
import { tapKeys } from "@/storage/tapKeys";
import { taps } from "@/taps/hooks";

/** So often the number alone is told while the tablet's database cannot be read, because it may hold taps that are not known yet. Then
 * that must do: a list without them would keep them from being sent. */
export const TELLS_WITHOUT_TAPS_MAX = 3;
const PREFIX = "carrete.signout.";

/** From now on this session is over, whatever the server's next answer says. Its key is destroyed. */
export async function keepSignOut(session: string): Promise<void> {
  storage.set(PREFIX + session, "1");
  await tapKeys.destroy(session);
}

/** The browser's smaller storage reaches the disk seconds later: a killed browser may have lost the mark of a sign-out, but not that
 * the key was destroyed. */
export async function recoverSignOuts(): Promise<void> {
  for (const session of await tapKeys.destroyed()) storage.set(PREFIX + session, "1");
}

export const isSigningOut = (session: string): boolean => storage.get(PREFIX + session) !== null;

const pendingSessions = (): string[] =>
  storage
    .names()
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));

export const hasSignOuts = (): boolean => pendingSessions().length > 0;

let sending: Promise<void> | null = null;

/** One sending at a time. */
export function sendSignOuts(): Promise<void> {
  return (sending ??= sendAll().finally(() => (sending = null)));
}

const toldWithoutTaps = new Map<string, number>(); // how often the server heard it

async function sendAll(): Promise<void> {
  for (const session of pendingSessions()) {
    try {
      const lastTap = await tapKeys.destroy(session); // first: from here on nothing is signed
      const unsent = await taps.unsent(session);
      await tell(session, lastTap, unsent);
      if (unsent === null && isToldAgain(session)) continue;
    } catch (error) {
      if (error instanceof NoAnswerError) return;
      // A refusal: the server does not know the session or the device any more, so there is nothing to tell.
    }
    storage.remove(PREFIX + session);
    await tapKeys.forget(session);
  }
}

/** If the server, or a proxy before it, does not take the list, it still must hear of the end. */
async function tell(session: string, lastTap: number | null, unsent: string[] | null): Promise<void> {
  try {
    await deleteSession(session, lastTap, unsent);
  } catch (error) {
    if (unsent === null || !isRefused(error)) throw error;
    await deleteSession(session, lastTap, null);
  }
}

/** Also by a proxy, which may take no body with DELETE. An answer that says to come again is none. */
const isRefused = (error: unknown): boolean =>
  !(error instanceof NoAnswerError) || (error.status !== undefined && error.status >= 400 && error.status < 500 && ![408, 425, 429].includes(error.status));

function isToldAgain(session: string): boolean {
  const told = (toldWithoutTaps.get(session) ?? 0) + 1;
  toldWithoutTaps.set(session, told);
  return told < TELLS_WITHOUT_TAPS_MAX;
}
