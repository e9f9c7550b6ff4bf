// The shop's keys, backed up apart and encrypted: what is lost without them, and how to write the file.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { keysAddress, writeKeysFile, type BackupsAnswer } from "@/api/respaldos";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Fact, FactList } from "@/ui/FactList";
import { Field } from "@/ui/Field";
import { FileLink } from "@/ui/FileLink";
import { notify } from "@/ui/notices";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Backups.module.css";
import { PHRASE_CHARS_MIN, wrongPhrase } from "./passphrase";
import { BACKUPS } from "./reads";

/** What a restore without the keys loses. */
const LOSSES = ["pins", "late_taps", "authority", "signing", "google"] as const;

export function KeysCard({ keys }: { keys: BackupsAnswer["claves"] }) {
  const t = useWords();
  const [writing, setWriting] = useState(false);
  const state = keys === null ? "missing" : keys.al_dia ? "current" : "outdated";
  return (
    <TitledCard
      title={t("backups.keys")}
      accent={state === "current" ? "good" : "warn"}
      badge={<Badge tone={state === "current" ? "good" : "warn"}>{t(`backups.keys_state.${state}`)}</Badge>}
    >
      <p>{t("backups.keys_why")}</p>
      {state === "outdated" && <Callout tone="warn">{t("backups.keys_outdated")}</Callout>}
      <div>
        <h3 className={styles.subtitle}>{t("backups.without")}</h3>
        <ul className={styles.losses}>
          {LOSSES.map((loss) => (
            <li key={loss}>{t(`backups.loses.${loss}`)}</li>
          ))}
        </ul>
        <p className={styles.hint}>{t("backups.not_lost")}</p>
      </div>
      {keys && (
        <FactList>
          <Fact name={t("backups.keys_file")}>{keys.archivo}</Fact>
          <Fact name={t("backups.keys_written")}>{timestampText(keys.hecho_en)}</Fact>
        </FactList>
      )}
      {writing ? (
        <WriteKeys onClose={() => setWriting(false)} />
      ) : (
        <div className={styles.buttons}>
          {keys && <FileLink href={keysAddress(keys.archivo)}>{t("backups.keys_download")}</FileLink>}
          <Button tone={state === "current" ? "plain" : "signal"} onClick={() => setWriting(true)}>
            {t(keys ? "backups.keys_again" : "backups.keys_write")}
          </Button>
        </div>
      )}
    </TitledCard>
  );
}

function WriteKeys({ onClose }: { onClose: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [phrase, setPhrase] = useState("");
  const [again, setAgain] = useState("");
  const [shown, setShown] = useState(false);
  const wrong = wrongPhrase(phrase, again);
  const write = (): void =>
    run(async () => {
      await writeKeysFile(phrase);
      await cache.invalidateQueries({ queryKey: BACKUPS });
      notify("good", t("backups.keys_done"));
      onClose();
    });
  const field = { type: shown ? "text" : "password", autoComplete: "new-password", autoCapitalize: "none", spellCheck: false } as const;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        write();
      }}
    >
      <Callout tone="warn">{t("backups.phrase_why")}</Callout>
      <div className={styles.two}>
        <Field label={t("backups.phrase")} value={phrase} onChange={(event) => setPhrase(event.target.value)} {...field} />
        <Field label={t("backups.phrase_again")} value={again} onChange={(event) => setAgain(event.target.value)} {...field} />
      </div>
      <p className={styles.hint} role="status">
        {phrase !== "" && wrong ? t(`backups.phrase_wrong.${wrong}`, { n: PHRASE_CHARS_MIN }) : t("backups.phrase_hint", { n: PHRASE_CHARS_MIN })}
      </p>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t("app.back")}</Button>
        <Button aria-pressed={shown} onClick={() => setShown(!shown)}>
          {t(shown ? "backups.hide" : "backups.show")}
        </Button>
        <Button type="submit" tone="signal" disabled={busy || wrong !== null}>
          {busy ? t("backups.keys_writing") : t("backups.keys_write")}
        </Button>
      </div>
      {pinPad}
    </form>
  );
}
