// What a row shows of a spool besides its tag: workflow, progress, rejections, holder.
import type { Operacion, Spool } from "@/api/types";
import { useWords } from "@/i18n";
import { Badge } from "@/ui/Badge";
import { Meter } from "@/ui/Meter";
import { OverdueBadge } from "./OverdueBadge";
import { progressOf } from "./progress";
import styles from "./SpoolFacts.module.css";

export function VersionBadge({ spool }: { spool: Pick<Spool, "version_workflow"> }) {
  return <Badge tone={spool.version_workflow === "v4.0" ? "solid" : "plain"}>{spool.version_workflow}</Badge>;
}

export function ProgressFact({ spool, operacion }: { spool: Spool; operacion: Operacion }) {
  const t = useWords();
  const progress = progressOf(spool, operacion);
  if (progress?.kind === "joints") {
    const { done, total } = progress;
    return <Meter done={done} total={total} text={t("list.joints", { done, total })} />;
  }
  if (progress) return <span>{t(`state.${progress.estado}`)}</span>;
  return spool.ciclo > 0 ? <Badge tone="warn">{t("list.cycle", { n: spool.ciclo })}</Badge> : null;
}

/** One line under the tag. A spool that the worker holds for another operation shows that operation. */
export function SpoolFacts({ spool, operacion, mine }: { spool: Spool; operacion: Operacion; mine: boolean }) {
  const t = useWords();
  const held = mine ? spool.operacion_actual : null;
  const shown = held ?? operacion;
  return (
    <span className={styles.facts}>
      <VersionBadge spool={spool} />
      {held && held !== operacion && <Badge tone="signal">{t(`operation.${held}`)}</Badge>}
      <ProgressFact spool={spool} operacion={shown} />
      {!mine && spool.ocupado_por && <Badge tone="warn">{t("list.held_by", { label: spool.ocupado_por })}</Badge>}
      {spool.atraso && <OverdueBadge atraso={spool.atraso} />}
      {spool.ot && <span className={styles.order}>{spool.ot}</span>}
    </span>
  );
}
