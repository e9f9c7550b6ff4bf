// The drawing of one spool: reads it, and hands it to the editor anew whenever it was saved.
import { useQueryClient } from "@tanstack/react-query";

import { RefusedError } from "@/api/http";
import { saveDrawing } from "@/api/planos";
import { useWords } from "@/i18n";
import { useReadErrorText } from "@/live/hooks";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Callout } from "@/ui/Callout";
import { EmptyState } from "@/ui/EmptyState";
import { Loading } from "@/ui/Loading";
import { SectionPage } from "@/ui/SectionPage";
import { Editor, type Draft } from "./Editor";
import { drawingKey, useDrawing, useJoints } from "./reads";

export function Drawing({ tag }: { tag: string }) {
  const t = useWords();
  const readError = useReadErrorText();
  const drawing = useDrawing(tag);
  const joints = useJoints(tag);
  const client = useQueryClient();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const failed = drawing.error ?? joints.error;
  const save = ({ plano, marcas }: Draft): void =>
    run(async () => {
      try {
        client.setQueryData(drawingKey(tag), await saveDrawing(tag, { plano, marcas, version: drawing.data?.version ?? 0 }));
      } catch (error) {
        if (error instanceof RefusedError && error.problem.code === "PLANO_CAMBIADO") await drawing.refetch();
        throw error;
      }
    });
  return (
    <SectionPage title={tag} intro={t("drawing.intro")}>
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
      {failed && <EmptyState text={failed instanceof RefusedError ? failed.message : readError} />}
      {!failed && !(drawing.data && joints.data) && <Loading label={t("app.loading")} />}
      {drawing.data && joints.data && <Editor key={drawing.data.version} tag={tag} saved={drawing.data} joints={joints.data} saving={busy} onSave={save} />}
      {pinPad}
    </SectionPage>
  );
}
