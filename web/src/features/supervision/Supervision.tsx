// What a supervisor sees: what is stuck now, any spool's history, the figures, and the times of the stages.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useRefreshOnEvents } from "@/shop/refresher";
import { classes } from "@/ui/classes";
import { VIEWS, type View } from "./address";
import { FindSpool } from "./FindSpool";
import { LeftSpool } from "./LeftSpool";
import { Now } from "./Now";
import { Production } from "./Production";
import type { AboutSpool } from "./SpoolPanel";
import { SCOPE, useStages } from "./reads";
import { StageTimes } from "./StageTimes";
import styles from "./Supervision.module.css";

export interface SupervisionProps {
  supervisor: Worker;
  /** More cards for the tab "Ahora". */
  status: ReactNode;
  /** More about the spool that is shown, below its card. */
  aboutSpool: AboutSpool;
}

export function Supervision({ supervisor, status, aboutSpool }: SupervisionProps) {
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
