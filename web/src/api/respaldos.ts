// /api/respaldos: the copies of the ledger, and the encrypted file of its keys.
import { getJson, inPath, postSecret } from "./http";

/** A copy of a large ledger is made and checked before the answer. */
const BACKUP_MS_MAX = 30 * 60_000;
/** Making a passphrase expensive to guess takes a second or two. */
const KEYS_MS_MAX = 60_000;

export interface Backup {
  archivo: string;
  bytes: number;
  hecho_en: string;
  motor: string;
  eventos: number | null;
  ultimo_seq: number | null;
}

export interface BackupsAnswer {
  carpeta: string;
  respaldos: Backup[];
  ultimo_en: string | null;
  edad_s: number | null;
  vencido: boolean;
  error: { texto: string; en: string } | null;
  claves: { archivo: string; hecho_en: string; al_dia: boolean } | null;
  proximo_en: string | null;
}

export const getBackups = (signal?: AbortSignal): Promise<BackupsAnswer> => getJson("/api/respaldos", signal);

export const makeBackup = (): Promise<unknown> => postSecret("/api/respaldos", {}, BACKUP_MS_MAX);

export const backupAddress = (archivo: string): string => `/api/respaldos/${inPath(archivo)}`;

export const writeKeysFile = (frase: string): Promise<unknown> => postSecret("/api/respaldos/claves", { frase }, KEYS_MS_MAX);

export const keysAddress = (archivo: string): string => `/api/respaldos/claves/${inPath(archivo)}`;
