// The frame of the floor's screens: the bar on top with the worker, the connection and "Salir".
import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useState } from "react";

import type { Worker } from "@/api/types";
import { listWorkers } from "@/api/workers";
import { OfferDialog } from "@/features/hand-over/OfferDialog";
import { ReceivedOffers } from "@/features/hand-over/ReceivedOffers";
import { MyReclamos } from "@/features/reclamos/MyReclamos";
import { useReclamoNews } from "@/features/reclamos/useReclamoNews";
import { useReleaseNotice } from "@/features/release-notice/useReleaseNotice";
import { Settings } from "@/features/settings/Settings";
import { ShiftEnd } from "@/features/shift-end/ShiftEnd";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { useFreeNotices } from "@/features/when-free/useFreeNotices";
import { useWords } from "@/i18n";
import { useIsAway, useServerState } from "@/live/hooks";
import { useKeepCopy } from "@/offline/hooks";
import { SwitchPerson } from "@/features/sign-in/SwitchPerson";
import { isOpen, useAccess } from "@/session/access";
import { refreshWorker, useWorker } from "@/session/session";
import { signOut } from "@/session/signIn";
import { useIdleExit } from "@/session/watch";
import { useShopClock } from "@/shop/clock";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { TopBar } from "@/ui/TopBar";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import styles from "./Frame.module.css";
import { notifyInactive } from "./inactive";
import { Identity } from "./Identity";
import { Scanning } from "./Scanning";
import { firstScreenOf, toSpool } from "./routes";
import { useTapNotices, useTapOutcomes } from "./useTapOutcomes";
import { useVolatileStorageNotice } from "./useVolatileStorageNotice";

/** Roles may change while a worker uses the tablet. */
const WORKERS_EVERY_MS = 60_000;

export function Frame() {
  const t = useWords();
  const worker = useWorker();
  const away = useIsAway();
  const shopName = useAccess().access?.taller;
  useIdleExit();
  useTapNotices();
  useVolatileStorageNotice();
  useShopClock();
  useHomeWithoutWorker(worker !== null);
  const navigate = useNavigate();
  /** The worker who was here before goes on where they were. */
  const onSignedIn = (signed: Worker): void => {
    if (signed.id !== worker?.id) void navigate(firstScreenOf(signed));
  };
  const [leavingId, setLeavingId] = useState<number | null>(null); // who tapped "Salir"
  if (leavingId !== null && leavingId !== worker?.id) setLeavingId(null); // it says nothing about who comes next
  const stay = useCallback(() => setLeavingId(null), []);
  const leave = useCallback(() => {
    setLeavingId(null);
    signOut();
  }, []);
  return (
    <div className={styles.frame}>
      <TopBar end={<BarEnd onExit={() => setLeavingId(worker?.id ?? null)} />}>
        <SpoolIcon size={36} className={styles.logo} />
        {worker ? (
          <p className={styles.who}>
            <strong>{worker.label}</strong>
            <span className={styles.name}>
              {worker.nombre} {worker.apellido}
            </span>
          </p>
        ) : (
          <p className={styles.brand}>{shopName || t("app.name")}</p>
        )}
      </TopBar>
      <UnsentBar />
      {worker && <MyReclamos worker={worker} />}
      {worker && <ReceivedOffers key={`offers ${worker.id}`} worker={worker} />}
      <Identity onSignedIn={onSignedIn} readsElsewhere />
      <Scanning />
      {worker && (
        <ShiftEnd
          key={`shift ${worker.id}`}
          worker={worker}
          leaving={leavingId === worker.id}
          onLeave={leave}
          onStay={stay}
          onOpen={(operacion, tag) => void navigate(toSpool(operacion, tag))}
          handOver={away ? undefined : (spool, onClose) => <OfferDialog spool={spool} worker={worker} onClose={onClose} />}
        />
      )}
      {worker && <WorkerEffects key={worker.id} worker={worker} />}
      <div className={styles.screen}>
        <Outlet />
      </div>
    </div>
  );
}

/** Runs as long as a worker uses the tablet, on every screen. Shows nothing itself. */
function WorkerEffects({ worker }: { worker: Worker }) {
  useTapOutcomes(worker);
  useReleaseNotice(worker);
  useKeepCopy(worker.id);
  useReclamoNews(worker);
  const navigate = useNavigate();
  useFreeNotices(worker, (operacion, tag) => void navigate(toSpool(operacion, tag)));
  const workers = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal), refetchInterval: WORKERS_EVERY_MS });
  useEffect(() => {
    if (!workers.data || refreshWorker(workers.data)) return;
    signOut();
    void notifyInactive(worker);
  }, [workers.data, worker]);
  return null;
}

/** When the session ends ("Salir", or ten idle minutes), the first screen opens. */
function useHomeWithoutWorker(hasWorker: boolean): void {
  const navigate = useNavigate();
  useEffect(() => {
    if (!hasWorker) void navigate({ to: "/" });
  }, [hasWorker, navigate]);
}

function BarEnd({ onExit }: { onExit: () => void }) {
  const t = useWords();
  const connection = useServerState();
  const worker = useWorker();
  return (
    <>
      <ConnectionDot state={connection} label={t(`connection.${connection}`)} />
      {worker && !isOpen() && <SwitchPerson worker={worker} />}
      <Settings />
      {worker && (
        <Button tone="quiet" onClick={onExit} icon={<ExitIcon />} aria-label={t("app.exit")}>
          <span className={isOpen() ? undefined : styles.shortExit}>{t("app.exit")}</span>
        </Button>
      )}
    </>
  );
}
