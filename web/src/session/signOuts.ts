// Sign-outs that the server may not have heard of yet. The server must learn the number of the session's last tap; until it has
// answered, it is told again, also after a reload and after the browser was killed.
import { NoAnswerError } from "@/api/http";
import { deleteSession } from "@/api/sesion";
import { storage } from "@/storage/storage";
import { tapKeys } from "@/storage/tapKeys";

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

async function sendAll(): Promise<void> {
  for (const session of pendingSessions()) {
    try {
      await deleteSession(session, await tapKeys.destroy(session));
    } catch (error) {
      if (error instanceof NoAnswerError) return;
      // A refusal: the server does not know the session or the device any more, so there is nothing to tell.
    }
    storage.remove(PREFIX + session);
    await tapKeys.forget(session);
  }
}
