// The bar on top of the floor's screens: who is here, how the connection is, and the way out.
import { Outlet } from "@tanstack/react-router";

import { Settings } from "@/features/settings/Settings";
import { useWords } from "@/i18n";
import { useConnection } from "@/live/hooks";
import { leave, useIdleExit, useWorker } from "@/session/session";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { TopBar } from "@/ui/TopBar";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import styles from "./Frame.module.css";

export function Frame() {
  const worker = useWorker();
  useIdleExit();
  return (
    <div className={styles.frame}>
      <TopBar end={<Ends />}>
        <SpoolIcon size={36} className={styles.logo} />
        {worker ? (
          <p className={styles.who}>
            <strong>{worker.label}</strong>
            <span className={styles.name}>
              {worker.nombre} {worker.apellido}
            </span>
          </p>
        ) : (
          <p className={styles.brand}>Carrete</p>
        )}
      </TopBar>
      <div className={styles.screen}>
        <Outlet />
      </div>
    </div>
  );
}

function Ends() {
  const t = useWords();
  const connection = useConnection();
  const worker = useWorker();
  return (
    <>
      <ConnectionDot state={connection} label={t(`connection.${connection}`)} />
      <Settings />
      {worker && (
        <Button tone="quiet" onClick={leave} icon={<ExitIcon />}>
          {t("app.exit")}
        </Button>
      )}
    </>
  );
}
