// The visit is in the browser's smaller storage, which reaches the disk seconds after a change; a killed browser goes back to what it was.
// What may not be undone is in the tablet's databases, and is set right from there before anything is shown or sent.
import { seals } from "./seals";
import { currentVisit } from "./session";
import { lock, signOut } from "./signIn";
import { isSigningOut, recoverSignOuts } from "./signOuts";

/** A disk that takes longer is not waited for: the screen is locked. */
export const RECOVER_MS_MAX = 3_000;

/** For the start of a page. */
export async function recoverVisit(): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(new Error("too slow")), RECOVER_MS_MAX)));
  await Promise.race([recover(), tooLong]).catch(() => lock("idle"));
  clearTimeout(timer);
}

async function recover(): Promise<void> {
  await Promise.all([recoverSignOuts(), seals.load()]); // a PIN that the server has judged meanwhile locks the screen, or is proved
  const { signed } = currentVisit();
  if (signed && isSigningOut(signed.session)) signOut();
  else if (signed?.seal && !seals.open().has(signed.seal)) lock("idle"); // nobody will ever check that PIN
}
