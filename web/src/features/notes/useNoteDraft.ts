// A note while it is written: its text, its joint and its photos, until it is sent or kept on this tablet.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { uploadPhoto } from "@/api/fotos";
import { NoAnswerError, RefusedError } from "@/api/http";
import { anotar, PHOTOS_MAX, type NoteAnswer, type NoteBody } from "@/api/notas";
import { server } from "@/api/server-state";
import type { Operacion, Worker } from "@/api/types";
import { words } from "@/i18n";
import { smallPhoto, type PictureProblem, type SmallPhoto } from "@/shop/picture";
import { keys } from "@/shop/reads";
import { taps } from "@/taps/hooks";
import { photoStore } from "@/taps/photos";
import type { TapOutcome } from "@/taps/tap";
import { notifyPerson } from "@/ui/notices";

/** Without an answer for this long the worker goes on, and the note is sent by itself. */
const WAIT_MS = 3_000;

export interface NoteDraft {
  text: string;
  joint: number | null;
  photos: readonly SmallPhoto[];
}

export interface NoteWriter {
  draft: NoteDraft;
  change: (changes: Partial<NoteDraft>) => void;
  busy: boolean;
  problem: string | null;
  canSave: boolean;
  addPhoto: (file: Blob) => void;
  save: () => void;
}

const EMPTY: NoteDraft = { text: "", joint: null, photos: [] };

export function useNoteDraft(tag: string, worker: Worker, operacion: Operacion, onSaved: () => void): NoteWriter {
  const cache = useQueryClient();
  const [draft, setDraft] = useState(EMPTY);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const change = (changes: Partial<NoteDraft>): void => setDraft((now) => ({ ...now, ...changes }));

  async function addPhoto(file: Blob): Promise<void> {
    setBusy(true);
    setProblem(null);
    const made = await smallPhoto(file).catch((): PictureProblem => "unreadable");
    setBusy(false);
    if (typeof made === "string") setProblem(words(`notes.bad_file.${made}`));
    else setDraft((now) => ({ ...now, photos: [...now.photos.filter(({ id }) => id === null || id !== made.id), made].slice(0, PHOTOS_MAX) }));
  }

  async function save(): Promise<void> {
    setBusy(true);
    setProblem(null);
    const sentence = await send().catch((error: unknown) => (error instanceof RefusedError || error instanceof NoAnswerError ? words("notes.no_photo_now") : String(error)));
    setBusy(false);
    setProblem(sentence);
    if (sentence !== null) return;
    void cache.invalidateQueries({ queryKey: keys.card(tag, worker.id) });
    cache.removeQueries({ queryKey: ["notes", tag] }); // nobody reads a disabled query again by itself
    onSaved();
  }

  /** Null when the note is saved or kept, else the sentence that says why not. */
  async function send(): Promise<string | null> {
    const photos = await withIds(draft.photos);
    if (!(await photoStore.keep(photos, taps.taps()))) return words("notes.too_many_photos");
    const body: NoteBody = { worker_id: worker.id, texto: draft.text.trim(), n_union: draft.joint, fotos: photos.map(({ id }) => id) };
    const promise = taps.tap(anotar(tag), body, { accion: "NOTA", operacion, tags: [tag], worker: worker.label });
    const outcome = await answeredSoon(promise);
    if (outcome?.kind === "refused") return outcome.problem.detail;
    if (outcome?.kind === "full") return words("unsent.full");
    if (outcome?.kind === "done") notifyPerson(worker.id, "good", outcome.answer.message);
    else if (outcome === null) {
      taps.disown(promise);
      notifyPerson(worker.id, "plain", words("notes.kept"));
    }
    return null;
  }

  return {
    draft,
    change,
    busy,
    problem,
    canSave: !busy && (draft.text.trim() !== "" || draft.photos.length > 0),
    addPhoto: (file) => void addPhoto(file),
    save: () => void save(),
  };
}

/** Where the browser cannot compute a photo's id, the server does; that needs a connection. */
const withIds = (photos: readonly SmallPhoto[]): Promise<{ id: string; bytes: ArrayBuffer }[]> =>
  Promise.all(photos.map(async ({ id, bytes }) => ({ id: id ?? (await uploadPhoto(bytes)).id, bytes })));

/** Null: no answer yet. */
async function answeredSoon(promise: Promise<TapOutcome<NoteAnswer>>): Promise<TapOutcome<NoteAnswer> | null> {
  const wait_ms = server.isAway() ? 0 : WAIT_MS;
  return Promise.race([promise, new Promise<null>((resolve) => setTimeout(() => resolve(null), wait_ms))]);
}
