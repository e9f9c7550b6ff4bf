// Tells supervisors that somebody seems to guess PINs: more than a hundred wrong ones in the shop within an hour.
import { useEffect } from "react";

import { useWords } from "@/i18n";
import { refreshAccess, useAccess } from "@/session/access";
import { Outcome } from "@/ui/Outcome";

const ASK_EVERY_MS = 60_000;

/** Shows nothing in an ordinary hour, and to whoever does not supervise. */
export function ManyWrongPins() {
  const t = useWords();
  const { access } = useAccess();
  const identity = access !== null && access.modo !== "open";
  useEffect(() => {
    if (!identity) return;
    void refreshAccess();
    const timer = setInterval(() => void refreshAccess(), ASK_EVERY_MS);
    return () => clearInterval(timer);
  }, [identity]);
  return access?.muchos_fallos && <Outcome tone="warn" text={t("pin.many_wrong")} />;
}
