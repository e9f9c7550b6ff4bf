// `/equipos`: the administrator enrols devices and sees those of the shop.
import { Link } from "@tanstack/react-router";

import { DeviceList } from "@/features/enrol/DeviceList";
import { EnrolOther } from "@/features/enrol/EnrolOther";
import { Identify } from "@/features/identify/Identify";
import { Settings } from "@/features/settings/Settings";
import { setClaim } from "@/features/sign-in/claim";
import { useRecentPeople } from "@/features/sign-in/useRecentPeople";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { signOut } from "@/session/signIn";
import { useIdleExit } from "@/session/watch";
import { Button } from "@/ui/Button";
import { TopBar } from "@/ui/TopBar";
import { ExitIcon, SpoolIcon } from "@/ui/icons";
import styles from "./DevicesPage.module.css";
import { Identity } from "./Identity";

export function DevicesPage() {
  const t = useWords();
  useIdleExit();
  const worker = useWorker();
  const recent = useRecentPeople(true);
  const mayEnrol = worker?.roles.includes("Administrador");
  return (
    <>
      <TopBar
        end={
          <>
            <Settings />
            {worker && <Button tone="quiet" onClick={signOut} icon={<ExitIcon />} aria-label={t("app.exit")} />}
          </>
        }
      >
        <Link to="/" className={styles.home} aria-label={t("app.home")}>
          <SpoolIcon size={36} />
        </Link>
        <p className={styles.who}>{worker?.label ?? t("app.name")}</p>
      </TopBar>
      <main className={styles.page}>
        {mayEnrol ? (
          <>
            <h1 className={styles.title}>{t("enrol.devices")}</h1>
            <EnrolOther />
            <DeviceList />
          </>
        ) : (
          <Identify rol="Administrador" onChosen={(chosen) => setClaim({ worker: chosen })} recent={recent} />
        )}
      </main>
      <Identity onSignedIn={() => undefined} />
    </>
  );
}
