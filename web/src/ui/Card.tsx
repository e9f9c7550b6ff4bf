// A plate on the wall: something that stands by itself. With `accent` it is the worker's own.
import type { HTMLAttributes } from "react";

import styles from "./Card.module.css";
import { classes } from "./classes";

export interface CardProps extends HTMLAttributes<HTMLElement> {
  as?: "section" | "article" | "div" | "li";
  accent?: "signal" | "good" | "bad" | "warn" | undefined;
}

export function Card({ as: Tag = "div", accent, className, ...rest }: CardProps) {
  return <Tag className={classes(styles.card, accent && styles[accent], className)} {...rest} />;
}
