// A labelled choice of one among many, as a list that opens.
import { useId, type ChangeEvent } from "react";

import fieldStyles from "./Field.module.css";
import { classes } from "./classes";
import styles from "./Select.module.css";

export interface SelectProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  disabled?: boolean;
  className?: string | undefined;
}

export function Select<T extends string>({ label, value, options, onChange, disabled, className }: SelectProps<T>) {
  const id = useId();
  const choose = (event: ChangeEvent<HTMLSelectElement>): void => {
    const chosen = options.find((option) => option.value === event.target.value);
    if (chosen) onChange(chosen.value);
  };
  return (
    <div className={classes(fieldStyles.field, className)}>
      <label htmlFor={id} className={fieldStyles.label}>
        {label}
      </label>
      <select id={id} className={classes(fieldStyles.input, styles.select)} value={value} onChange={choose} disabled={disabled}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  );
}
