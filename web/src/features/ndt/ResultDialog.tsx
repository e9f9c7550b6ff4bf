// The result of one examination: approved, or rejected with its defects; the report's number, the day, photos.
import { useState } from "react";

import { uploadPhoto } from "@/api/fotos";
import { DEFECTS_MAX, PHOTOS_MAX, REPORT_CHARS_MAX, resultadoNdt, type Exam, type ResultBody } from "@/api/ndt";
import type { Worker } from "@/api/types";
import { useWords, words } from "@/i18n";
import { dayOf, useShopMinute } from "@/shop/clock";
import { PhotoInput } from "@/shop/PhotoInput";
import { smallPhoto, type PictureProblem, type SmallPhoto } from "@/shop/picture";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Choice } from "@/ui/Choice";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { Toggles } from "@/ui/Toggles";
import styles from "./Ndt.module.css";
import { useNdt } from "./useNdt";

type Verdict = ResultBody["resultado"];

export interface ResultDialogProps {
  exam: Exam;
  what: string;
  worker: Worker;
  codes: readonly string[];
  onClose: () => void;
}

export function ResultDialog({ exam, what, worker, codes, onClose }: ResultDialogProps) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  const { send, sending, refusal } = useNdt(worker, onClose);
  const [verdict, setVerdict] = useState<Verdict>("APROBADO");
  const [informe, setInforme] = useState("");
  const [fecha, setFecha] = useState("");
  const [defectos, setDefectos] = useState<string[]>([]);
  const photos = usePhotos();
  const rejected = verdict === "RECHAZADO";
  const ready = informe.trim() !== "" && (!rejected || defectos.length > 0) && !sending && !photos.busy;

  async function save(): Promise<void> {
    const fotos = await photos.ids();
    if (fotos === null) return;
    const base = { tag_spool: exam.tag_spool, worker_id: worker.id, examen: exam.id, resultado: verdict, informe: informe.trim() };
    send(resultadoNdt, { ...base, fotos, defectos: rejected ? defectos : [], ...(fecha !== "" && { fecha }) });
  }

  return (
    <Dialog
      title={t("ndt.result_of", { metodo: exam.metodo, what, tag: exam.tag_spool })}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.cancel")}
          </Button>
          <Button tone={rejected ? "bad" : "good"} size="large" disabled={!ready} onClick={() => void save()}>
            {t("ndt.save")}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Choice
          label={t("ndt.verdict")}
          value={verdict}
          options={[
            { value: "APROBADO", label: t("ndt.status.APROBADO") },
            { value: "RECHAZADO", label: t("ndt.status.RECHAZADO") },
          ]}
          onChange={setVerdict}
        />
        <Field label={t("ndt.report")} value={informe} maxLength={REPORT_CHARS_MAX} autoComplete="off" onChange={(event) => setInforme(event.target.value)} />
        <Field label={t("ndt.day")} type="date" value={fecha || today} max={today} onChange={(event) => setFecha(event.target.value)} />
        {rejected && (
          <Toggles
            label={t("ndt.defects")}
            hint={t("ndt.defects_hint")}
            values={defectos}
            options={codes.map((value) => ({ value, label: value }))}
            onChange={(chosen) => setDefectos(chosen.slice(0, DEFECTS_MAX))}
          />
        )}
        <PhotoInput photos={photos.taken} disabled={photos.busy || photos.taken.length >= PHOTOS_MAX} onFile={photos.add} onRemove={photos.remove} />
        {(refusal ?? photos.problem) !== null && <Callout tone="bad">{refusal ?? photos.problem}</Callout>}
      </div>
    </Dialog>
  );
}

/** Photos are uploaded when the result is saved: an examiner stands where there is a connection. */
function usePhotos() {
  const [taken, setTaken] = useState<readonly SmallPhoto[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);

  async function add(file: File): Promise<void> {
    setBusy(true);
    setProblem(null);
    const made = await smallPhoto(file).catch((): PictureProblem => "unreadable");
    setBusy(false);
    if (typeof made === "string") setProblem(words(`notes.bad_file.${made}`));
    else setTaken((now) => [...now.filter(({ id }) => id === null || id !== made.id), made].slice(0, PHOTOS_MAX));
  }

  /** Null when they could not be uploaded. */
  async function ids(): Promise<string[] | null> {
    setBusy(true);
    setProblem(null);
    try {
      return await Promise.all(taken.map(async ({ bytes }) => (await uploadPhoto(bytes)).id));
    } catch {
      setProblem(words("notes.no_photo_now"));
      return null;
    } finally {
      setBusy(false);
    }
  }
  const remove = (removed: SmallPhoto): void => setTaken((now) => now.filter((photo) => photo !== removed));
  return { taken, busy, problem, add: (file: File) => void add(file), remove, ids };
}
