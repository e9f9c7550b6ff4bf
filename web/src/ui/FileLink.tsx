// A link that downloads a file, with the look of a button.
import type { ReactNode } from "react";

import { buttonClasses } from "./buttonLook";
import { DownloadIcon } from "./icons";

export interface FileLinkProps {
  href: string;
  children: ReactNode;
  "aria-label"?: string;
}

export function FileLink({ href, children, ...rest }: FileLinkProps) {
  return (
    <a className={buttonClasses({})} href={href} download {...rest}>
      <DownloadIcon />
      {children}
    </a>
  );
}
