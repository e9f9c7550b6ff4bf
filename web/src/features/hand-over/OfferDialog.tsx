// The dialog in which a holder hands a spool over: first the joints that are done (v4.0), then to whom. One tap on a name offers it.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import { listAvailableJoints } from "@/api/disponibles";
import type { OfferBody } from "@/api/relevos";
import type { Worker, Workflow } from "@/api/types";
import { listWorkers } from "@/api/workers";
import { useWords } from "@/i18n";
import { recentWorkerIds } from "@/session/session";
import { arrangeWorkers, findWorkers, fullName } from "@/shop/findWorkers";
import { operationsOf } from "@/shop/operations";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Loading } from "@/ui/Loading";
import { Outcome } from "@/ui/Outcome";
import { SearchField } from "@/ui/SearchField";
import { Toggles } from "@/ui/Toggles";
import { notifyPerson } from "@/ui/notices";
import styles from "./HandOver.module.css";
import { useRelevoCalls } from "./useRelevos";

export interface OfferedSpool {
  tag_spool: string;
  operacion: OfferBody["operacion"];
  version_workflow: Workflow;
}

export interface OfferDialogProps {
  spool: OfferedSpool;
  worker: Worker;
  /** Also after the spool was offered. */
  onClose: () => void;
}

export function OfferDialog({ spool, worker, onClose }: OfferDialogProps) {
  const t = useWords();
  const { busy, offer } = useRelevoCalls(worker);
  const [problem, setProblem] = useState<string | null>(null);
  const [done, setDone] = useState<string[]>([]);
  const byJoint = spool.version_workflow === "v4.0" && spool.operacion !== "REPARACION";

  async function give(receptor_id?: number): Promise<void> {
    const result = await offer({
      tag_spool: spool.tag_spool,
      operacion: spool.operacion,
      worker_id: worker.id,
      selected_unions: done.map(Number).sort((a, b) => a - b),
      ...(receptor_id !== undefined && { receptor_id }),
    });
    setProblem(result.done ? null : result.text);
    if (!result.done) return;
    notifyPerson(worker.id, "good", result.text);
    onClose();
  }
  return (
    <Dialog
      title={t("relevo.title", { tag: spool.tag_spool })}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone="signal" size="large" disabled={busy} onClick={() => void give()}>
            {t("relevo.to_anybody")}
          </Button>
        </>
      }
    >
      <div className={styles.offer}>
        {/* It gets the focus: no keyboard opens, and a reader's Enter offers nothing. */}
        <p tabIndex={-1}>{t("relevo.lead")}</p>
        {problem !== null && <Outcome tone="bad" text={problem} />}
        {byJoint && <JointsDone spool={spool} done={done} busy={busy} onChange={setDone} />}
        <Receivers spool={spool} worker={worker} busy={busy} onChosen={(receiver) => void give(receiver.id)} />
      </div>
    </Dialog>
  );
}

interface JointsDoneProps {
  spool: OfferedSpool;
  done: string[];
  busy: boolean;
  onChange: (done: string[]) => void;
}

/** They are registered as the giver's before anything changes hands. */
function JointsDone({ spool, done, busy, onChange }: JointsDoneProps) {
  const t = useWords();
  const operacion = spool.operacion === "SOLD" ? "SOLD" : "ARM";
  const { data } = useQuery({
    queryKey: ["available", spool.tag_spool, operacion, "hand-over"],
    queryFn: ({ signal }) => listAvailableJoints(spool.tag_spool, operacion, signal),
    staleTime: 0,
  });
  if (!data) return <Loading label={t("app.loading")} />;
  const options = data.map((n) => ({ value: String(n), label: String(n) }));
  return (
    <Toggles label={t("relevo.joints")} hint={t("relevo.joints_why")} values={done} options={options} disabled={busy} onChange={onChange} />
  );
}

interface ReceiversProps {
  spool: OfferedSpool;
  worker: Worker;
  busy: boolean;
  onChosen: (receiver: Worker) => void;
}

function Receivers({ spool, worker, busy, onChosen }: ReceiversProps) {
  const t = useWords();
  const [typed, setTyped] = useState("");
  const { data } = useQuery({ queryKey: ["workers"], queryFn: ({ signal }) => listWorkers(signal) });
  const people = useMemo(() => {
    const qualified = (data ?? []).filter(({ id, roles }) => id !== worker.id && operationsOf(roles).includes(spool.operacion));
    const { recent, all } = arrangeWorkers(qualified, recentWorkerIds());
    return [...recent, ...all.filter((person) => !recent.includes(person))];
  }, [data, worker.id, spool.operacion]);
  const found = findWorkers(people, typed);
  return (
    <section aria-label={t("relevo.to")}>
      <h3 className={styles.subtitle}>{t("relevo.to")}</h3>
      <SearchField label={t("identify.search")} value={typed} onChange={setTyped} />
      {data && found.length === 0 && <p className={styles.nobody}>{t("relevo.nobody")}</p>}
      <ul className={styles.people}>
        {found.map((person) => (
          <li key={person.id}>
            <Button wide className={styles.person} disabled={busy} onClick={() => onChosen(person)} data-receiver={person.id}>
              <span className={styles.number}>{person.id}</span>
              {fullName(person)}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
