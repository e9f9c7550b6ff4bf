// /api/sesion: signing in and out on this device, unlocking, and telling that somebody touches the tablet. None of these calls takes
// an idempotency key: their answers carry secrets, which the server does not keep.
import { deleteJson, getJson, postSecret, query } from "./http";
import type { Claimant, SessionAnswer, SignInAnswer } from "./identity-types";
import type { GetAnswer, Worker } from "./types";

export const postSignIn = (who: Claimant, pin: string | null): Promise<SignInAnswer> =>
  postSecret("/api/sesion", pin === null ? who : { ...who, pin });

/** The server accepts no longer list. A tablet keeps half as many taps; of more, the newest wait for their author. */
export const UNSENT_MAX = 1_000;

/** `ultimo_toque`: the number of the session's last tap, if this tablet still knows it. `unsent`: the signatures of its taps that have
 * no answer yet, oldest first; null: not known, and the server accepts all up to that number. */
export const deleteSession = (sesion: string, ultimo_toque: number | null, unsent: readonly string[] | null): Promise<unknown> =>
  deleteJson(`/api/sesion${query({ sesion, ultimo_toque })}`, unsent && { sin_enviar: unsent.slice(0, UNSENT_MAX) });

/** A PIN as typed, or sealed while there was no connection. */
export const postPin = (proof: { pin: string } | { sellado: string }, ms_max?: number): Promise<SessionAnswer> =>
  postSecret("/api/sesion/pin", proof, ms_max);

/** The person changes their own PIN. */
export const postNewPin = (pin: string, nuevo: string): Promise<unknown> => postSecret("/api/sesion/pin/cambiar", { pin, nuevo });

export const postUse = (): Promise<unknown> => postSecret("/api/sesion/uso", {});

/** The people who signed in on this device, the last one first. */
export const listRecentPeople = async (signal?: AbortSignal): Promise<Worker[]> =>
  (await getJson<GetAnswer<"/api/sesion/personas">>("/api/sesion/personas", signal)).recientes;
