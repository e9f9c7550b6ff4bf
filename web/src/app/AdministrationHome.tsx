// The first page of `/administracion`: every section with what it is for, and what waits there.
import { Link } from "@tanstack/react-router";

import { FirstStepsBanner } from "@/features/first-steps/FirstStepsBanner";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { SectionPage } from "@/ui/SectionPage";
import { NextIcon } from "@/ui/icons";
import styles from "./AdministrationHome.module.css";
import { isAdministrator, sectionsOf } from "./administrationSections";
import { SectionIcon } from "./SectionIcon";
import { SectionMarks } from "./SectionMarks";

export function AdministrationHome() {
  const t = useWords();
  const worker = useWorker();
  const sections = sectionsOf(worker);
  return (
    <SectionPage title={t("administration.title")} intro={t("administration.intro")}>
      {isAdministrator(worker) && <FirstStepsBanner />}
      <ul className={styles.sections}>
        {sections.map((section) => (
          <li key={section}>
            <Link to={`/administracion/${section}`} className={styles.section}>
              <SectionIcon section={section} size={40} />
              <span className={styles.words}>
                <strong className={styles.name}>{t(`administration.${section}.title`)}</strong>
                <span className={styles.what}>{t(`administration.${section}.intro`)}</span>
                {isAdministrator(worker) && (
                  <span className={styles.marks}>
                    <SectionMarks section={section} />
                  </span>
                )}
              </span>
              <NextIcon size={24} />
            </Link>
          </li>
        ))}
      </ul>
    </SectionPage>
  );
}
