// What lies around every page: without identities, a line says so.
import { Outlet } from "@tanstack/react-router";

import { useWords } from "@/i18n";
import { useAccess } from "@/session/access";
import styles from "./Root.module.css";

export function Root() {
  const t = useWords();
  const open = useAccess().access?.modo === "open";
  return (
    <>
      {open && (
        <aside className={styles.open} aria-label={t("app.notice_open")} data-open-mode>
          {t("identify.open")}
        </aside>
      )}
      <Outlet />
    </>
  );
}
