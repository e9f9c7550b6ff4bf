// An address for notices: a new one, whose secret is then shown once, or one that changes.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { addWebhook, editWebhook, type NewWebhook, type RegisteredWebhook, type WebhookFormat, type WebhookKind } from "@/api/webhooks";
import { useWords } from "@/i18n";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Select } from "@/ui/Select";
import { Toggles } from "@/ui/Toggles";
import styles from "./Integrations.module.css";
import { ShowSecret } from "./ShowSecret";
import { FORMATS, KINDS } from "./webhooks";

export const WEBHOOKS = ["webhooks"];
const NAME_CHARS_MAX = 60;
const ADDRESS_CHARS_MAX = 1_000;

/** `webhook` is null for a new one. */
export function EditWebhook({ webhook, onClose }: { webhook: RegisteredWebhook | null; onClose: () => void }) {
  const t = useWords();
  const [made, setMade] = useState<NewWebhook | null>(null);
  if (made === null) return <DescribeWebhook webhook={webhook} onMade={setMade} onClose={onClose} />;
  return (
    <ShowSecret
      title={t("webhooks.secret", { name: made.nombre })}
      secret={made.secreto}
      once={t("webhooks.secret_once")}
      onClose={onClose}
    >
      {t("webhooks.secret_why")}
    </ShowSecret>
  );
}

interface DescribeWebhookProps {
  webhook: RegisteredWebhook | null;
  onMade: (made: NewWebhook) => void;
  onClose: () => void;
}

function DescribeWebhook({ webhook, onMade, onClose }: DescribeWebhookProps) {
  const t = useWords();
  const cache = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [name, setName] = useState(webhook?.nombre ?? "");
  const [address, setAddress] = useState("");
  const [format, setFormat] = useState<WebhookFormat>(webhook?.formato ?? "json");
  const [kinds, setKinds] = useState<WebhookKind[]>(webhook?.tipos ?? ["rechazado", "bloqueado"]);
  const [network, setNetwork] = useState<"private"[]>(webhook?.red_privada ? ["private"] : []);
  const url = address.trim();
  const complete = name.trim() !== "" && kinds.length > 0 && (url !== "" || webhook !== null);
  const fields = { nombre: name.trim(), formato: format, tipos: kinds, red_privada: network.length > 0, ...(url && { url }) };
  const save = (): void =>
    run(async () => {
      if (webhook === null) onMade(await addWebhook(fields));
      else await editWebhook(webhook.id, fields);
      await cache.invalidateQueries({ queryKey: WEBHOOKS });
      if (webhook !== null) onClose();
    });
  const title = webhook === null ? t("webhooks.add_title") : t("webhooks.edit_title", { name: webhook.nombre });
  const actions = (
    <>
      <Button size="large" onClick={onClose}>
        {t("app.cancel")}
      </Button>
      <Button tone="signal" size="large" disabled={busy || !complete} onClick={save}>
        {t("webhooks.save")}
      </Button>
    </>
  );
  return (
    <Dialog title={title} size="large" onClose={onClose} actions={actions}>
      <div className={styles.form}>
        <Field
          label={t("webhooks.name")}
          placeholder={t("webhooks.name_example")}
          value={name}
          maxLength={NAME_CHARS_MAX}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label={t("webhooks.format")}
          value={format}
          options={FORMATS.map((value) => ({ value, label: t(`webhooks.formats.${value}`) }))}
          onChange={setFormat}
        />
        <Field
          label={t("webhooks.address")}
          placeholder={webhook === null ? "https://…" : t("webhooks.address_kept", { host: webhook.url })}
          inputMode="url"
          value={address}
          maxLength={ADDRESS_CHARS_MAX}
          onChange={(event) => setAddress(event.target.value)}
        />
        {format === "telegram" && <p className={styles.hint}>{t("webhooks.telegram")}</p>}
        <Toggles
          label={t("webhooks.about")}
          values={kinds}
          options={KINDS.map((value) => ({ value, label: t(`webhooks.kinds.${value}`) }))}
          onChange={setKinds}
        />
        <Toggles
          label={t("webhooks.network")}
          values={network}
          options={[{ value: "private", label: t("webhooks.private") }]}
          onChange={setNetwork}
        />
        {problem !== null && <Callout tone="bad">{problem}</Callout>}
      </div>
      {pinPad}
    </Dialog>
  );
}
