// The frame of an office page that some roles may open: its bar, who is here, and signing in for everybody else.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Rol, Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
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

interface OfficePageProps {
  title: string;
  roles: readonly Rol[];
  /** The sentence for somebody who is signed in without one of the roles. */
  notAllowed: (label: string) => string;
  /** `open`: the server runs without identity. */
  children: (worker: Worker, open: boolean) => ReactNode;
}

export function OfficePage({ title, roles, notAllowed, children }: OfficePageProps) {
  useIdleExit();
  useTapNotices();
  useVolatileStorageNotice();
  useShopClock();
  const worker = useWorker();
  const open = useAccess().access?.modo === "open";
  const allowed = worker?.roles.some((rol) => roles.includes(rol)) ?? false;
  return (
    <div className={styles.page}>
      <div>
        <Bar worker={worker} title={title} />
        <UnsentBar />
      </div>
      <main className={styles.main}>
        {allowed && worker ? children(worker, open) : <WhoMay worker={worker} open={open} roles={roles} notAllowed={notAllowed} />}
      </main>
      <NoticeSlot />
      <Identity onSignedIn={() => undefined} />
    </div>
  );
}

function Bar({ worker, title }: { worker: Worker | null; title: string }) {
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
        <strong>{title}</strong>
        {worker && <span className={styles.label}>{worker.label}</span>}
      </p>
    </TopBar>
  );
}

interface WhoMayProps extends Pick<OfficePageProps, "roles" | "notAllowed"> {
  worker: Worker | null;
  open: boolean;
}

/** A person without the role is told so; somebody who has it signs in over them. */
function WhoMay({ worker, open, roles, notAllowed }: WhoMayProps) {
  const recent = useRecentPeople(!open);
  const choose = open ? startSession : (chosen: Worker) => setClaim({ worker: chosen });
  return (
    <Identify rol={roles} onChosen={choose} recent={open ? undefined : recent}>
      {worker && (
        <p>
          <Badge tone="warn">{notAllowed(worker.label)}</Badge>
        </p>
      )}
    </Identify>
  );
}
