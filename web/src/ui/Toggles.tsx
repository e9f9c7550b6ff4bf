// A choice of any number among a few: buttons that stay pressed. A pressed one has a tick, so colour is not all that tells it.
import { useId, type ReactNode } from "react";

import { CheckIcon } from "./icons";
import styles from "./Toggles.module.css";
import { classes } from "./classes";

export interface TogglesProps<T extends string> {
  label: string;
  /** A sentence below the label. */
  hint?: ReactNode;
  values: readonly T[];
  options: readonly { value: T; label: string }[];
  onChange: (values: T[]) => void;
  disabled?: boolean;
}

export function Toggles<T extends string>({ label, hint, values, options, onChange, disabled }: TogglesProps<T>) {
  const hintId = useId();
  const toggle = (value: T): void => onChange(values.includes(value) ? values.filter((other) => other !== value) : [...values, value]);
  return (
    <fieldset className={styles.toggles} aria-describedby={hint === undefined ? undefined : hintId}>
      <legend className={styles.legend}>{label}</legend>
      {hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
      <div className={styles.options}>
        {options.map(({ value, label: word }) => {
          const on = values.includes(value);
          return (
            <button
              key={value}
              type="button"
              aria-pressed={on}
              disabled={disabled}
              className={classes(styles.option, on && styles.on)}
              onClick={() => toggle(value)}
            >
              {on && <CheckIcon size={22} strokeWidth={4} />}
              {word}
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
