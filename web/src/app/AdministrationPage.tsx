// `/administracion`: everything that the shop's administrator does, in the browser. A supervisor finds only the people of the floor and the
// procedures and qualifications of the weld record.
import { Link, Outlet, useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Worker } from "@/api/types";
import { Identify } from "@/features/identify/Identify";
import { Settings } from "@/features/settings/Settings";
import { setClaim } from "@/features/sign-in/claim";
import { useRecentPeople } from "@/features/sign-in/useRecentPeople";
import { UnsentBar } from "@/features/unsent/UnsentBar";
import { useWords } from "@/i18n";
import { addOfficeSentences } from "@/i18n/office";
import { useServerState } from "@/live/hooks";
import { useAccess } from "@/session/access";
import { useWorker } from "@/session/session";
import { signOut } from "@/session/signIn";
import { useIdleExit } from "@/session/watch";
import { useShopClock } from "@/shop/clock";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { ConnectionDot } from "@/ui/ConnectionDot";
import { EmptyState } from "@/ui/EmptyState";
import { NoticeSlot } from "@/ui/notices";
import { TopBar } from "@/ui/TopBar";
import { BackIcon, ExitIcon, SpoolIcon } from "@/ui/icons";
import styles from "./AdministrationPage.module.css";
import { maySee, sectionAt, sectionsOf, type Section } from "./administrationSections";
import { Identity } from "./Identity";
import { SectionIcon } from "./SectionIcon";
import { useTapNotices } from "./useTapOutcomes";
import { useVolatileStorageNotice } from "./useVolatileStorageNotice";

addOfficeSentences();

export function AdministrationPage() {
  useIdleExit();
  useTapNotices();
  useVolatileStorageNotice();
  useShopClock();
  const worker = useWorker();
  const open = useAccess().access?.modo === "open";
  const sections = sectionsOf(worker);
  return (
    <div className={styles.page}>
      <div>
        <Bar worker={worker} />
        <UnsentBar />
      </div>
      {open ? (
        <main className={styles.main}>
          <OpenMode />
        </main>
      ) : worker && sections.length > 0 ? (
        <Sections worker={worker} sections={sections} />
      ) : (
        <main className={styles.main}>
          <SignInHere worker={worker} />
        </main>
      )}
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
      <Link to="/" className={styles.home} aria-label={t("app.home")}>
        <SpoolIcon size={36} />
      </Link>
      <p className={styles.who}>
        <strong>{t("administration.title")}</strong>
        {worker && <span className={styles.label}>{worker.label}</span>}
      </p>
    </TopBar>
  );
}

/** Beside each other where there is room; else the first page is the list of sections, and each section leads back to it. */
function Sections({ worker, sections }: { worker: Worker; sections: readonly Section[] }) {
  const t = useWords();
  const section = sectionAt(useLocation({ select: ({ pathname }) => pathname }));
  return (
    <div className={styles.body}>
      <nav className={styles.rail} aria-label={t("administration.sections")}>
        {sections.map((each) => (
          <Link key={each} to={`/administracion/${each}`} className={styles.railLink}>
            <SectionIcon section={each} size={26} />
            {t(`administration.${each}.title`)}
          </Link>
        ))}
      </nav>
      <main key={section} className={styles.main}>
        {section !== "" && (
          <Link to="/administracion" className={styles.back}>
            <BackIcon size={24} />
            {t("administration.title")}
          </Link>
        )}
        {maySee(worker, section) ? <Outlet /> : <EmptyState heading text={t("administration.only_administrator")} />}
      </main>
    </div>
  );
}

/** Whoever is signed in without the role is told so; somebody who has it signs in over them. */
function SignInHere({ worker }: { worker: Worker | null }): ReactNode {
  const t = useWords();
  const recent = useRecentPeople(true);
  return (
    <Identify rol={["Administrador", "Supervisor"]} onChosen={(chosen) => setClaim({ worker: chosen })} recent={recent}>
      {worker && (
        <p>
          <Badge tone="warn">{t("administration.not_allowed", { label: worker.label })}</Badge>
        </p>
      )}
    </Identify>
  );
}

function OpenMode() {
  const t = useWords();
  return <EmptyState heading text={t("administration.open_mode")} />;
}
