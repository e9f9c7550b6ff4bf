// One joint as a large row: number, inches, type. A tap anywhere on the row ticks it.
import type { Joint } from "@/api/types";
import { useWords } from "@/i18n";
import { inches } from "@/shop/progress";
import { classes } from "@/ui/classes";
import { CheckIcon } from "@/ui/icons";
import styles from "./JointRow.module.css";
import type { JointState } from "./joints";

export interface JointRowProps {
  joint: Joint;
  operacion: "ARM" | "SOLD";
  state: JointState;
  ticked: boolean;
  enabled: boolean;
  onToggle: (n: number) => void;
}

export function JointRow({ joint, operacion, state, ticked, enabled, onToggle }: JointRowProps) {
  const t = useWords();
  const size = joint.dn_union === null ? t("joints.unknown") : inches(joint.dn_union);
  const type = joint.tipo_union ?? t("joints.unknown");
  const done = operacion === "ARM" ? t("joints.armed") : t("joints.welded");
  const remarks = { open: joint.datos_incompletos, done, not_armed: t("joints.not_armed"), arm_only: t("joints.arm_only") };
  return (
    <label
      className={classes(styles.row, styles[state], ticked && styles.ticked, state === "open" && !enabled && styles.shown)}
      data-target
      data-joint={joint.n_union}
      data-state={state}
    >
      <input
        type="checkbox"
        className={styles.input}
        checked={ticked || state === "done"}
        disabled={state !== "open" || !enabled}
        onChange={() => onToggle(joint.n_union)}
        aria-label={[t("joints.row", { n: joint.n_union, inches: size, type }), remarks[state]].filter(Boolean).join(", ")}
      />
      <span className={styles.box} aria-hidden="true">
        {(ticked || state === "done") && <CheckIcon size={30} strokeWidth={4} />}
      </span>
      <span className={styles.number}>{joint.n_union}</span>
      <span className={styles.inches}>{joint.dn_union === null ? "–" : `${size}″`}</span>
      <span className={styles.type}>{type}</span>
      {remarks[state] && <span className={styles.why}>{remarks[state]}</span>}
    </label>
  );
}
