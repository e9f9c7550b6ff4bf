// /api/respaldos: the copies of the ledger, and the encrypted file of its keys.
import { getJson, inPath, postSecret } from "./http";
import type { GetAnswer } from "./types";

/** The server answers after 20 s at the latest; a copy that takes longer goes on by itself. */
const BACKUP_MS_MAX = 30_000;
/** Making a passphrase expensive to guess takes a second or two. */
const KEYS_MS_MAX = 60_000;

export type BackupsAnswer = GetAnswer<"/api/respaldos">;
export type Backup = BackupsAnswer["respaldos"][number];

export const getBackups = (signal?: AbortSignal): Promise<BackupsAnswer> => getJson("/api/respaldos", signal);

export const makeBackup = (): Promise<BackupsAnswer> => postSecret("/api/respaldos", {}, BACKUP_MS_MAX);

export const backupAddress = (archivo: string): string => `/api/respaldos/${inPath(archivo)}`;

export const writeKeysFile = (frase: string): Promise<unknown> => postSecret("/api/respaldos/claves", { frase }, KEYS_MS_MAX);

export const keysAddress = (archivo: string): string => `/api/respaldos/claves/${inPath(archivo)}`;
