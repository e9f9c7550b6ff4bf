// The look of a button: of buttons, and of links that lead somewhere or download a file.
import styles from "./Button.module.css";
import { classes } from "./classes";

export interface ButtonLook {
  /** `signal`: the main action. `good`, `bad`: the result of an inspection. `plain`: everything else. `quiet`: on the dark bar. */
  tone?: "signal" | "plain" | "good" | "bad" | "quiet" | undefined;
  size?: "normal" | "large" | undefined;
  wide?: boolean | undefined;
  className?: string | undefined;
}

export const buttonClasses = ({ tone = "plain", size = "normal", wide = false, className }: ButtonLook): string =>
  classes(styles.button, styles[tone], styles[size], wide && styles.wide, className);
