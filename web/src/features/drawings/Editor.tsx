// A drawing being worked on: another file or page of it, the joints that have a place, and saving.
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { uploadDrawing, type JointMark, type SpoolDrawing } from "@/api/planos";
import { useWords } from "@/i18n";
import { timestampText } from "@/shop/clock";
import { useOfficeRequest } from "@/shop/useOfficeRequest";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { FileDrop } from "@/ui/FileDrop";
import { Select } from "@/ui/Select";
import { TitledCard } from "@/ui/TitledCard";
import styles from "./Drawing.module.css";
import { drawingFile, type DrawingFile } from "./file";
import { JointList } from "./JointList";
import { CENTRE, known, nextUnplaced, placed, without, type Place } from "./marks";
import { Picture } from "./Picture";

export interface Draft {
  plano: string | null;
  ancho: number;
  alto: number;
  marcas: JointMark[];
}

interface EditorProps {
  tag: string;
  saved: SpoolDrawing;
  joints: readonly number[];
  saving: boolean;
  onSave: (draft: Draft) => void;
}

export function Editor({ tag, saved, joints, saving, onSave }: EditorProps) {
  const t = useWords();
  const [draft, setDraft] = useState<Draft>({ ...saved, marcas: known(saved.marcas, joints) });
  const [current, setCurrent] = useState<number | null>(() => nextUnplaced(joints, saved.marcas));
  const changed = draft.plano !== saved.plano || JSON.stringify(draft.marcas) !== JSON.stringify(saved.marcas);
  const place = (n: number, at: Place): void => {
    const isNew = !draft.marcas.some((mark) => mark.n_union === n);
    // The present draft: an upload may end between two taps.
    setDraft((now) => ({ ...now, marcas: placed(now.marcas, n, at) }));
    if (isNew) setCurrent(nextUnplaced(joints, placed(draft.marcas, n, at), n));
  };
  const remove = (n: number): void => {
    setDraft((now) => ({ ...now, marcas: without(now.marcas, n) }));
    setCurrent(n);
  };
  return (
    <div className={styles.editor}>
      {draft.plano !== null && (
        <TitledCard title={t("drawing.joints")}>
          <JointList joints={joints} marks={draft.marcas} current={current} onChoose={setCurrent} onCentre={(n) => place(n, { x: CENTRE, y: CENTRE })} onRemove={remove} />
          <Picture tag={tag} drawing={draft} current={current} onPlace={place} onChoose={setCurrent} onRemove={remove} />
        </TitledCard>
      )}
      <Upload first={draft.plano === null} onStored={(stored) => setDraft((now) => ({ ...now, ...stored }))} />
      <div className={styles.bar}>
        <p className={styles.state}>{changed ? t("drawing.unsaved") : savedText(saved, t)}</p>
        <Link to="/supervision" search={{ ver: "spool", spool: tag }} className={styles.link}>
          {t("drawing.back")}
        </Link>
        {draft.plano !== null && (
          <Button disabled={saving} onClick={() => setDraft({ ...draft, plano: null, marcas: [] })}>
            {t("drawing.take_away")}
          </Button>
        )}
        <Button tone="signal" disabled={saving || !changed} onClick={() => onSave(draft)}>
          {t("drawing.save")}
        </Button>
      </div>
    </div>
  );
}

function savedText({ guardado_en, guardado_por }: SpoolDrawing, t: ReturnType<typeof useWords>): string {
  if (guardado_en === null) return "";
  const at = timestampText(guardado_en);
  return guardado_por === null ? t("drawing.saved_at", { at }) : t("drawing.saved", { who: guardado_por, at });
}

type Stored = Pick<Draft, "plano" | "ancho" | "alto">;

interface Source extends DrawingFile {
  page: number;
  pages: number;
}

/** The file stays here, so that another page of it can be chosen. */
function Upload({ first, onStored }: { first: boolean; onStored: (stored: Stored) => void }) {
  const t = useWords();
  const { busy, problem, run, pinPad } = useOfficeRequest();
  const [source, setSource] = useState<Source | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  const upload = (file: DrawingFile, page: number): void =>
    run(async () => {
      const stored = await uploadDrawing(file.bytes, file.type, page);
      setSource({ ...file, page: stored.pagina, pages: stored.paginas });
      onStored({ plano: stored.id, ancho: stored.ancho, alto: stored.alto });
    });
  const choose = async (file: File): Promise<void> => {
    const read = await drawingFile(file);
    setUnreadable(read === null);
    if (read) upload(read, 1);
  };
  return (
    <TitledCard title={first ? t("drawing.file") : t("drawing.other_file")}>
      {(problem !== null || unreadable) && <Callout tone="bad">{unreadable ? t("drawing.unreadable") : problem}</Callout>}
      {source && source.pages > 1 && (
        <Select
          label={t("drawing.page")}
          value={String(source.page)}
          options={Array.from({ length: source.pages }, (_, at) => ({ value: String(at + 1), label: t("drawing.page_of", { n: at + 1, of: source.pages }) }))}
          onChange={(page) => upload(source, Number(page))}
          disabled={busy}
        />
      )}
      <FileDrop
        label={busy ? t("drawing.reading") : first ? t("drawing.file") : t("drawing.other_file")}
        hint={t("drawing.file_hint")}
        accept=".pdf,.png,.jpg,.jpeg"
        disabled={busy}
        onFile={(file) => void choose(file)}
      />
      {pinPad}
    </TitledCard>
  );
}
