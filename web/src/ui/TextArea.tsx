// A labelled text of several lines.
import { useId, type TextareaHTMLAttributes } from "react";

import fieldStyles from "./Field.module.css";
import { classes } from "./classes";
import styles from "./TextArea.module.css";

export interface TextAreaProps extends TextareaHTMLAttributes<HTMLTextAreaElement> {
  label: string;
}

export function TextArea({ label, className, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className={classes(fieldStyles.field, className)}>
      <label htmlFor={id} className={fieldStyles.label}>
        {label}
      </label>
      <textarea id={id} className={classes(fieldStyles.input, styles.area)} autoComplete="off" {...rest} />
    </div>
  );
}
