// A labelled input, large enough for a gloved finger. `labelHidden`: only screen readers get the label.
import { useId, type InputHTMLAttributes, type ReactNode, type Ref } from "react";

import styles from "./Field.module.css";
import { classes } from "./classes";

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  labelHidden?: boolean;
  icon?: ReactNode;
  /** What is wrong with the value. */
  error?: string | undefined;
  ref?: Ref<HTMLInputElement>;
}

export function Field({ label, labelHidden, icon, error, className, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={labelHidden ? "visually-hidden" : styles.label}>
        {label}
      </label>
      <div className={styles.box}>
        {icon && <span className={styles.icon}>{icon}</span>}
        <input
          id={id}
          className={classes(styles.input, icon ? styles.withIcon : null)}
          autoComplete="off"
          aria-invalid={error !== undefined || undefined}
          aria-describedby={error === undefined ? undefined : `${id}-error`}
          {...rest}
        />
      </div>
      {error !== undefined && (
        <p id={`${id}-error`} className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
