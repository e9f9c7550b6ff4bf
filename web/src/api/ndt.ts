// Examinations of welds (NDT): GET /api/ndt, the work list; POST /api/ndt/solicitar, /resultado and /reparar; GET /api/ndt/tasas.
import { callOf } from "./call";
import { getJson, query } from "./http";
import type { GetAnswer, GetQuery, PostBody } from "./types";

export type ExamQuery = GetQuery<"/api/ndt">;
export type ExamPage = GetAnswer<"/api/ndt">;
export type Exam = ExamPage["ensayos"][number];
export type Owed = ExamPage["debidos"][number];
export type ExamState = NonNullable<ExamQuery["estado"]>;
export type ResultBody = PostBody<"/api/ndt/resultado">;
export type RateReport = GetAnswer<"/api/ndt/tasas">;
export type RateQuery = GetQuery<"/api/ndt/tasas">;
export type RateBy = RateQuery["por"];

export const REPORT_CHARS_MAX = 60;
export const DEFECTS_MAX = 10;
export const PHOTOS_MAX = 4;

export const solicitarNdt = callOf("/api/ndt/solicitar");
export const resultadoNdt = callOf("/api/ndt/resultado");
export const repararUnion = callOf("/api/ndt/reparar");

export const listExams = (parameters: ExamQuery, signal?: AbortSignal): Promise<ExamPage> =>
  getJson(`/api/ndt${query({ ...parameters })}`, signal);

export const getRates = (parameters: RateQuery, signal?: AbortSignal): Promise<RateReport> =>
  getJson(`/api/ndt/tasas${query({ ...parameters })}`, signal);
