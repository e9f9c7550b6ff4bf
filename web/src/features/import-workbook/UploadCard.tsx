// One uploaded workbook: being read, its preview, being imported, or its result.
import { useState } from "react";

import { applyUpload, discardUpload, reportAddress, type UploadedWorkbook } from "@/api/planilla";
import { RefusedError } from "@/api/http";
import { useWords } from "@/i18n";
import { bytesText } from "@/shop/bytes";
import { timestampText } from "@/shop/clock";
import { useOfficeRequest, type OfficeRequest } from "@/shop/useOfficeRequest";
import { Badge } from "@/ui/Badge";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { FileLink } from "@/ui/FileLink";
import { Outcome } from "@/ui/Outcome";
import { ProgressBar } from "@/ui/ProgressBar";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./ImportWorkbook.module.css";
import { Preview } from "./Preview";
import { changeCount } from "./progress";

export interface UploadCardProps {
  upload: UploadedWorkbook;
  onApplied: () => Promise<void>;
  onChanged: () => Promise<void>;
  onLeft: () => Promise<void>;
}

export function UploadCard({ upload, onApplied, onChanged, onLeft }: UploadCardProps) {
  const t = useWords();
  const { id, nombre, estado } = upload;
  const request = useOfficeRequest();
  const apply = (): void =>
    request.run(async () => {
      try {
        await applyUpload(upload);
      } catch (error) {
        if (error instanceof RefusedError) await onChanged(); // the preview no longer held: it is being read anew
        throw error;
      }
      await onApplied();
    });
  const discard = (): void =>
    request.run(async () => {
      await discardUpload(id);
      await onLeft();
    });
  return (
    <TitledCard title={nombre} badge={<Badge tone={TONES[estado]}>{t(`import.state.${estado}`)}</Badge>}>
      <p className={styles.facts}>
        {bytesText(upload.bytes)} · {t("import.uploaded", { by: upload.subida_por ?? "–", at: timestampText(upload.subida_en) })}
      </p>
      {request.problem !== null && <Callout tone="bad">{request.problem}</Callout>}
      <UploadBody upload={upload} request={request} onApply={apply} onDiscard={discard} onLeft={onLeft} />
      {request.pinPad}
    </TitledCard>
  );
}

const TONES = { leyendo: "plain", lista: "signal", aplicando: "plain", hecha: "good", fallida: "bad" } as const;

interface UploadBodyProps {
  upload: UploadedWorkbook;
  request: OfficeRequest;
  onApply: () => void;
  onDiscard: () => void;
  onLeft: () => Promise<void>;
}

function UploadBody({ upload, request, onApply, onDiscard, onLeft }: UploadBodyProps) {
  const t = useWords();
  const { estado, avance, resumen, error } = upload;
  const progress = (key: "reading" | "importing"): string =>
    avance.total > 0 ? t(`import.${key}_rows`, { done: avance.hecho, total: avance.total }) : t(`import.${key}`);
  switch (estado) {
    case "leyendo":
      return (
        <>
          <ProgressBar label={progress("reading")} done={avance.hecho} total={avance.total} />
          <p className={styles.hint}>{t("import.may_leave")}</p>
          <div className={styles.buttons}>
            <Button disabled={request.busy} onClick={onDiscard}>
              {t("import.discard")}
            </Button>
          </div>
        </>
      );
    case "aplicando":
      return (
        <>
          <ProgressBar label={progress("importing")} done={avance.hecho} total={avance.total} />
          <p className={styles.hint}>{t("import.may_leave")}</p>
        </>
      );
    case "hecha":
      return (
        <>
          <Outcome tone="good" text={t("import.done", { ...resumen })} />
          {resumen.rechazados > 0 && <Callout tone="warn">{t("import.done_refused", { count: resumen.rechazados })}</Callout>}
          <div className={styles.buttons}>
            <FileLink href={reportAddress(upload.id)}>{t("import.report")}</FileLink>
            <Button onClick={() => void onLeft()}>{t("import.another")}</Button>
          </div>
        </>
      );
    case "fallida":
      return (
        <>
          <Callout tone="bad">{error ?? t("import.failed")}</Callout>
          <div className={styles.buttons}>
            <Button disabled={request.busy} onClick={onDiscard}>
              {t("import.another")}
            </Button>
          </div>
        </>
      );
    case "lista":
      return (
        <>
          {error !== null && <Callout tone="warn">{error}</Callout>}
          <Preview upload={upload} />
          <Decide upload={upload} busy={request.busy} onApply={onApply} onDiscard={onDiscard} />
        </>
      );
  }
}

interface DecideProps {
  upload: UploadedWorkbook;
  busy: boolean;
  onApply: () => void;
  onDiscard: () => void;
}

/** Nothing is written before this is confirmed. */
function Decide({ upload: { nombre, resumen }, busy, onApply, onDiscard }: DecideProps) {
  const t = useWords();
  const [asked, setAsked] = useState(false);
  const count = changeCount(resumen);
  const confirm = (): void => {
    setAsked(false);
    onApply();
  };
  return (
    <>
      {count === 0 && <Callout tone="plain">{t("import.nothing_to_do")}</Callout>}
      <div className={styles.buttons}>
        <Button size="large" disabled={busy} onClick={onDiscard}>
          {t("import.discard")}
        </Button>
        <Button tone="signal" size="large" disabled={busy || count === 0} onClick={() => setAsked(true)}>
          {t("import.apply", { count })}
        </Button>
      </div>
      {asked && (
        <Dialog
          title={t("import.ask", { name: nombre })}
          onClose={() => setAsked(false)}
          actions={
            <>
              <Button size="large" onClick={() => setAsked(false)}>
                {t("app.cancel")}
              </Button>
              <Button tone="signal" size="large" onClick={confirm}>
                {t("import.confirm")}
              </Button>
            </>
          }
        >
          <div className={styles.ask}>
            <p>{t("import.ask_what", { ...resumen })}</p>
            {resumen.retirados > 0 && <Callout tone="warn">{t("import.ask_retired", { count: resumen.retirados })}</Callout>}
            {resumen.rechazados > 0 && <Callout tone="warn">{t("import.ask_refused", { count: resumen.rechazados })}</Callout>}
          </div>
        </Dialog>
      )}
    </>
  );
}
