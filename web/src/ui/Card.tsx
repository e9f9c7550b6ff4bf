// A box with a border around things that belong together. `accent` colours its edge.
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
