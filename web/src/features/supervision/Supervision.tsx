// The supervisor's page: what is stuck now, any spool's history, and the figures. Only for those who supervise.
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useFreshReads } from "@/shop/fresh";
import { useIdleExit, useWorker } from "@/session/session";
import { classes } from "@/ui/classes";
import { VIEWS, type View } from "./address";
import { Bar } from "./Bar";
import { Find } from "./Find";
import { Now } from "./Now";
import { Production } from "./Production";
import { SCOPE, useStages } from "./reads";
import styles from "./Supervision.module.css";

export interface SupervisionProps {
  /** Choosing which supervisor is here. */
  identify: ReactNode;
  /** The way to language and theme. */
  settings: ReactNode;
  /** What was tapped and nobody answered. */
  unsent?: ReactNode;
  /** Further cards about the state of the house, under what is stuck now. */
  status?: ReactNode;
}

export function Supervision({ identify, settings, unsent, status }: SupervisionProps) {
  useIdleExit();
  const here = useWorker();
  const supervisor = here?.roles.includes("Supervisor") ? here : null;
  return (
    <div className={styles.page}>
      <div>
        <Bar supervisor={supervisor} settings={settings} />
        {unsent}
      </div>
      <main className={styles.main}>
        {supervisor ? <Desk supervisor={supervisor} status={status} /> : identify}
      </main>
    </div>
  );
}

function Desk({ supervisor, status }: { supervisor: Worker; status: ReactNode }) {
  const t = useWords();
  const { ver = "ahora", spool } = useSearch({ from: "/supervision" });
  useFreshReads(SCOPE);
  useStages();
  return (
    <>
      <h1 className="only-heard">{t("supervision.title")}</h1>
      <Tabs ver={ver} />
      {ver === "ahora" && <Now supervisor={supervisor} status={status} />}
      {ver === "spool" && <Find key={spool} supervisor={supervisor} tag={spool} />}
      {ver === "produccion" && <Production />}
    </>
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
