// Signing in, out and unlocking, where the server knows identities. What cannot be told to the server now is kept and told later.
import { NoAnswerError, RefusedError } from "@/api/http";
import type { Access, Claimant, SessionAnswer, SignInAnswer } from "@/api/identity-types";
import { postPin, postSignIn } from "@/api/sesion";
import type { Worker } from "@/api/types";
import { storage } from "@/storage/storage";
import { tapKeys } from "@/storage/tapKeys";
import { taps } from "@/taps/hooks";
import { newKey } from "@/taps/key";
import { canSign, importTapKey } from "@/taps/signing";
import { currentAccess, isOpen, outdateAccess } from "./access";
import { sealPin } from "./seal";
import { seals } from "./seals";
import type { Verdict } from "./sealedPins";
import { clearVisit, currentVisit, rememberRecent, SESSION_MS_MAX, setVisit, TOUCHED, type LockReason } from "./session";
import { isSigningOut, keepSignOut, sendSignOuts } from "./signOuts";
import { tapIdentity } from "./tapIdentity";

/** Without an answer for this long, the lock screen opens with a sealed PIN. */
const UNLOCK_MS_MAX = 4_000;

/** Ends the session that this device had before. Throws what the server refused, or that it did not answer. */
export async function signIn(who: Claimant, pin: string | null): Promise<Worker> {
  await checkSeals(); // those of the person before, while the cookie is still theirs
  const answer = await postSignIn(who, pin);
  await beginSession(answer);
  return answer.worker;
}

export async function beginSession({ tap_key, session, worker, proof }: SignInAnswer): Promise<void> {
  outdateAccess();
  if (tap_key && canSign()) await importTapKey(tap_key).then((key) => tapKeys.save(session, key), () => undefined);
  const before = currentVisit().signed;
  if (before && before.session !== session) void tellSignOut(before.session);
  storage.set(TOUCHED, String(Date.now()));
  rememberRecent(worker.id);
  setVisit({ worker, signed: { session, proof, seal: null, until: Date.now() + SESSION_MS_MAX }, locked: null });
}

/** "Salir": at once on the screen. */
export function signOut(): void {
  const { signed } = currentVisit();
  outdateAccess();
  clearVisit();
  if (signed) void tellSignOut(signed.session);
}

async function tellSignOut(session: string): Promise<void> {
  await keepSignOut(session);
  await checkSeals();
  await sendSignOuts();
}

export function lock(reason: LockReason): void {
  if (isOpen() || !currentVisit().signed || currentVisit().locked) return;
  setVisit({ locked: reason });
}

/** Who signed in without a PIN, by name or badge in mode `device`, unlocks without one. */
export const unlocksWithoutPin = (): boolean => currentVisit().signed?.proof !== "pin";

export async function unlock(pin: string | null): Promise<void> {
  const { worker, signed } = currentVisit();
  if (!worker || !signed) return;
  try {
    if (pin === null) await signIn({ worker_id: worker.id }, null);
    else opened(await postPin({ pin }, UNLOCK_MS_MAX));
  } catch (error) {
    if (error instanceof NoAnswerError) await unlockOffline(pin, signed.session);
    else if (pin !== null && isSessionOver(error)) await signIn({ worker_id: worker.id }, pin);
    else throw error;
  }
}

/** The session ended meanwhile; the same PIN begins a new one. */
const isSessionOver = (error: unknown): boolean =>
  error instanceof RefusedError && error.problem.code === "SESION_REQUERIDA";

/** The server did not answer: the screen opens, and the PIN is checked before anything that is tapped from now on. */
async function unlockOffline(pin: string | null, session: string): Promise<void> {
  let seal: string | null = null;
  if (pin !== null) {
    const publicKey = currentAccess()?.clave_publica;
    if (!publicKey || !canSign()) throw new NoAnswerError("no key to seal the PIN");
    seal = newKey();
    await seals.keep(seal, await sealPin(publicKey, { pin, session, at: new Date().toISOString() }));
  }
  const { signed } = currentVisit();
  touchNow();
  if (signed) setVisit({ signed: { ...signed, seal }, locked: null });
}

/** The PIN again, for a supervisor's action. Its tap is then sent with the same key. */
export async function confirmPin(pin: string): Promise<void> {
  opened(await postPin({ pin }));
}

function opened({ worker }: SessionAnswer): void {
  const { signed } = currentVisit();
  outdateAccess();
  touchNow();
  setVisit({ worker, signed: signed && { ...signed, seal: null }, locked: null });
}

const touchNow = (): void => storage.set(TOUCHED, String(Date.now()));

/** After a wrong PIN the visit keeps its seal: should a killed browser forget the lock, nothing tapped since counts as proved. */
export function followSeal(seal: string, verdict: Verdict | null): void {
  const { signed } = currentVisit();
  if (verdict === "wrong") taps.doubt(seal);
  if (signed?.seal === seal && verdict === "wrong") setVisit({ locked: "seal" });
  if (signed?.seal === seal && verdict === "right") setVisit({ signed: { ...signed, seal: null } });
  taps.identityChanged();
}

export const checkSeals = (): Promise<void> => seals.send();

/** What the server has not heard yet: sealed PINs first, then sign-outs. */
export async function tellServer(): Promise<void> {
  await checkSeals();
  await sendSignOuts();
}

/** Whether taps have authors, by what the server said the last time. */
export function knowIdentity(): void {
  if (!isOpen()) taps.setIdentity(tapIdentity);
}

/** Takes over what the server says about the session of this device. */
export function followAccess({ modo, sesion }: Access): void {
  taps.setIdentity(modo === "open" ? null : tapIdentity);
  if (modo === "open") {
    if (currentVisit().signed) clearVisit();
    return;
  }
  if (!sesion || isSigningOut(sesion.session)) {
    if (currentVisit().worker) signOut();
    return;
  }
  follow(sesion);
}

function follow({ session, worker, proof, locked }: SessionAnswer): void {
  const { signed: before, locked: lockedHere } = currentVisit();
  const same = before?.session === session;
  if (before && !same) void tellSignOut(before.session);
  const seal = same ? before.seal : null;
  const lockedThere = locked && seal === null ? "idle" : null;
  const until = same ? before.until : Date.now() + SESSION_MS_MAX;
  const now = { worker, signed: { session, proof, seal, until }, locked: (same ? lockedHere : null) ?? lockedThere };
  if (JSON.stringify(now) !== JSON.stringify(currentVisit())) setVisit(now);
}
