// The joints of the spool: which have a place on the drawing, and which one the next tap places.
import type { JointMark } from "@/api/planos";
import { useWords } from "@/i18n";
import { Button } from "@/ui/Button";
import { classes } from "@/ui/classes";
import { CheckIcon, CrossIcon } from "@/ui/icons";
import styles from "./Drawing.module.css";

interface JointListProps {
  joints: readonly number[];
  marks: readonly JointMark[];
  current: number | null;
  onChoose: (n: number) => void;
  onCentre: (n: number) => void;
  onRemove: (n: number) => void;
}

export function JointList({ joints, marks, current, onChoose, onCentre, onRemove }: JointListProps) {
  const t = useWords();
  const isPlaced = (n: number): boolean => marks.some((mark) => mark.n_union === n);
  if (joints.length === 0) return <p className={styles.what}>{t("drawing.no_joints")}</p>;
  return (
    <>
      <ul className={styles.joints} aria-label={t("drawing.joints")}>
        {joints.map((n) => (
          <li key={n}>
            <button
              type="button"
              className={classes(styles.joint, isPlaced(n) && styles.placed, n === current && styles.current)}
              aria-pressed={n === current}
              aria-label={isPlaced(n) ? `${t("drawing.joint", { n })}, ${t("drawing.placed")}` : t("drawing.joint", { n })}
              onClick={() => onChoose(n)}
            >
              {n}
              {isPlaced(n) && <CheckIcon size={18} />}
            </button>
          </li>
        ))}
      </ul>
      <div className={styles.now}>
        <p className={styles.what} role="status">
          {current === null ? t("drawing.all_placed") : isPlaced(current) ? t("drawing.move", { n: current }) : t("drawing.next", { n: current })}
        </p>
        {current !== null && !isPlaced(current) && <Button onClick={() => onCentre(current)}>{t("drawing.centre")}</Button>}
        {current !== null && isPlaced(current) && (
          <Button icon={<CrossIcon />} onClick={() => onRemove(current)}>
            {t("drawing.remove", { n: current })}
          </Button>
        )}
      </div>
    </>
  );
}
