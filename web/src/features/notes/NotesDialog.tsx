// The notes of a spool: write one, with photos, and read the others.
import { useInfiniteQuery } from "@tanstack/react-query";

import { listNotes, PHOTOS_MAX, TEXT_CHARS_MAX, type Note } from "@/api/notas";
import type { Operacion, SpoolCard, Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { clockText, dayOf, useShopMinute } from "@/shop/clock";
import { PhotoInput } from "@/shop/PhotoInput";
import { PhotoRow } from "@/shop/PhotoRow";
import { Button } from "@/ui/Button";
import { Callout } from "@/ui/Callout";
import { Dialog } from "@/ui/Dialog";
import { Select } from "@/ui/Select";
import { TextArea } from "@/ui/TextArea";
import styles from "./Notes.module.css";
import { useNoteDraft, type NoteWriter } from "./useNoteDraft";

export interface NotesDialogProps {
  card: SpoolCard;
  worker: Worker;
  operacion: Operacion;
  onClose: () => void;
}

export function NotesDialog({ card, worker, operacion, onClose }: NotesDialogProps) {
  const t = useWords();
  const writer = useNoteDraft(card.tag_spool, worker, operacion, onClose);
  return (
    <Dialog
      title={t("notes.of", { tag: card.tag_spool })}
      size="large"
      onClose={onClose}
      actions={
        <>
          <Button size="large" onClick={onClose}>
            {t("app.close")}
          </Button>
          <Button tone="signal" size="large" disabled={!writer.canSave} onClick={writer.save}>
            {t("notes.save")}
          </Button>
        </>
      }
    >
      <Form card={card} writer={writer} />
      <NoteList card={card} />
    </Dialog>
  );
}

function Form({ card, writer }: { card: SpoolCard; writer: NoteWriter }) {
  const t = useWords();
  const { draft, change, busy, problem, addPhoto } = writer;
  const whole = { value: "", label: t("notes.whole_spool") };
  const joints = card.uniones.map(({ n_union }) => ({ value: String(n_union), label: t("notes.joint", { n: n_union }) }));
  return (
    <div className={styles.form}>
      <TextArea
        label={t("notes.text")}
        value={draft.text}
        maxLength={TEXT_CHARS_MAX}
        rows={3}
        onChange={(event) => change({ text: event.target.value })}
      />
      {joints.length > 0 && (
        <Select
          label={t("notes.about")}
          value={draft.joint === null ? "" : String(draft.joint)}
          options={[whole, ...joints]}
          onChange={(value) => change({ joint: value === "" ? null : Number(value) })}
        />
      )}
      <PhotoInput
        photos={draft.photos}
        disabled={busy || draft.photos.length >= PHOTOS_MAX}
        onFile={addPhoto}
        onRemove={(removed) => change({ photos: draft.photos.filter((photo) => photo !== removed) })}
      />
      {problem !== null && <Callout tone="bad">{problem}</Callout>}
    </div>
  );
}

/** The last ones are on the card; older ones are read when somebody asks for them. */
function NoteList({ card }: { card: SpoolCard }) {
  const t = useWords();
  const all = useInfiniteQuery({
    queryKey: ["notes", card.tag_spool],
    queryFn: ({ pageParam, signal }) => listNotes(card.tag_spool, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled: false,
    gcTime: 0, // who opens the dialog again sees the card's notes, which are newer
  });
  const notes = all.data ? all.data.pages.flatMap((page) => page.notas) : card.notas;
  const more = all.data ? all.hasNextPage : card.mas_notas;
  if (notes.length === 0) return <p className={styles.none}>{t("notes.none")}</p>;
  return (
    <>
      <ul className={styles.list}>
        {notes.map((note) => (
          <li key={note.seq} className={styles.note}>
            <NoteText note={note} />
            {note.fotos.length > 0 && <PhotoRow photos={note.fotos} />}
          </li>
        ))}
      </ul>
      {more && (
        <Button disabled={all.isFetching} onClick={() => void (all.data ? all.fetchNextPage() : all.refetch())}>
          {t("notes.more")}
        </Button>
      )}
    </>
  );
}

export function NoteText({ note }: { note: Note }) {
  const t = useWords();
  const today = dayOf(useShopMinute());
  return (
    <>
      <p className={styles.who}>
        <strong>{note.worker}</strong> · {clockText(note.at, today)}
        {note.n_union !== null && ` · ${t("notes.joint", { n: note.n_union })}`}
      </p>
      {note.texto !== "" && <p className={styles.text}>{note.texto}</p>}
    </>
  );
}
