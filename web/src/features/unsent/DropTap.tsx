// The buttons that retry or drop a tap without an answer. Dropping warns that the tap may have arrived all the same.
import { useState, useSyncExternalStore } from "react";

import { useWords } from "@/i18n";
import { storage } from "@/storage/storage";
import { taps } from "@/taps/hooks";
import { ageMs, AUTO_RETRY_MS_MAX } from "@/taps/queue";
import type { Tap } from "@/taps/tap";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { RetryIcon } from "@/ui/icons";

export function useTapText(): (tap: Tap) => string {
  const t = useWords();
  return ({ about }) => {
    const action = t(`action.${about.accion}`);
    const [tag = ""] = about.tags;
    return about.tags.length > 1
      ? t("unsent.what_many", { action, count: about.tags.length })
      : t("unsent.what", { action, tag });
  };
}

/** Why the tap waits: an old tap is no longer sent by itself; where the browser stores nothing, a reload would lose it. */
export function useUnsentReason(): (tap: Tap) => string {
  const t = useWords();
  const isVolatile = useSyncExternalStore(storage.subscribe, storage.isVolatile);
  return (tap) => {
    const age = ageMs(tap, Date.now());
    const reason = age < AUTO_RETRY_MS_MAX ? t("unsent.explain") : t("unsent.old", { minutes: Math.round(age / 60_000) });
    return isVolatile ? `${reason} ${t("unsent.forgetful")}` : reason;
  };
}

export function TapButtons({ tap }: { tap: Tap }) {
  const t = useWords();
  const tapText = useTapText();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button tone="signal" icon={<RetryIcon />} onClick={() => taps.retry(tap.key)}>
        {t("unsent.retry")}
      </Button>
      <Button onClick={() => setAsking(true)}>{t("unsent.drop")}</Button>
      {asking && (
        <Dialog
          title={t("unsent.ask_drop", { what: tapText(tap) })}
          onClose={() => setAsking(false)}
          actions={
            <>
              <Button size="large" onClick={() => setAsking(false)}>
                {t("app.cancel")}
              </Button>
              <Button tone="bad" size="large" onClick={() => taps.drop(tap.key)}>
                {t("unsent.drop")}
              </Button>
            </>
          }
        >
          {t("unsent.drop_why")}
        </Dialog>
      )}
    </>
  );
}
