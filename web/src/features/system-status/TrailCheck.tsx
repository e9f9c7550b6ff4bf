// The trail: recomputed and compared with its witnesses when somebody asks, also with the receipts that a tablet kept.
import { useState } from "react";

import { verifyTrail, type KeptReceipts, type TrailVerification } from "@/api/verificacion";
import { useLanguage, useWords } from "@/i18n";
import { deviceName } from "@/session/access";
import { saveReceipts } from "@/taps/receipts";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { FileDrop } from "@/ui/FileDrop";
import { notify } from "@/ui/notices";
import { TitledCard } from "@/ui/TitledCard";
import { piecesOf } from "./receiptFile";
import styles from "./SystemStatus.module.css";

const NO_RECEIPTS: KeptReceipts = { dispositivo: null, recibos: [] };

export function TrailCheck() {
  const t = useWords();
  const { result, busy, verify } = useVerification();
  const open = async (file: File): Promise<void> => {
    const pieces = piecesOf(await file.text());
    if (pieces) await verify(pieces);
    else notify("bad", t("system.trail_no_receipts"), true);
  };
  const verdict = result && verdictOf(result);
  const badge = verdict && <Badge tone={verdict.tone}>{t(verdict.word)}</Badge>;
  return (
    <TitledCard title={t("system.trail")} {...(verdict && { accent: verdict.tone })} badge={badge}>
      <p className={styles.hint}>{t("system.trail_why")}</p>
      {result && (
        <ul className={styles.checks} data-trail={result.integro ? "whole" : "not-whole"}>
          {result.hallazgos.map(({ que }) => (
            <li key={que} className={styles.words}>
              {que}
            </li>
          ))}
        </ul>
      )}
      <Button disabled={busy} onClick={() => void verify([NO_RECEIPTS])}>
        {t(busy ? "system.trail_busy" : "system.trail_verify")}
      </Button>
      <FileDrop label={t("system.trail_receipts")} hint={t("system.trail_receipts_hint")} accept=".json" disabled={busy} onFile={(file) => void open(file)} />
      <Button onClick={() => void saveReceipts(deviceName())}>
        {t("system.trail_save")}
      </Button>
    </TitledCard>
  );
}

/** Without a witness nobody can say that the trail is whole: one that was computed anew fits together as well. */
function verdictOf({ integro, testigos }: TrailVerification) {
  if (!integro) return { tone: "bad", word: "system.trail_not_whole" } as const;
  return testigos > 0 ? ({ tone: "good", word: "system.trail_whole" } as const) : ({ tone: "warn", word: "system.trail_alone" } as const);
}

/** The pieces of a file are verified one after another; what is found in any of them is shown. */
function useVerification() {
  const t = useWords();
  const language = useLanguage();
  const [result, setResult] = useState<TrailVerification>();
  const [busy, setBusy] = useState(false);
  const verify = async (pieces: readonly KeptReceipts[]): Promise<void> => {
    setBusy(true);
    try {
      let all: TrailVerification | undefined;
      for (const piece of pieces) all = together(all, await verifyTrail(piece, language));
      setResult(all);
    } catch {
      notify("bad", t("system.trail_failed"), true);
    } finally {
      setBusy(false);
    }
  };
  return { result, busy, verify };
}

function together(one: TrailVerification | undefined, other: TrailVerification): TrailVerification {
  if (!one) return other;
  const known = new Set(one.hallazgos.map(({ que }) => que));
  const bad = one.integro ? other : one;
  return { ...bad, integro: one.integro && other.integro, hallazgos: [...one.hallazgos, ...other.hallazgos.filter(({ que }) => !known.has(que))] };
}
