// The bar on top of the supervisor's page: who is here, the connection, settings and "Salir".
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useServerState } from "@/live/hooks";
import { signOut } from "@/session/signIn";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import { TopBar } from "@/ui/TopBar";
import styles from "./Supervision.module.css";

/** `worker`: who is signed in, with or without the role. */
export function Bar({ worker, settings }: { worker: Worker | null; settings: ReactNode }) {
  const t = useWords();
  const connection = useServerState();
  const barEnd = (
    <>
      <ConnectionDot state={connection} label={t(`connection.${connection}`)} />
      {settings}
      {worker && (
        <Button tone="quiet" onClick={signOut} icon={<ExitIcon />} aria-label={t("app.exit")}>
          <span className={styles.exit}>{t("app.exit")}</span>
        </Button>
      )}
    </>
  );
  return (
    <TopBar end={barEnd}>
      <Link to="/" className={styles.home} aria-label={t("app.home")}>
        <SpoolIcon size={36} />
      </Link>
      <p className={styles.who}>
        <strong>{t("supervision.title")}</strong>
        {worker && <span className={styles.label}>{worker.label}</span>}
      </p>
    </TopBar>
  );
}
