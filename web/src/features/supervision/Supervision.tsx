// The supervisor's page: what is stuck now, any spool's history, the figures, and the times of the stages. Only for workers with the role Supervisor.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useWorker } from "@/session/session";
import { useIdleExit } from "@/session/watch";
import { useRefreshOnEvents } from "@/shop/refresher";
import { classes } from "@/ui/classes";
import { VIEWS, type View } from "./address";
import { Bar } from "./Bar";
import { FindSpool } from "./FindSpool";
import { LeftSpool } from "./LeftSpool";
import { Now } from "./Now";
import { Production } from "./Production";
import type { AboutSpool } from "./SpoolPanel";
import { SCOPE, useStages } from "./reads";
import { StageTimes } from "./StageTimes";
import styles from "./Supervision.module.css";

export interface SupervisionProps {
  /** The choice of the supervisor. */
  identify: ReactNode;
  /** The button for language and theme. */
  settings: ReactNode;
  /** The taps without an answer. */
  unsent?: ReactNode;
  /** More cards for the tab "Ahora". */
  status?: ReactNode;
  /** More about the spool that is shown, below its card. */
  aboutSpool?: AboutSpool;
}

export function Supervision({ identify, settings, unsent, status, aboutSpool }: SupervisionProps) {
  useIdleExit();
  const worker = useWorker();
  const supervisor = worker?.roles.includes("Supervisor") ? worker : null;
  return (
    <div className={styles.page}>
      <div>
        <Bar worker={worker} settings={settings} />
        {unsent}
      </div>
      <main className={styles.main}>
        {supervisor ? <Content supervisor={supervisor} status={status} aboutSpool={aboutSpool} /> : identify}
      </main>
    </div>
  );
}

interface ContentProps {
  supervisor: Worker;
  status: ReactNode;
  aboutSpool: AboutSpool | undefined;
}

function Content({ supervisor, status, aboutSpool }: ContentProps) {
  const t = useWords();
  const { ver = "ahora", spool } = useSearch({ from: "/office/supervision" });
  const [left, setLeft] = useState(spool); // which spool was open last
  if (spool !== undefined && spool !== left) setLeft(spool);
  useRefreshOnEvents(SCOPE);
  useStages();
  return (
    <LeftSpool value={left}>
      <h1 className="visually-hidden">{t("supervision.title")}</h1>
      <Tabs ver={ver} />
      {ver === "ahora" && <Now supervisor={supervisor} status={status} />}
      {ver === "spool" && <FindSpool key={spool} supervisor={supervisor} tag={spool} aboutSpool={aboutSpool} />}
      {ver === "produccion" && <Production />}
      {ver === "etapas" && <StageTimes />}
    </LeftSpool>
  );
}

function Tabs({ ver }: { ver: View }) {
  const t = useWords();
  const navigate = useNavigate();
  const show = (view: View): void => void navigate({ to: "/supervision", search: { ver: view } });
  return (
    <nav className={styles.tabs} aria-label={t("supervision.title")}>
      {VIEWS.map((view) => (
        <button
          key={view}
          type="button"
          className={classes(styles.tab, view === ver && styles.here)}
          aria-current={view === ver ? "page" : undefined}
          onClick={() => show(view)}
        >
          {t(`supervision.${view}`)}
        </button>
      ))}
    </nav>
  );
}
