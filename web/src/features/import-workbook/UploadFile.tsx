// The place to drop a workbook on, and how much of it is sent.
import { useRef, useState } from "react";

import { NoAnswerError } from "@/api/http";
import { uploadWorkbook, type UploadedWorkbook } from "@/api/planilla";
import { UploadCancelledError, type Upload } from "@/api/upload";
import { useWords } from "@/i18n";
import { bytesText } from "@/shop/bytes";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { FileDrop } from "@/ui/FileDrop";
import { ProgressBar } from "@/ui/ProgressBar";
import { TitledCard } from "@/ui/TitledCard";
import { wrongWith } from "./progress";

interface Sending {
  name: string;
  total: number;
  sent: number;
}

export function UploadFile({ onUploaded }: { onUploaded: (upload: UploadedWorkbook) => Promise<void> }) {
  const t = useWords();
  const { problem, run, forget, pinPad } = useOfficeRequest();
  const [wrong, setWrong] = useState<ReturnType<typeof wrongWith> | "cut">(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const current = useRef<Upload<UploadedWorkbook>>(null);

  const send = async (file: File): Promise<void> => {
    const { name, size: total } = file;
    setSending({ name, total, sent: 0 });
    try {
      current.current = uploadWorkbook(file, (sent) => setSending({ name, total, sent }));
      await onUploaded(await current.current.answer);
    } catch (error) {
      if (error instanceof NoAnswerError && !error.problem) setWrong("cut");
      else if (!(error instanceof UploadCancelledError)) throw error;
    } finally {
      setSending(null);
    }
  };
  const choose = (file: File): void => {
    forget();
    const found = wrongWith(file);
    setWrong(found);
    if (found === null) run(() => send(file));
  };
  return (
    <TitledCard title={t("import.title")}>
      <p>{t("import.explain")}</p>
      {sending ? (
        <>
          <ProgressBar
            label={t("import.sending", { name: sending.name, sent: bytesText(sending.sent), total: bytesText(sending.total) })}
            done={sending.sent}
            total={sending.total}
          />
          <div>
            <Button onClick={() => current.current?.cancel()}>{t("import.cancel")}</Button>
          </div>
        </>
      ) : (
        <FileDrop label={t("import.choose")} hint={t("import.limits")} accept=".xlsx" onFile={choose} />
      )}
      {wrong && <Callout tone="bad">{t(`import.wrong.${wrong}`)}</Callout>}
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {pinPad}
    </TitledCard>
  );
}
