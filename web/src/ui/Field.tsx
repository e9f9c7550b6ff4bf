// A labelled input, large enough to hit; the label may be for ears only where the place says it already.
import { useId, type InputHTMLAttributes, type ReactNode, type Ref } from "react";

import styles from "./Field.module.css";
import { classes } from "./classes";

export interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string;
  labelHidden?: boolean;
  icon?: ReactNode;
  ref?: Ref<HTMLInputElement>;
}

export function Field({ label, labelHidden, icon, className, ...rest }: FieldProps) {
  const id = useId();
  return (
    <div className={classes(styles.field, className)}>
      <label htmlFor={id} className={labelHidden ? "only-heard" : styles.label}>
        {label}
      </label>
      <div className={styles.box}>
        {icon && <span className={styles.icon}>{icon}</span>}
        <input id={id} className={classes(styles.input, icon ? styles.withIcon : null)} autoComplete="off" {...rest} />
      </div>
    </div>
  );
}
