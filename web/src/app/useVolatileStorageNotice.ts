// Shows one notice when this browser stores nothing; the browser then asks before it closes a page that has unsent taps.
import { useEffect } from "react";

import { words } from "@/i18n";
import { database } from "@/storage/database";
import { storage } from "@/storage/storage";
import { taps } from "@/taps/hooks";
import { notifyEverybody } from "@/ui/notices";

let notified = false;

/** For the screens on which people work. */
export function useVolatileStorageNotice(): void {
  useEffect(() => {
    notifyOnce();
    const stops = [storage.subscribe(notifyOnce), database.subscribe(notifyNoCopy)];
    addEventListener("beforeunload", confirmUnload);
    return () => {
      for (const stop of stops) stop();
      removeEventListener("beforeunload", confirmUnload);
    };
  }, []);
}

function notifyOnce(): void {
  if (notified || !storage.isVolatile()) return;
  notified = true;
  notifyEverybody("warn", words("app.forgetful"));
}

let notifiedNoCopy = false;

/** The browser keeps small things, but not the spools for the time without a connection. */
function notifyNoCopy(): void {
  if (notifiedNoCopy || storage.isVolatile() || !database.isVolatile()) return;
  notifiedNoCopy = true;
  notifyEverybody("warn", words("offline.refused"));
}

/** Makes the browser ask, in its own words, whether to leave the page. */
function confirmUnload(event: BeforeUnloadEvent): void {
  if (taps.taps().some((tap) => storage.isVolatile() || tap.saved === false)) event.preventDefault();
}
