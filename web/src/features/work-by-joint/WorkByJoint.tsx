// The work on a spool joint by joint (v4.0): INICIAR with one tap; FINALIZAR with the ticked joints.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { listAvailableJoints } from "@/api/disponibles";
import type { Joint, SpoolCard } from "@/api/types";
import { useWords } from "@/i18n";
import { useListPollInterval } from "@/shop/pollInterval";
import { inches } from "@/shop/progress";
import { ActionBar } from "@/ui/ActionBar";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { CheckIcon, HandIcon } from "@/ui/icons";
import { JointList } from "./JointList";
import { JointRow } from "./JointRow";
import { WeldDialog } from "./WeldDialog";
import styles from "./WorkByJoint.module.css";
import { inchesOf, jointState, stillOpen } from "./joints";
import { weldsToConfirm, type Weld } from "./welds";

export interface WorkByJointProps {
  card: SpoolCard;
  operacion: "ARM" | "SOLD";
  /** What this worker may do with the spool now. */
  may: "take" | "end" | null;
  busy: boolean;
  /** The joints that could be ticked, by what the tablet knows: until the server has said it, and where it cannot be asked. */
  open: ReadonlySet<number>;
  asksServer: boolean;
  onStart: () => void;
  onFinish: (unions: number[], welds?: Weld[]) => void;
}

export function WorkByJoint({ may, ...props }: WorkByJointProps) {
  const available = useAvailable(props);
  if (may !== "end") return <ListedJoints {...props} mayStart={may === "take"} available={available} />;
  return <TickableJoints {...props} available={available} />;
}

interface ListedJointsProps extends Omit<WorkByJointProps, "may"> {
  mayStart: boolean;
  available: ReadonlySet<number>;
}

/** Before INICIAR, or while another worker holds the spool. */
function ListedJoints({ card, operacion, mayStart, available, busy, onStart }: ListedJointsProps) {
  const t = useWords();
  return (
    <>
      {mayStart && <p className={styles.hint}>{t("joints.before_start", { action: t("action.INICIAR") })}</p>}
      <JointList joints={card.uniones} operacion={operacion} available={available} examined={card.ndt !== ""} />
      {mayStart && (
        <ActionBar>
          <Button tone="signal" size="large" wide disabled={busy} icon={<HandIcon size={36} />} onClick={onStart}>
            {t("action.INICIAR")}
          </Button>
        </ActionBar>
      )}
    </>
  );
}

interface TickableJointsProps extends Omit<WorkByJointProps, "may"> {
  available: ReadonlySet<number>;
}

/** While this worker holds the spool. */
function TickableJoints({ card, operacion, available, busy, onFinish }: TickableJointsProps) {
  const t = useWords();
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const chosen = stillOpen(ticked, available);
  const toggle = (n: number): void => setTicked(toggled(chosen, n));
  const allChosen = chosen.size === available.size && available.size > 0;
  return (
    <>
      <ul className={styles.rows} aria-label={t("joints.title")}>
        {card.uniones.map((joint) => (
          <li key={joint.n_union}>
            <JointRow
              joint={joint}
              operacion={operacion}
              state={jointState(joint, operacion, available)}
              ticked={chosen.has(joint.n_union)}
              enabled={!busy}
              onToggle={toggle}
            />
          </li>
        ))}
      </ul>
      <ActionBar className={styles.foot}>
        <p className={styles.counter} aria-live="polite">
          {t("joints.counter", {
            selected: chosen.size,
            total: available.size,
            inches: inches(inchesOf(card.uniones, chosen)),
          })}
        </p>
        <Button
          size="large"
          disabled={busy || available.size === 0}
          onClick={() => setTicked(allChosen ? new Set() : available)}
        >
          {allChosen ? t("joints.none") : t("joints.all")}
        </Button>
        <Finish
          tag={card.tag_spool}
          chosen={chosen}
          welds={weldsToConfirm(card.uniones, chosen, operacion)}
          busy={busy}
          onFinish={onFinish}
        />
      </ActionBar>
    </>
  );
}

interface FinishProps {
  tag: string;
  chosen: ReadonlySet<number>;
  /** The ticked joints whose procedure and heats the welder confirms; none: nothing is asked. */
  welds: readonly Joint[];
  busy: boolean;
  onFinish: (unions: number[], welds?: Weld[]) => void;
}

/** Without a tick FINALIZAR only releases the spool, so the worker has to confirm it. */
function Finish({ tag, chosen, welds, busy, onFinish }: FinishProps) {
  const t = useWords();
  const [asking, setAsking] = useState<"release" | "welds" | null>(null);
  const finish = (typed?: Weld[]): void => {
    setAsking(null);
    onFinish([...chosen].sort((a, b) => a - b), typed);
  };
  const tap = (): void => {
    if (chosen.size === 0) setAsking("release");
    else if (welds.length > 0) setAsking("welds");
    else finish();
  };
  return (
    <>
      <Button
        tone="signal"
        size="large"
        disabled={busy}
        icon={<CheckIcon size={32} />}
        onClick={tap}
      >
        {t("action.FINALIZAR")}
      </Button>
      {asking === "welds" && <WeldDialog joints={welds} busy={busy} onClose={() => setAsking(null)} onConfirm={finish} />}
      {asking === "release" && (
        <Dialog
          title={t("joints.release")}
          onClose={() => setAsking(null)}
          actions={
            <>
              <Button size="large" onClick={() => setAsking(null)}>
                {t("app.cancel")}
              </Button>
              <Button tone="signal" size="large" onClick={() => finish()}>
                {t("joints.release_yes")}
              </Button>
            </>
          }
        >
          {t("joints.release_why", { tag })}
        </Dialog>
      )}
    </>
  );
}

/** Read again whenever the spool changes: its version token is part of the query's key. */
function useAvailable({ card, operacion, open, asksServer }: Omit<WorkByJointProps, "may">): ReadonlySet<number> {
  const { data } = useQuery({
    queryKey: ["available", card.tag_spool, operacion, card.version],
    queryFn: ({ signal }) => listAvailableJoints(card.tag_spool, operacion, signal),
    select: (numbers) => new Set(numbers),
    placeholderData: (before) => before,
    refetchInterval: useListPollInterval(),
    enabled: asksServer,
  });
  return asksServer && data ? data : open;
}

function toggled(chosen: ReadonlySet<number>, n: number): Set<number> {
  const changed = new Set(chosen);
  if (!changed.delete(n)) changed.add(n);
  return changed;
}
