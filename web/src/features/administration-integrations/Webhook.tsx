// The address that hears of conflicts: stored with the shop's settings, and tried with a conflict that is none.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SyntheticEvent } from "react";

import { changeSettings, getSettings } from "@/api/ajustes";
import { testWebhook, type WebhookTest } from "@/api/webhook";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { EmptyState } from "@/ui/EmptyState";
import { Field } from "@/ui/Field";
import { Loading } from "@/ui/Loading";
import { notify } from "@/ui/notices";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Integrations.module.css";

const SETTINGS = ["shop-settings", "values"]; // as the page of the settings has them
const ADDRESS_CHARS_MAX = 2_000;

export function Webhook() {
  const t = useWords();
  const readError = useReadErrorText();
  const read = useQuery({ queryKey: SETTINGS, queryFn: ({ signal }) => getSettings(signal) });
  const stored = read.data?.ajustes.webhook_conflictos;
  return (
    <TitledCard title={t("webhook.title")}>
      <p className={styles.hint}>{t("webhook.what")}</p>
      {stored === undefined ? (
        read.isError ? (
          <EmptyState text={readError} />
        ) : (
          <Loading label={t("app.loading")} />
        )
      ) : (
        <Address stored={stored} fixed={read.data?.fijados.includes("webhook_conflictos") ?? false} />
      )}
    </TitledCard>
  );
}

/** `fixed`: set in the machine's environment. */
function Address({ stored, fixed }: { stored: string; fixed: boolean }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [typed, setTyped] = useState<string | null>(null); // null: as the server has it
  const address = typed ?? stored;
  const [result, setResult] = useState<WebhookTest | null>(null);
  const changed = address.trim() !== stored;
  const save = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!changed || busy) return;
    setResult(null);
    run(async () => {
      const answer = await changeSettings({ webhook_conflictos: address.trim() });
      notify("good", t("webhook.saved"));
      cache.setQueryData(SETTINGS, answer);
      setTyped(null);
    });
  };
  const test = (): void => {
    setResult(null);
    run(async () => setResult(await testWebhook()));
  };
  return (
    <form className={styles.form} onSubmit={save}>
      {fixed && <Callout tone="plain">{t("webhook.fixed")}</Callout>}
      <Field
        label={t("webhook.address")}
        placeholder="https://…"
        inputMode="url"
        value={address}
        maxLength={ADDRESS_CHARS_MAX}
        readOnly={fixed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {result && (
        <div role="status">
          <Callout tone={result.ok ? "good" : "warn"}>{result.mensaje}</Callout>
        </div>
      )}
      <div className={styles.buttons}>
        <Button disabled={busy || changed || stored === ""} onClick={test}>
          {t("webhook.test")}
        </Button>
        {!fixed && (
          <Button type="submit" tone="signal" disabled={busy || !changed}>
            {t("webhook.save")}
          </Button>
        )}
      </div>
      {pinPad}
    </form>
  );
}
