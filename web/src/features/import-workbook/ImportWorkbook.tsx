// The import of a workbook: upload, preview of what it would do, import, report. It can be left at any time and is taken up again here.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";

import type { UploadedWorkbook } from "@/api/planilla";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { TitledCard } from "@/ui/TitledCard";
import { openUpload } from "./progress";
import { UPLOADS, useUploads } from "./reads";
import { UploadCard } from "./UploadCard";
import { UploadFile } from "./UploadFile";

/** `onImported`: a workbook was imported here. */
export function ImportWorkbook({ onImported }: { onImported?: () => void }) {
  const t = useWords();
  const readError = useReadErrorText();
  const cache = useQueryClient();
  const uploads = useUploads();
  const [followed, setFollowed] = useState<ReadonlySet<string>>(new Set());
  const refresh = (): Promise<void> => cache.invalidateQueries({ queryKey: UPLOADS });
  const follow = async (id: string): Promise<void> => {
    setFollowed(new Set([id]));
    await refresh();
  };
  const leave = async (): Promise<void> => {
    setFollowed(new Set());
    await refresh();
  };
  const imported = useEffectEvent(() => onImported?.());
  const done = uploads.data?.some(({ id, estado }) => estado === "hecha" && followed.has(id)) ?? false;
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
  const open: UploadedWorkbook | null = openUpload(uploads.data, followed);
  if (!open) return <UploadFile onUploaded={({ id }) => follow(id)} />;
  return (
    <UploadCard
      key={open.id}
      upload={open}
      onApplied={() => follow(open.id)}
      onChanged={refresh}
      onLeft={leave}
    />
  );
}
