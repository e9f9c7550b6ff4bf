// The buttons that retry or drop a tap without an answer. Dropping warns that the tap may have arrived all the same.
import { useState, useSyncExternalStore, type ReactNode } from "react";

import { useWords } from "@/i18n";
import { useVisit, useWorker } from "@/session/session";
import { storage } from "@/storage/storage";
import { isChain, stepsOf } from "@/taps/chain";
import { taps } from "@/taps/hooks";
import { ageMs, retryMsMax } from "@/taps/queue";
import type { Tap } from "@/taps/tap";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { RetryIcon } from "@/ui/icons";
import { decisionOf, isOfOther } from "./decisions";

export function useTapText(): (tap: Tap) => string {
  const t = useWords();
  return (tap) => {
    const { about } = tap;
    const steps = isChain(tap) ? stepsOf(tap) : [about];
    const action = steps.map(({ accion }) => t(`action.${accion}`)).join(" + ");
    const [tag = ""] = about.tags;
    return about.tags.length > 1
      ? t("unsent.what_many", { action, count: about.tags.length })
      : t("unsent.what", { action, tag });
  };
}

/** Why the tap waits, and in whose name it is sent: an old tap is no longer sent by itself; where the browser stores nothing, a
 * reload would lose it. */
export function useUnsentReason(): (tap: Tap) => string {
  const t = useWords();
  const worker = useWorker();
  const isVolatile = useSyncExternalStore(storage.subscribe, storage.isVolatile);
  const provisional = (tap: Tap): string => (tap.saved ? t("provisional.saved") : t("provisional.not_saved"));
  return (tap) => {
    const label = tap.about.worker;
    const old = isOld(tap) && t("unsent.old", { minutes: Math.round(ageMs(tap, Date.now()) / 60_000) });
    const waits = tap.waits === "confirm" && worker !== null && !isOfOther(tap, worker) ? "confirm_own" : tap.waits;
    const reason = waits ? t(`unsent.waits.${waits}`, { label }) : old || (tap.sent === false ? provisional(tap) : t("unsent.explain"));
    const whose = !tap.waits && isOfOther(tap, worker) && t("unsent.in_name_of", { label });
    return [reason, whose, isVolatile && t("unsent.forgetful")].filter(Boolean).join(" ");
  };
}

/** It is no longer sent by itself. */
const isOld = (tap: Tap): boolean => ageMs(tap, Date.now()) >= retryMsMax(tap);

/** Only the author sends or drops a tap; a supervisor may drop it too. */
export function TapButtons({ tap }: { tap: Tap }) {
  const t = useWords();
  const { worker, signed } = useVisit();
  const decision = decisionOf(tap, worker, signed !== null && signed.seal === null);
  return (
    <>
      {decision === "send" && (tap.sent !== false || isOld(tap)) && (
        <Button tone="signal" icon={<RetryIcon />} onClick={() => taps.retry(tap.key)}>
          {t("unsent.retry")}
        </Button>
      )}
      {decision === "confirm" && (
        <Button tone="signal" onClick={() => taps.confirm(tap.key)}>
          {t("unsent.mine")}
        </Button>
      )}
      {decision !== "none" && <DropButton tap={tap} />}
    </>
  );
}

function DropButton({ tap }: { tap: Tap }): ReactNode {
  const t = useWords();
  const tapText = useTapText();
  const [asking, setAsking] = useState(false);
  return (
    <>
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
          {tap.sent === false ? t("provisional.drop_why") : t("unsent.drop_why")}
        </Dialog>
      )}
    </>
  );
}
