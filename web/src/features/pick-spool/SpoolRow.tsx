// One spool of a list: a row to tap, or to tick while several spools are being chosen.
import type { Operacion, Spool } from "@/api/types";
import { useWords } from "@/i18n";
import { SpoolFacts } from "@/shop/SpoolFacts";
import type { Tap } from "@/taps/tap";
import { Badge } from "@/ui/Badge";
import { classes } from "@/ui/classes";
import { CheckIcon, NextIcon } from "@/ui/icons";
import styles from "./SpoolRow.module.css";

export interface SpoolRowProps {
  spool: Spool;
  operacion: Operacion;
  mine: boolean;
  open: boolean;
  tap: Tap | undefined;
  /** Set while several spools are being chosen. */
  choosing?: { chosen: boolean; possible: boolean } | undefined;
  onTap: (spool: Spool) => void;
}

/** What is only on this tablet looks different from what may have arrived. */
function TapBadge({ tap }: { tap: Tap }) {
  const t = useWords();
  if (tap.sent === false) return <Badge tone="signal">{t("provisional.badge")}</Badge>;
  return <Badge tone={tap.state === "unsent" ? "bad" : "plain"}>{t(`list.${tap.state}`)}</Badge>;
}

export function SpoolRow({ spool, operacion, mine, open, tap, choosing, onTap }: SpoolRowProps) {
  const t = useWords();
  const heldByAnother = !mine && spool.ocupado_por !== null;
  const pressed = choosing ? { "aria-pressed": choosing.chosen } : { "aria-current": open ? ("true" as const) : undefined };
  return (
    <button
      type="button"
      className={classes(styles.row, mine && styles.mine, heldByAnother && styles.away, open && styles.open)}
      data-tag={spool.tag_spool}
      disabled={choosing !== undefined && !choosing.possible}
      onClick={() => onTap(spool)}
      {...pressed}
    >
      {choosing && (
        <span className={classes(styles.tick, choosing.chosen && styles.ticked)} aria-hidden="true">
          {choosing.chosen && <CheckIcon />}
        </span>
      )}
      <span className={styles.text}>
        <span className={styles.tag}>{spool.tag_spool}</span>
        <SpoolFacts spool={spool} operacion={operacion} mine={mine} />
        {choosing && !choosing.possible && mine && spool.version_workflow === "v4.0" && operacion !== "REPARACION" && (
          <span className={styles.why}>{t("batch.by_joint")}</span>
        )}
      </span>
      {!choosing && !tap && <NextIcon className={styles.next} />}
      {tap && <TapBadge tap={tap} />}
    </button>
  );
}
