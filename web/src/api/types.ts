// Short names for the types of the API. `schema.ts` is generated from the server's OpenAPI document (`make types`).
import type { components, paths } from "./schema";

interface Json<Content> {
  content: { "application/json": Content };
}

interface GetOperation<Query, Answer> {
  get: { parameters: { query?: Query }; responses: { 200: Json<Answer> } };
}

interface PostOperation<Body, Answer> {
  post: { requestBody: Json<Body>; responses: { 200: Json<Answer> } };
}

export type GetPath = { [P in keyof paths]: paths[P] extends GetOperation<unknown, unknown> ? P : never }[keyof paths];
export type PostPath = { [P in keyof paths]: paths[P] extends PostOperation<unknown, unknown> ? P : never }[keyof paths];

export type GetQuery<P extends GetPath> = paths[P] extends GetOperation<infer Query, unknown> ? NonNullable<Query> : never;
export type GetAnswer<P extends GetPath> = paths[P] extends GetOperation<unknown, infer Answer> ? Answer : never;
export type PostBody<P extends PostPath> = paths[P] extends PostOperation<infer Body, unknown> ? Body : never;
export type PostAnswer<P extends PostPath> = paths[P] extends PostOperation<unknown, infer Answer> ? Answer : never;

/** RFC 9457; `detail` is the sentence for the worker. */
export type Problem = components["schemas"]["Problem"];

export type SpoolListPage = GetAnswer<"/api/spools">;
export type Spool = SpoolListPage["spools"][number];
export type Estado = Spool["arm"];
export type Workflow = Spool["version_workflow"];

export type SpoolCard = GetAnswer<"/api/spools/{tag}">;
export type Joint = SpoolCard["uniones"][number];
export type Accion = SpoolCard["acciones"][number]["accion"];
export type Operacion = SpoolCard["acciones"][number]["operacion"];
/** Why this worker cannot go on with an operation now: the code and the sentence of the refusal. */
export type Motivo = SpoolCard["motivos"][number];
/** The actions that only a supervisor has. */
export type SupervisorAccion = Extract<Accion, "LIBERAR" | "DESBLOQUEAR" | "CORREGIR">;

export type Worker = GetAnswer<"/api/workers">["workers"][number];
export type Rol = Worker["roles"][number];

/** What an action that succeeded answers; `message` is the sentence for the worker. */
export type ActionAnswer = PostAnswer<"/api/occupation/tomar">;
export type BatchAnswer = PostAnswer<"/api/occupation/batch-tomar">;

export type History = GetAnswer<"/api/history/{tag}">;
export type HistoryEvent = History["events"][number];
export type HistorySession = History["sessions"][number];

/** The data of one event of the live stream. */
export type SpoolUpdate = components["schemas"]["SpoolUpdate"];
