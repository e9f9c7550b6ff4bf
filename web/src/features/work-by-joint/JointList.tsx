// The joints of a spool that this worker cannot tick now: a plain list, nothing that looks like a button.
import type { Joint } from "@/api/types";
import { useWords } from "@/i18n";
import { inches } from "@/shop/progress";
import { classes } from "@/ui/classes";
import styles from "./JointList.module.css";
import { listedState, type JointState } from "./joints";

export interface JointListProps {
  joints: readonly Joint[];
  operacion: "ARM" | "SOLD";
  available: ReadonlySet<number> | undefined;
}

export function JointList({ joints, operacion, available }: JointListProps) {
  const t = useWords();
  const told: Record<JointState, string> = {
    open: t(`joints.to_do.${operacion}`),
    done: operacion === "ARM" ? t("joints.armed") : t("joints.welded"),
    not_armed: t("joints.not_armed"),
    arm_only: t("joints.arm_only"),
  };
  return (
    <ul className={styles.joints} aria-label={t("joints.list")}>
      {joints.map((joint) => {
        const state = listedState(joint, operacion, available);
        return (
          <li key={joint.n_union} className={styles.joint} data-joint={joint.n_union} data-state={state}>
            <span className={styles.number}>{joint.n_union}</span>
            <span className={styles.inches}>{joint.dn_union === null ? "–" : `${inches(joint.dn_union)}″`}</span>
            <span>{joint.tipo_union ?? t("joints.unknown")}</span>
            <span className={classes(styles.state, state === "done" && styles.done)}>{told[state]}</span>
          </li>
        );
      })}
    </ul>
  );
}
