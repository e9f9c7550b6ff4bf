// A secret, shown once: with a button that copies it, and a sentence about it.
import { useState, type ReactNode } from "react";

import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import styles from "./Integrations.module.css";

export interface ShowSecretProps {
  title: string;
  secret: string;
  /** That it is shown this one time. */
  once: string;
  children: ReactNode;
  onClose: () => void;
}

export function ShowSecret({ title, secret, once, children, onClose }: ShowSecretProps) {
  const t = useWords();
  const [copied, setCopied] = useState<boolean | null>(null);
  const copy = (): void =>
    void writeToClipboard(secret).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  const actions = (
    <>
      <Button tone="signal" size="large" onClick={copy}>
        {t("tokens.copy")}
      </Button>
      <Button size="large" onClick={onClose}>
        {t("tokens.done")}
      </Button>
    </>
  );
  return (
    <Dialog title={title} size="large" onClose={onClose} actions={actions}>
      <div className={styles.form}>
        <Callout tone="warn">{once}</Callout>
        <p className={styles.secret}>{secret}</p>
        <p role="status" className={styles.hint}>
          {copied === null ? children : t(copied ? "tokens.copied" : "tokens.not_copied")}
        </p>
      </div>
    </Dialog>
  );
}

/** Pages on plain http have no clipboard. */
async function writeToClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
