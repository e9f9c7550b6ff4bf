// Says once that this browser keeps nothing, and lets nobody lose an unsent action without being asked.
import { useEffect } from "react";

import { words } from "@/i18n";
import { storage } from "@/storage/storage";
import { taps } from "@/taps/hooks";
import { notify } from "@/ui/notices";

let told = false;

/** For the screens on which people work. */
export function useForgetfulNotice(): void {
  useEffect(() => {
    tell();
    const stop = storage.watch(tell);
    addEventListener("beforeunload", askFirst);
    return () => {
      stop();
      removeEventListener("beforeunload", askFirst);
    };
  }, []);
}

function tell(): void {
  if (told || !storage.isForgetful()) return;
  told = true;
  notify("warn", words("app.forgetful"), true);
}

/** The browser then asks in its own words whether the page may go. */
function askFirst(event: BeforeUnloadEvent): void {
  if (storage.isForgetful() && taps.taps().length > 0) event.preventDefault();
}
