// Keeps this page in step with the server's identities and with the hands on the tablet: asks what this device may do, locks the
// screen when nobody touches it, tells the server that somebody does, and tells it later what it could not hear.
import { useEffect } from "react";

import { onIdentityRefusal } from "@/api/identity-refusals";
import { postUse } from "@/api/sesion";
import { stream } from "@/live/stream";
import { storage } from "@/storage/storage";
import { taps } from "@/taps/hooks";
import { currentAccess, isOpen, onAccess, refreshAccess, subscribeAccess } from "./access";
import { isIdle, msBetween, UseReporter } from "./idle";
import { recoverVisit } from "./recover";
import { seals } from "./seals";
import { clearVisit, currentVisit, IDLE_MS_MAX, subscribe, TOUCHED, touchedAt } from "./session";
import { followAccess, followSeal, knowIdentity, lock, signOut, tellServer } from "./signIn";
import { hasSignOuts } from "./signOuts";

const TICK_MS = 1_000;
const SAVE_TOUCH_EVERY_MS = 1_000;
const TELL_EVERY_MS = 5_000;
const REFRESH_MS_MIN = 2_000;
const ASK_AGAIN_MS = 3_000;
const TOUCHES = ["pointerdown", "keydown", "wheel", "touchmove"] as const;

let refreshedAt = -Infinity;

/** For the whole page, once. Nothing is shown and no tap is sent before it resolves: then it is known whether the screen is locked. */
export async function startIdentity(): Promise<void> {
  seals.onChange(followSeal);
  knowIdentity(); // a tablet that starts without a connection signs its taps too
  await recoverVisit();
  whenIdle(); // the tablet may have been off for long
  onAccess(followAccess);
  onIdentityRefusal(() => refreshSoon());
  subscribe(() => taps.identityChanged());
  stream.subscribe(() => {
    if (stream.connection === "live") void catchUp();
  });
  setInterval(() => {
    if (hasSignOuts() || seals.open().size > 0) void tellServer();
  }, TELL_EVERY_MS);
  subscribeAccess(startStream);
  startStream();
  void firstAccess();
}

let streaming = false;

/** A device that is not enrolled gets no stream. */
function startStream(): void {
  const access = currentAccess();
  if (!access || (access.modo !== "open" && !access.dispositivo)) return;
  if (streaming) {
    stream.enrolled();
    return;
  }
  streaming = true;
  stream.start();
}

/** Until the server has answered once, it is asked again. */
async function firstAccess(): Promise<void> {
  refreshedAt = performance.now();
  if ((await refreshAccess()) === null && currentAccess() === null) setTimeout(() => void firstAccess(), ASK_AGAIN_MS);
}

/** The connection is back. */
async function catchUp(): Promise<void> {
  if (isOpen()) return;
  await tellServer();
  refreshSoon();
}

/** Many calls may be refused at once: one question answers them all. */
function refreshSoon(): void {
  if (performance.now() - refreshedAt < REFRESH_MS_MIN) return;
  refreshedAt = performance.now();
  void refreshAccess();
}

const reporter = new UseReporter(() => void postUse().catch(() => undefined));

function onTouch(): void {
  whenIdle(); // a tablet that slept: its timers stood still, and this touch comes too late
  const { signed, locked } = currentVisit();
  if (locked) return; // what is typed on the lock screen does not unlock it
  if (msBetween(touchedAt(), Date.now()) > SAVE_TOUCH_EVERY_MS) storage.set(TOUCHED, String(Date.now()));
  if (signed) reporter.touched();
}

function whenIdle(): void {
  const { worker, signed, locked } = currentVisit();
  if (!signed || locked) reporter.stop();
  if (signed && Date.now() > signed.until) signOut();
  if (!worker || locked) return;
  const idle_ms_max = signed ? (currentAccess()?.bloqueo_s ?? 300) * 1_000 : IDLE_MS_MAX;
  if (!isIdle(touchedAt(), Date.now(), idle_ms_max)) return;
  if (signed) lock("idle");
  else clearVisit();
}

/** For the screens on which people work. */
export function useIdleExit(): void {
  useEffect(() => {
    const timer = setInterval(whenIdle, TICK_MS);
    for (const touch of TOUCHES) addEventListener(touch, onTouch, { passive: true, capture: true });
    return () => {
      clearInterval(timer);
      for (const touch of TOUCHES) removeEventListener(touch, onTouch, { capture: true });
    };
  }, []);
}
