// The import of a workbook: upload, preview of what it would do, import, report. It can be left at any time and is taken up again here.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";

import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useWorker } from "@/session/session";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { openUploads } from "./progress";
import { UPLOADS, useUploads } from "./reads";
import { UploadCard } from "./UploadCard";
import { UploadFile } from "./UploadFile";

/** `onImported`: a workbook was imported here. Another administrator's open upload is shown too, and does not stand in the way. */
export function ImportWorkbook({ onImported }: { onImported?: () => void }) {
  const t = useWords();
  const readError = useReadErrorText();
  const cache = useQueryClient();
  const me = useWorker()?.label;
  const uploads = useUploads();
  const [followed, setFollowed] = useState<string | null>(null);
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: UPLOADS });
  const follow = (id: string | null): Promise<void> => {
    setFollowed(id);
    return refresh();
  };
  const imported = useEffectEvent(() => onImported?.());
  const done = uploads.data?.some(({ id, estado }) => estado === "hecha" && id === followed) ?? false;
  useEffect(() => {
    if (done) imported();
  }, [done]);
  if (!uploads.data) {
    return (
      <TitledCard title={t("import.title")}>
        {uploads.isError ? <EmptyState text={readError} /> : <Loading label={t("app.loading")} />}
      </TitledCard>
    );
  }
  const open = openUploads(uploads.data, followed);
  return (
    <>
      {open.every(({ id, subida_por }) => id !== followed && subida_por !== me) && <UploadFile onUploaded={({ id }) => follow(id)} />}
      {open.map((upload) => (
        <UploadCard
          key={upload.id}
          upload={upload}
          onApplied={() => follow(upload.id)}
          onChanged={refresh}
          onLeft={() => follow(null)}
        />
      ))}
    </>
  );
}
