// The joints of a spool for a worker who cannot tick them now: a plain list without buttons.
import type { Joint } from "@/api/types";
import { useWords } from "@/i18n";
import { inches } from "@/shop/progress";
import { classes } from "@/ui/classes";
import styles from "./JointList.module.css";
import { listedJointState, type JointState } from "./joints";

export interface JointListProps {
  joints: readonly Joint[];
  operacion: "ARM" | "SOLD";
  available: ReadonlySet<number> | undefined;
  /** Whether the spool has examinations, so that each joint says how its own stand. */
  examined: boolean;
}

export function JointList({ joints, operacion, available, examined }: JointListProps) {
  const t = useWords();
  const stateTexts: Record<JointState, string> = {
    open: t(`joints.to_do.${operacion}`),
    done: operacion === "ARM" ? t("joints.armed") : t("joints.welded"),
    not_armed: t("joints.not_armed"),
    arm_only: t("joints.arm_only"),
  };
  return (
    <ul className={styles.joints} aria-label={t("joints.list")}>
      {joints.map((joint) => {
        const state = listedJointState(joint, operacion, available);
        return (
          <li key={joint.n_union} className={styles.joint} data-joint={joint.n_union} data-state={state}>
            <span className={styles.number}>{joint.n_union}</span>
            <span className={styles.inches}>{joint.dn_union === null ? "–" : `${inches(joint.dn_union)}″`}</span>
            <span>{joint.tipo_union ?? t("joints.unknown")}</span>
            {examined && joint.ndt_status !== null && (
              <span>
                {joint.ndt_union}: {joint.ndt_status}
              </span>
            )}
            <span className={classes(styles.state, state === "done" && styles.done)}>{stateTexts[state]}</span>
          </li>
        );
      })}
    </ul>
  );
}
