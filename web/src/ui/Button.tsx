// A button for a gloved finger: 56 px at least, 72 px when it is the thing to do.
import type { ButtonHTMLAttributes, ReactNode } from "react";

import styles from "./Button.module.css";
import { classes } from "./classes";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `signal`: the one thing to do here. `good`, `bad`: a verdict. `plain`: everything else. `quiet`: on the dark bar. */
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
