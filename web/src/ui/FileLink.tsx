// A link that downloads a file, with the look of a button.
import type { ReactNode } from "react";

import { DownloadIcon } from "./icons";
import styles from "./FileLink.module.css";

export interface FileLinkProps {
  href: string;
  children: ReactNode;
  "aria-label"?: string;
}

export function FileLink({ href, children, ...rest }: FileLinkProps) {
  return (
    <a className={styles.link} href={href} download {...rest}>
      <DownloadIcon />
      {children}
    </a>
  );
}
