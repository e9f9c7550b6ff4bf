// One address for notices: how it stands, what it did not take, and what can be done about it.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { switchWebhook, testRegisteredWebhook, type RegisteredWebhook, type WebhookDeliveryTest, type WebhookSwitch } from "@/api/webhooks";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { useAgo } from "@/shop/useAgo";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { RecordWords } from "@/ui/RecordRow";
import { WEBHOOKS } from "./EditWebhook";
import styles from "./Integrations.module.css";
import { webhookState, type WebhookState } from "./webhooks";

const TONES = { works: "good", fails: "warn", off: "plain", stopped: "bad" } as const satisfies Record<WebhookState, string>;

export function WebhookRow({ webhook, onEdit }: { webhook: RegisteredWebhook; onEdit: () => void }) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [result, setResult] = useState<WebhookDeliveryTest | null>(null);
  const [asked, setAsked] = useState(false);
  const { id, nombre, activo } = webhook;
  const test = (): void => {
    setResult(null);
    run(async () => setResult(await testRegisteredWebhook(id)));
  };
  const change = (what: WebhookSwitch): void =>
    run(async () => {
      await switchWebhook(id, what);
      await cache.invalidateQueries({ queryKey: WEBHOOKS });
    });
  return (
    <li className={styles.webhook} data-webhook={id}>
      <WebhookFacts webhook={webhook} />
      <Parked webhook={webhook} busy={busy} onChange={change} />
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {result && (
        <div role="status">
          <Callout tone={result.ok ? "good" : "warn"}>{result.mensaje}</Callout>
        </div>
      )}
      <div className={styles.buttons}>
        <Button disabled={busy} aria-label={`${t("webhooks.test")} ${nombre}`} onClick={test}>
          {t("webhooks.test")}
        </Button>
        <Button disabled={busy} aria-label={`${t("webhooks.edit")} ${nombre}`} onClick={onEdit}>
          {t("webhooks.edit")}
        </Button>
        <Button
          disabled={busy}
          aria-label={`${t(activo ? "webhooks.disable" : "webhooks.enable")} ${nombre}`}
          onClick={() => change(activo ? "desactivar" : "activar")}
        >
          {t(activo ? "webhooks.disable" : "webhooks.enable")}
        </Button>
        <Button disabled={busy} aria-label={`${t("webhooks.delete")} ${nombre}`} onClick={() => setAsked(true)}>
          {t("webhooks.delete")}
        </Button>
      </div>
      {asked && <AskDelete nombre={nombre} busy={busy} onDelete={() => change("borrar")} onClose={() => setAsked(false)} />}
      {pinPad}
    </li>
  );
}

function WebhookFacts({ webhook }: { webhook: RegisteredWebhook }) {
  const t = useWords();
  const ago = useAgo();
  const state = webhookState(webhook);
  const { ultimo_exito_en, esperando, creado_en, creado_por, falla, motivo_desactivado } = webhook;
  return (
    <>
      <RecordWords
        name={webhook.nombre}
        badges={
          <>
            <Badge tone={TONES[state]}>{t(`webhooks.states.${state}`)}</Badge>
            <Badge>{t(`webhooks.formats.${webhook.formato}`)}</Badge>
          </>
        }
        facts={
          <>
            <span>{webhook.url}</span>
            <span>
              {ultimo_exito_en === null ? t("webhooks.never_delivered") : t("webhooks.delivered", { ago: ago(ultimo_exito_en) ?? "" })}
            </span>
            {esperando > 0 && <span>{t("webhooks.waiting", { count: esperando })}</span>}
            <span>{t("webhooks.made", { at: timestampText(creado_en), label: creado_por ?? t("devices.command") })}</span>
          </>
        }
      />
      <p className={styles.facts}>{webhook.tipos.map((kind) => t(`webhooks.kinds.${kind}`)).join(" · ")}</p>
      {state === "fails" && <Callout tone="warn">{t("webhooks.failing", { why: falla ?? "" })}</Callout>}
      {state === "stopped" && <Callout tone="warn">{t("webhooks.stopped", { why: motivo_desactivado ?? "" })}</Callout>}
    </>
  );
}

interface ParkedProps {
  webhook: RegisteredWebhook;
  busy: boolean;
  onChange: (what: WebhookSwitch) => void;
}

function Parked({ webhook, busy, onChange }: ParkedProps) {
  const t = useWords();
  const { nombre, estacionados, ultimos_estacionados } = webhook;
  if (estacionados === 0) return null;
  const more = estacionados - ultimos_estacionados.length;
  return (
    <Callout tone="warn">
      <p>{t("webhooks.parked", { count: estacionados })}</p>
      <ul className={styles.parked}>
        {ultimos_estacionados.map(({ id, texto, at, intentos, motivo }) => (
          <li key={id}>
            {texto}
            <span className={styles.facts}>{t("webhooks.parked_why", { at: timestampText(at), tries: intentos, why: motivo })}</span>
          </li>
        ))}
        {more > 0 && <li>{t("webhooks.and_more", { count: more })}</li>}
      </ul>
      <div className={styles.buttons}>
        {webhook.activo && (
          <Button disabled={busy} aria-label={`${t("webhooks.retry")} ${nombre}`} onClick={() => onChange("reintentar")}>
            {t("webhooks.retry")}
          </Button>
        )}
        <Button disabled={busy} aria-label={`${t("webhooks.drop")} ${nombre}`} onClick={() => onChange("descartar")}>
          {t("webhooks.drop")}
        </Button>
      </div>
    </Callout>
  );
}

interface AskDeleteProps {
  nombre: string;
  busy: boolean;
  onDelete: () => void;
  onClose: () => void;
}

function AskDelete({ nombre, busy, onDelete, onClose }: AskDeleteProps) {
  const t = useWords();
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="bad" size="large" disabled={busy} onClick={onDelete}>
        {t("webhooks.delete")}
      </Button>
    </>
  );
  return (
    <Dialog title={t("webhooks.ask_delete", { name: nombre })} onClose={onClose} actions={actions}>
      <p>{t("webhooks.delete_why")}</p>
    </Dialog>
  );
}
