// /api/soldadura: welding procedures (WPS), qualifications of welders, and which of these end soon.
import { getJson, postSecret } from "./http";
import type { GetAnswer, PostAnswer, PostBody } from "./types";

export type Procedure = GetAnswer<"/api/soldadura/wps">["wps"][number];
export type Qualification = GetAnswer<"/api/soldadura/calificaciones">["calificaciones"][number];
export type EndingQualification = GetAnswer<"/api/soldadura/avisos">["avisos"][number];
export type WeldingSaved = PostAnswer<"/api/soldadura/wps">;

/** Of a number, a process or a document. */
export const WELD_KEY_CHARS_MAX = 100;
/** Of any other text of a procedure or a qualification. */
export const WELD_LIST_CHARS_MAX = 1_000;

export const listProcedures = async (signal?: AbortSignal): Promise<Procedure[]> =>
  (await getJson<GetAnswer<"/api/soldadura/wps">>("/api/soldadura/wps", signal)).wps;

export const listQualifications = async (signal?: AbortSignal): Promise<Qualification[]> =>
  (await getJson<GetAnswer<"/api/soldadura/calificaciones">>("/api/soldadura/calificaciones", signal)).calificaciones;

export const listEndingQualifications = async (signal?: AbortSignal): Promise<EndingQualification[]> =>
  (await getJson<GetAnswer<"/api/soldadura/avisos">>("/api/soldadura/avisos", signal)).avisos;

/** The whole procedure: a new one, or in place of the one with this number. */
export const saveProcedure = (procedure: PostBody<"/api/soldadura/wps">): Promise<WeldingSaved> => postSecret("/api/soldadura/wps", procedure);

/** The whole qualification: a new one, or in place of the one of this person, process and document. */
export const saveQualification = (qualification: PostBody<"/api/soldadura/calificaciones">): Promise<WeldingSaved> =>
  postSecret("/api/soldadura/calificaciones", qualification);
