// Shows one notice when this browser stores nothing; the browser then asks before it closes a page that has unsent taps.
import { useEffect } from "react";

import { words } from "@/i18n";
import { storage } from "@/storage/storage";
import { taps } from "@/taps/hooks";
import { notify } from "@/ui/notices";

let notified = false;

/** For the screens on which people work. */
export function useVolatileStorageNotice(): void {
  useEffect(() => {
    notifyOnce();
    const stop = storage.subscribe(notifyOnce);
    addEventListener("beforeunload", confirmUnload);
    return () => {
      stop();
      removeEventListener("beforeunload", confirmUnload);
    };
  }, []);
}

function notifyOnce(): void {
  if (notified || !storage.isVolatile()) return;
  notified = true;
  notify("warn", words("app.forgetful"), true);
}

/** Makes the browser ask, in its own words, whether to leave the page. */
function confirmUnload(event: BeforeUnloadEvent): void {
  if (storage.isVolatile() && taps.taps().length > 0) event.preventDefault();
}
