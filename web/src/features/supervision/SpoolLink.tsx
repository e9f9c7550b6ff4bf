// A tag as a link to its spool's card and history.
import { Link } from "@tanstack/react-router";
import { useContext } from "react";

import { useReturnHere } from "@/ui/useReturnHere";
import { LeftSpool } from "./LeftSpool";
import styles from "./SpoolLink.module.css";

export function SpoolLink({ tag }: { tag: string }) {
  const link = useReturnHere<HTMLAnchorElement>(useContext(LeftSpool) === tag);
  return (
    <Link to="/supervision" search={{ ver: "spool", spool: tag }} className={styles.link} ref={link}>
      {tag}
    </Link>
  );
}
