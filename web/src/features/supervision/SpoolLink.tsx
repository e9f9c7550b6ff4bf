// A tag as a link to its spool's card and history.
import { Link } from "@tanstack/react-router";

import styles from "./SpoolLink.module.css";

export function SpoolLink({ tag }: { tag: string }) {
  return (
    <Link to="/supervision" search={{ ver: "spool", spool: tag }} className={styles.link}>
      {tag}
    </Link>
  );
}
