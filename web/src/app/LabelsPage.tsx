// `/etiquetas`: labels for spools and cards with badges, for supervisors and administrators.
import { Link } from "@tanstack/react-router";

import type { Rol, Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { Labels } from "@/features/labels/Labels";
import { Settings } from "@/features/settings/Settings";
import { setClaim } from "@/features/sign-in/claim";
import { useRecentPeople } from "@/features/sign-in/useRecentPeople";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { useWords } from "@/i18n";
import { useServerState } from "@/live/hooks";
import { useAccess } from "@/session/access";
import { startSession, useWorker } from "@/session/session";
import { signOut } from "@/session/signIn";
import { useIdleExit } from "@/session/watch";
import { useShopClock } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { NoticeSlot } from "@/ui/notices";
import { TopBar } from "@/ui/TopBar";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import styles from "./AdministrationPage.module.css";
import { Identity } from "./Identity";
import { useTapNotices } from "./useTapOutcomes";
import { useVolatileStorageNotice } from "./useVolatileStorageNotice";

const MAY_PRINT: readonly Rol[] = ["Supervisor", "Administrador"];

export function LabelsPage() {
  useIdleExit();
  useTapNotices();
  useVolatileStorageNotice();
  useShopClock();
  const worker = useWorker();
  const open = useAccess().access?.modo === "open";
  const allowed = worker?.roles.some((rol) => MAY_PRINT.includes(rol)) ?? false;
  return (
    <div className={styles.page}>
      <div>
        <Bar worker={worker} />
        <UnsentBar />
      </div>
      <main className={styles.main}>{allowed ? <Labels badges={!open && worker?.roles.includes("Administrador") === true} /> : <WhoPrints worker={worker} open={open} />}</main>
      <NoticeSlot />
      <Identity onSignedIn={() => undefined} />
    </div>
  );
}

function Bar({ worker }: { worker: Worker | null }) {
  const t = useWords();
  const connection = useServerState();
  const end = (
    <>
      <ConnectionDot state={connection} label={t(`connection.${connection}`)} />
      <Settings />
      {worker && (
        <Button tone="quiet" onClick={signOut} icon={<ExitIcon />} aria-label={t("app.exit")}>
          <span className={styles.exit}>{t("app.exit")}</span>
        </Button>
      )}
    </>
  );
  return (
    <TopBar end={end}>
      <Link to="/supervision" className={styles.home} aria-label={t("supervision.title")}>
        <SpoolIcon size={36} />
      </Link>
      <p className={styles.who}>
        <strong>{t("labels.title")}</strong>
        {worker && <span className={styles.label}>{worker.label}</span>}
      </p>
    </TopBar>
  );
}

/** Whoever is signed in without the role is told so; somebody who has it signs in over them. */
function WhoPrints({ worker, open }: { worker: Worker | null; open: boolean }) {
  const t = useWords();
  const recent = useRecentPeople(!open);
  const choose = open ? startSession : (chosen: Worker) => setClaim({ worker: chosen });
  return (
    <Identify rol={MAY_PRINT} onChosen={choose} recent={open ? undefined : recent}>
      {worker && (
        <p>
          <Badge tone="warn">{t("labels.not_allowed", { label: worker.label })}</Badge>
        </p>
      )}
    </Identify>
  );
}
