// A place to drop a file on, or to tap and choose one.
import { useState, type DragEvent } from "react";

import { classes } from "./classes";
import styles from "./FileDrop.module.css";
import { UploadIcon } from "./icons";

export interface FileDropProps {
  label: string;
  hint: string;
  /** File name endings that the browser offers, e.g. `.xlsx`. */
  accept: string;
  disabled?: boolean;
  onFile: (file: File) => void;
}

export function FileDrop({ label, hint, accept, disabled = false, onFile }: FileDropProps) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file && !disabled) onFile(file);
  };
  return (
    <label
      className={classes(styles.drop, over && styles.over)}
      data-target
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
    >
      <UploadIcon size={40} />
      <span className={styles.label}>{label}</span>
      <span className={styles.hint}>{hint}</span>
      <input
        type="file"
        className="visually-hidden"
        accept={accept}
        disabled={disabled}
        onChange={({ target }) => {
          const file = target.files?.[0];
          target.value = ""; // the same file can be chosen again after it was corrected
          if (file) onFile(file);
        }}
      />
    </label>
  );
}
