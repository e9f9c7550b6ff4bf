// The bar on top of the floor's screens: who is here, how the connection is, and the way out.
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

import type { Worker } from "@/api/types";
import { listWorkers } from "@/api/workers";
import { useFreedNotice } from "@/features/freed/useFreedNotice";
import { Settings } from "@/features/settings/Settings";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { useFreeNotices } from "@/features/when-free/useFreeNotices";
import { useWords } from "@/i18n";
import { useServerState } from "@/live/hooks";
import { leave, refresh, useIdleExit, useWorker } from "@/session/session";
import { useShopClock } from "@/shop/clock";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { TopBar } from "@/ui/TopBar";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import styles from "./Frame.module.css";
import { tellInactive } from "./inactive";
import { toSpool } from "./routes";
import { useForgetfulNotice } from "./useForgetfulNotice";
import { useOutcomes, useTapNotices } from "./useOutcomes";

/** Roles change while somebody works. */
const ROLES_EVERY_MS = 60_000;

export function Frame() {
  const t = useWords();
  const worker = useWorker();
  useIdleExit();
  useTapNotices();
  useForgetfulNotice();
  useShopClock();
  useHomeWhenGone(worker !== null);
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
          <p className={styles.brand}>{t("app.name")}</p>
        )}
      </TopBar>
      <UnsentBar />
      {worker && <Present key={worker.id} worker={worker} />}
      <div className={styles.screen}>
        <Outlet />
      </div>
    </div>
  );
}

/** What goes on as long as somebody is here, whatever screen is open. */
function Present({ worker }: { worker: Worker }) {
  useOutcomes(worker);
  useFreedNotice(worker);
  const navigate = useNavigate();
  useFreeNotices(worker, (operacion, tag) => void navigate(toSpool(operacion, tag)));
  const people = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal), refetchInterval: ROLES_EVERY_MS });
  useEffect(() => {
    if (people.data && !refresh(people.data)) void tellInactive(worker);
  }, [people.data, worker]);
  return null;
}

/** "Salir", and ten idle minutes, lead to the first screen. */
function useHomeWhenGone(here: boolean): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!here) void navigate({ to: "/" });
  }, [here, navigate]);
}

function Ends() {
  const t = useWords();
  const connection = useServerState();
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
