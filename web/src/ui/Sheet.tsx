// A modal that covers the whole screen, above every other dialog. What lies under it stays as it is.
import { useEffect, useId, useRef, type ReactNode, type SyntheticEvent } from "react";

import styles from "./Sheet.module.css";

export interface SheetProps {
  title: string;
  children: ReactNode;
  /** Missing: only what the sheet itself offers closes it. */
  onClose?: (() => void) | undefined;
}

/** Open as long as it is rendered. The title gets the focus: keys that are typed press no button. */
export function Sheet({ title, children, onClose }: SheetProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    const element = sheet.current;
    const focusedBefore = document.activeElement;
    const reopen = (): void => {
      if (element && !element.open) element.showModal(); // the second Escape closes any dialog
    };
    element?.showModal();
    element?.addEventListener("close", reopen);
    heading.current?.focus();
    return () => {
      element?.removeEventListener("close", reopen);
      element?.close();
      if (focusedBefore instanceof HTMLElement && focusedBefore.isConnected) focusedBefore.focus();
    };
  }, []);
  const cancel = (event: SyntheticEvent): void => {
    if (event.target !== event.currentTarget) return; // of a file input, or of a dialog inside this one
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog ref={sheet} className={styles.sheet} aria-labelledby={id} onCancel={cancel}>
      <h2 id={id} className={styles.title} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
