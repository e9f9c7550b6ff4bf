// The frame of every page of the office: its bar with the page's name, who is signed in and "Salir", unsent taps, and notices.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Worker } from "@/api/types";
import { Settings } from "@/features/settings/Settings";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { useWords } from "@/i18n";
import { useServerState } from "@/live/hooks";
import { signOut } from "@/session/signIn";
import { useIdleExit } from "@/session/watch";
import { useShopClock } from "@/shop/clock";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { NoticeSlot } from "@/ui/notices";
import { TopBar } from "@/ui/TopBar";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import { Identity } from "./Identity";
import styles from "./OfficeFrame.module.css";
import { useTapNotices } from "./useTapOutcomes";
import { useVolatileStorageNotice } from "./useVolatileStorageNotice";

export interface OfficeFrameProps {
  title: string;
  /** Where the sign at the left leads. */
  home: "/" | "/supervision";
  /** Who is signed in, with or without the role that the page needs. */
  worker: Worker | null;
  /** The page's `main`, with what stands beside it. */
  children: ReactNode;
}

export function OfficeFrame({ title, home, worker, children }: OfficeFrameProps) {
  useIdleExit();
  useTapNotices();
  useVolatileStorageNotice();
  useShopClock();
  return (
    <div className={styles.page}>
      <div>
        <Bar title={title} home={home} worker={worker} />
        <UnsentBar />
      </div>
      {children}
      <NoticeSlot />
      <Identity onSignedIn={() => undefined} />
    </div>
  );
}

function Bar({ title, home, worker }: Omit<OfficeFrameProps, "children">) {
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
      <Link to={home} className={styles.home} aria-label={t(home === "/" ? "app.home" : "supervision.title")}>
        <SpoolIcon size={36} />
      </Link>
      <p className={styles.who}>
        <strong>{title}</strong>
        {worker && <span className={styles.label}>{worker.label}</span>}
      </p>
    </TopBar>
  );
}
