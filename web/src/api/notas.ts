// POST and GET /api/spools/{tag}/notas: notes about a spool or one of its joints.
import type { Call } from "./call";
import { getJson, inPath, query } from "./http";
import type { GetAnswer, PostAnswer, PostBody } from "./types";

const TEMPLATE = "/api/spools/{tag}/notas";
export type NotePage = GetAnswer<typeof TEMPLATE>;
export type Note = NotePage["notas"][number];
export type NoteBody = PostBody<typeof TEMPLATE>;
export type NoteAnswer = PostAnswer<typeof TEMPLATE>;

export const TEXT_CHARS_MAX = 500;
export const PHOTOS_MAX = 4;

const pathOf = (tag: string): string => TEMPLATE.replace("{tag}", () => inPath(tag));

/** Whether a tap with this path is a note. */
export const isNotePath = (path: string): boolean => path.startsWith("/api/spools/") && path.endsWith("/notas");

export const anotar = (tag: string): Call<NoteBody, NoteAnswer> => ({ path: pathOf(tag) });

export const listNotes = (tag: string, cursor: string, signal?: AbortSignal): Promise<NotePage> =>
  getJson(`${pathOf(tag)}${query({ cursor })}`, signal);
