// A question over everything else. The browser's own dialog keeps the focus inside and gives it back.
import { useEffect, useId, useRef, type ReactNode } from "react";

import styles from "./Dialog.module.css";
import { classes } from "./classes";

export interface DialogProps {
  title: string;
  children?: ReactNode;
  /** The buttons; the first one is the answer that does least harm and gets the focus. */
  actions: ReactNode;
  onClose: () => void;
  size?: "normal" | "large";
}

/** Rendered while it is open; take it away to close it. */
export function Dialog({ title, children, actions, onClose, size = "normal" }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (event: { preventDefault(): void }): void => {
    event.preventDefault();
    onClose();
  };
  return (
    <dialog ref={dialog} className={classes(styles.dialog, styles[size])} aria-labelledby={id} onCancel={cancel}>
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      {children && <div className={styles.body}>{children}</div>}
      <div className={styles.actions}>{actions}</div>
    </dialog>
  );
}
