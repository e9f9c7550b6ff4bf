// The addresses of other systems that are told what happens: add, change, try, and what they did not take.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { listWebhooks, type RegisteredWebhook } from "@/api/webhooks";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { Button } from "@/ui/Button";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { PlusIcon } from "@/ui/icons";
import { EditWebhook, WEBHOOKS } from "./EditWebhook";
import styles from "./Integrations.module.css";
import { WebhookRow } from "./WebhookRow";

const READ_EVERY_MS = 10_000; // deliveries go on while somebody looks

export function Webhooks() {
  const t = useWords();
  const readError = useReadErrorText();
  const [edited, setEdited] = useState<RegisteredWebhook | "new" | null>(null);
  const read = useQuery({
    queryKey: WEBHOOKS,
    queryFn: ({ signal }) => listWebhooks(signal),
    refetchInterval: READ_EVERY_MS,
  });
  return (
    <TitledCard title={t("webhooks.title")}>
      <p className={styles.hint}>{t("webhooks.what")}</p>
      {read.isPending && <Loading label={t("app.loading")} />}
      {read.isError && !read.data && <EmptyState text={readError} />}
      {read.data?.length === 0 && <EmptyState text={t("webhooks.none")} />}
      <ul aria-label={t("webhooks.title")}>
        {read.data?.map((webhook) => (
          <WebhookRow key={webhook.id} webhook={webhook} onEdit={() => setEdited(webhook)} />
        ))}
      </ul>
      <div className={styles.buttons}>
        <Button tone="signal" icon={<PlusIcon />} onClick={() => setEdited("new")}>
          {t("webhooks.add")}
        </Button>
      </div>
      {edited && <EditWebhook webhook={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </TitledCard>
  );
}
