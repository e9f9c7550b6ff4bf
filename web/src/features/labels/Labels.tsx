// The label page: which labels, on which paper, how the first sheet looks; then print or save, and say whether they came out well.
import { useState } from "react";

import type { LabelsAnswer } from "@/api/etiquetas";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useDebounced } from "@/shop/useDebounced";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { SectionPage } from "@/ui/SectionPage";
import { BadgeCards } from "./BadgeCards";
import styles from "./Labels.module.css";
import { FIRST_PAPER, orderOf, tagsIn, type Paper } from "./order";
import { PaperChoice } from "./PaperChoice";
import { Preview } from "./Preview";
import { useLabels } from "./reads";
import { SpoolChoice, type Chosen } from "./SpoolChoice";

/** The server draws a preview once nobody has typed for this long. */
const TYPED_MS = 400;

/** `badges`: whoever is here may see the badges of people. */
export function Labels({ badges }: { badges: boolean }) {
  const t = useWords();
  const readError = useReadErrorText();
  const [chosen, setChosen] = useState<Chosen>({ way: "not_printed", ot: "", list: "" });
  const [paper, setPaper] = useState<Paper>(FIRST_PAPER);
  const read = useLabels({ ot: chosen.way === "ot" ? chosen.ot : "", notPrinted: chosen.way === "not_printed" });
  const listed = useDebounced(chosen.list, TYPED_MS);
  const settledPaper = useDebounced(JSON.stringify(paper), TYPED_MS);
  const order = orderOf(tagsOf({ ...chosen, list: listed }, read.data), JSON.parse(settledPaper) as Paper);
  return (
    <SectionPage title={t("labels.title")} intro={t("labels.intro")}>
      {read.isError && <EmptyState text={readError} />}
      {!read.data && !read.isError && <Loading label={t("app.loading")} />}
      <div className={styles.columns}>
        <div className={styles.column}>
          <SpoolChoice chosen={chosen} onChange={setChosen} labels={chosen.way === "ot" && chosen.ot === "" ? withoutRows(read.data) : read.data} />
          <PaperChoice paper={paper} onChange={setPaper} />
        </div>
        <div className={styles.column}>
          <Preview order={order} />
          {badges && <BadgeCards />}
        </div>
      </div>
    </SectionPage>
  );
}

function tagsOf({ way, ot, list }: Chosen, labels: LabelsAnswer | undefined): string[] {
  if (way === "list") return tagsIn(list);
  if (way === "ot" && ot === "") return [];
  return labels?.etiquetas.map(({ tag_spool }) => tag_spool) ?? [];
}

/** While no work order is chosen, there is nothing to show but the work orders. */
const withoutRows = (labels: LabelsAnswer | undefined): LabelsAnswer | undefined => labels && { ...labels, etiquetas: [], total: 0 };
