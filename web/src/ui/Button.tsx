// A button for a gloved finger: at least 56 px high, 72 px for the main action.
import type { ButtonHTMLAttributes, ReactNode } from "react";

import styles from "./Button.module.css";
import { classes } from "./classes";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `signal`: the main action. `good`, `bad`: the result of an inspection. `plain`: everything else. `quiet`: on the dark bar. */
  tone?: "signal" | "plain" | "good" | "bad" | "quiet";
  size?: "normal" | "large";
  wide?: boolean;
  icon?: ReactNode;
}

export function Button({ tone = "plain", size = "normal", wide, icon, className, children, ...rest }: ButtonProps) {
  const look = classes(styles.button, styles[tone], styles[size], wide && styles.wide, className);
  return (
    <button type="button" className={look} {...rest}>
      {icon}
      {children}
    </button>
  );
}
