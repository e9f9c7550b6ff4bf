// /api/personas: the people of the shop, as administrators and supervisors manage them. Nothing here takes an idempotency key: some of
// the answers carry a PIN, which the server does not keep.
import { getJson, postSecret } from "./http";
import type { GetAnswer, PostAnswer, PostBody, Rol } from "./types";

export type Person = GetAnswer<"/api/personas">["personas"][number];
export type NewPerson = PostBody<"/api/personas">;
export type PersonChanged = PostAnswer<"/api/personas">;
export type PinCard = PostAnswer<"/api/personas/pins">["tarjetas"][number];

/** Cards for a whole shop: hashing every PIN takes a while. */
const CARDS_MS_MAX = 120_000;

export const listPeople = async (signal?: AbortSignal): Promise<Person[]> =>
  (await getJson<GetAnswer<"/api/personas">>("/api/personas", signal)).personas;

export const addPerson = (person: NewPerson): Promise<PersonChanged> => postSecret("/api/personas", person);

export const renamePerson = (id: number, nombre: string, apellido: string): Promise<PersonChanged> =>
  postSecret(`/api/personas/${id}/nombre`, { nombre, apellido });

export const setRoles = (id: number, roles: Rol[]): Promise<PersonChanged> => postSecret(`/api/personas/${id}/roles`, { roles });

/** Null takes the badge away. */
export const setBadge = (id: number, badge: string | null): Promise<PersonChanged> => postSecret(`/api/personas/${id}/badge`, { badge });

/** Decides what the workbook asked for; only if it is what the administrator saw. */
export const decidePrivileges = (
  { id, roles_pendientes, cambio_pendiente }: Person,
  confirmar: boolean,
): Promise<PersonChanged> => postSecret(`/api/personas/${id}/privilegios`, { confirmar, roles_pendientes, cambio_pendiente });

export const deactivatePerson = (id: number): Promise<PersonChanged> => postSecret(`/api/personas/${id}/desactivar`, {});

export const activatePerson = (id: number): Promise<PersonChanged> => postSecret(`/api/personas/${id}/activar`, {});

export const unlockPin = (id: number): Promise<PersonChanged> => postSecret(`/api/personas/${id}/pin/desbloquear`, {});

export const giveNewPin = (id: number): Promise<PostAnswer<"/api/personas/{id}/pin">> => postSecret(`/api/personas/${id}/pin`, {});

/** `todos`: also for those who have a PIN. */
export const makePinCards = async (todos: boolean): Promise<PinCard[]> =>
  (await postSecret<PostAnswer<"/api/personas/pins">>("/api/personas/pins", { todos }, CARDS_MS_MAX)).tarjetas;
