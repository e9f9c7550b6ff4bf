// The button beside the search with the number of spools that this worker waits for; it lists them, to open one or stop waiting.
import { useState } from "react";

import type { Operacion, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { stopAwaiting, useAwaitedCards } from "@/shop/awaited";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { BellIcon } from "@/ui/icons";
import styles from "./AwaitedButton.module.css";

export interface AwaitedButtonProps {
  worker: Worker;
  onOpen: (operacion: Operacion, tag: string) => void;
}

export function AwaitedButton({ worker, onOpen }: AwaitedButtonProps) {
  const t = useWords();
  const [open, setOpen] = useState(false);
  const awaited = useAwaitedCards(worker.id);
  const close = (): void => setOpen(false);
  if (awaited.length === 0) return null;
  const title = t("awaited.title", { n: awaited.length });
  return (
    <>
      <Button aria-label={title} className={styles.button} icon={<BellIcon />} onClick={() => setOpen(true)}>
        {awaited.length}
      </Button>
      {open && (
        <Dialog
          size="large"
          title={title}
          onClose={close}
          actions={
            <Button size="large" onClick={close}>
              {t("app.close")}
            </Button>
          }
        >
          <ul className={styles.list}>
            {awaited.map(({ tag, operacion, card }) => (
              <li key={tag} className={styles.item}>
                <div className={styles.what}>
                  <p className={styles.tag}>{tag}</p>
                  {card?.ocupado_por && <p>{t("list.held_by", { label: card.ocupado_por })}</p>}
                </div>
                <Button onClick={() => onOpen(operacion, tag)}>{t("awaited.open")}</Button>
                <Button onClick={() => stopAwaiting(worker.id, tag)}>{t("awaited.forget")}</Button>
              </li>
            ))}
          </ul>
        </Dialog>
      )}
    </>
  );
}
