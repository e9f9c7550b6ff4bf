// `/administracion`: everything that the shop's administrator does, in the browser. A supervisor finds only the people of the floor and the
// procedures and qualifications of the weld record.
import { Link, Outlet, useLocation } from "@tanstack/react-router";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { addOfficeSentences } from "@/i18n/office";
import { useAccess } from "@/session/access";
import { useWorker } from "@/session/session";
import { EmptyState } from "@/ui/EmptyState";
import { BackIcon } from "@/ui/icons";
import styles from "./AdministrationPage.module.css";
import { maySee, sectionAt, sectionsOf, type Section } from "./administrationSections";
import { OfficeFrame } from "./OfficeFrame";
import { SectionIcon } from "./SectionIcon";
import { SignInWithRole } from "./SignInWithRole";

addOfficeSentences();

export function AdministrationPage() {
  const t = useWords();
  const worker = useWorker();
  return (
    <OfficeFrame title={t("administration.title")} home="/" worker={worker}>
      <Content worker={worker} />
    </OfficeFrame>
  );
}

function Content({ worker }: { worker: Worker | null }) {
  const t = useWords();
  const sections = sectionsOf(worker);
  if (useAccess().access?.modo === "open")
    return (
      <main>
        <EmptyState heading text={t("administration.open_mode")} />
      </main>
    );
  if (worker && sections.length > 0) return <Sections worker={worker} sections={sections} />;
  return (
    <main>
      <SignInWithRole
        worker={worker}
        roles={["Administrador", "Supervisor"]}
        notAllowed={(label) => t("administration.not_allowed", { label })}
      />
    </main>
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
      <main key={section}>
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
