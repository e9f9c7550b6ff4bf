// A modal question. The browser's own dialog element keeps the focus inside.
import { useEffect, useId, useRef, type ReactNode, type SyntheticEvent } from "react";

import styles from "./Dialog.module.css";
import { classes } from "./classes";

export interface DialogProps {
  title: string;
  children?: ReactNode;
  /** The buttons. The first one gets the focus, so it must be the answer that does least harm. */
  actions: ReactNode;
  onClose: () => void;
  size?: "normal" | "large";
}

/** Open as long as it is rendered. */
export function Dialog({ title, children, actions, onClose, size = "normal" }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    const focusedBefore = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus();
    };
  }, []);
  const cancel = (event: SyntheticEvent): void => {
    if (event.target !== event.currentTarget) return; // of a file input, or of a dialog inside this one
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
