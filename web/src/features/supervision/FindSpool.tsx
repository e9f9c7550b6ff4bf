// Finds any spool, shows its card and history, and lets the supervisor correct it.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useDebounced } from "@/shop/useDebounced";
import { Badge } from "@/ui/Badge";
import { Card } from "@/ui/Card";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { SearchField } from "@/ui/SearchField";
import { useFoundSpools } from "./reads";
import { SpoolPanel, type AboutSpool } from "./SpoolPanel";
import styles from "./FindSpool.module.css";

const DEBOUNCE_MS = 150;

export interface FindSpoolProps {
  supervisor: Worker;
  tag: string | undefined;
  aboutSpool: AboutSpool | undefined;
}

export function FindSpool({ supervisor, tag, aboutSpool }: FindSpoolProps) {
  const t = useWords();
  const [typed, setTyped] = useState("");
  const q = useDebounced(typed.trim(), DEBOUNCE_MS);
  const searching = q !== "" || tag === undefined;
  return (
    <div className={styles.find}>
      <SearchField label={t("list.search")} value={typed} onChange={setTyped} />
      {searching ? <Results q={q} /> : <SpoolPanel tag={tag} supervisor={supervisor} about={aboutSpool} />}
    </div>
  );
}

function Results({ q }: { q: string }) {
  const t = useWords();
  const readError = useReadErrorText();
  const navigate = useNavigate();
  const results = useFoundSpools(q);
  const open = (tag: string): void => void navigate({ to: "/supervision", search: { ver: "spool", spool: tag } });
  if (results.isPending) return <Loading label={t("app.loading")} />;
  if (!results.data) return <EmptyState text={readError} />;
  if (results.data.spools.length === 0) return <EmptyState text={t("list.none_found", { q })} />;
  return (
    <Card as="section" aria-label={t("supervision.found")}>
      <p className={styles.count}>{t("supervision.count", { count: results.data.total })}</p>
      <ul>
        {results.data.spools.map((spool) => (
          <li key={spool.tag_spool}>
            <button type="button" className={styles.result} onClick={() => open(spool.tag_spool)}>
              <strong className={styles.tag}>{spool.tag_spool}</strong>
              <Badge>{spool.version_workflow}</Badge>
              <span className={styles.state}>{spool.estado_detalle}</span>
            </button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
