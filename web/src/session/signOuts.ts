// Sign-outs that the server may not have heard of yet. The server must learn the number of the session's last tap, and which of its taps
// are still on this tablet: from then on it accepts no others. Until it has answered, it is told again, also after a reload and after
// the browser was killed.
import { NoAnswerError } from "@/api/http";
import { deleteSession } from "@/api/sesion";
import { storage } from "@/storage/storage";
import { tapKeys } from "@/storage/tapKeys";
import { taps, unsentTaps } from "@/taps/hooks";

/** So often the number alone is told while the tablet's database cannot be read: a slow disk holds taps that are not known yet. */
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

const toldWithoutTaps = new Map<string, number>();

async function sendAll(): Promise<void> {
  for (const session of pendingSessions()) {
    try {
      const lastTap = await tapKeys.destroy(session); // first: from here on nothing is signed
      const unsent = await unsentOf(session);
      await deleteSession(session, lastTap, unsent);
      if (unsent === null) continue; // told again with them
    } catch (error) {
      if (error instanceof NoAnswerError) return;
      // A refusal: the server does not know the session or the device any more, so there is nothing to tell.
    }
    storage.remove(PREFIX + session);
    await tapKeys.forget(session);
  }
}

/** Null: not known yet. */
async function unsentOf(session: string): Promise<string[] | null> {
  const told = toldWithoutTaps.get(session) ?? 0;
  if (told >= TELLS_WITHOUT_TAPS_MAX) return taps.unsent(session); // this browser has no database: what is here is all
  const unsent = await unsentTaps(session);
  if (unsent === null) toldWithoutTaps.set(session, told + 1);
  return unsent;
}
