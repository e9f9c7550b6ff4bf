// /api/ajustes: the shop's own settings, who changed them, and the test of the webhook.
import { getJson, postSecret, query } from "./http";

export interface Shift {
  nombre: string;
  /** ISO days of the week: 1 is Monday. */
  dias: number[];
  desde: string;
  hasta: string;
}

export interface ShopSettings {
  nombre_taller: string;
  zona_horaria: string;
  tipos_solo_arm: string[];
  turnos: Shift[];
  webhook_conflictos: string;
  google_sheet: string;
}
export type SettingName = keyof ShopSettings;

export interface SettingsAnswer {
  ajustes: ShopSettings;
  /** Set in the machine's environment: the page cannot change them. */
  fijados: SettingName[];
  cambiado_en: string | null;
  cambiado_por: string | null;
}

export interface SettingChange {
  at: string;
  por: number | null;
  por_label: string | null;
  ajuste: SettingName;
  antes: unknown;
  despues: unknown;
}

export interface SettingsHistory {
  cambios: SettingChange[];
  next_cursor: string | null;
}

export const getSettings = (signal?: AbortSignal): Promise<SettingsAnswer> => getJson("/api/ajustes", signal);

export const changeSettings = (changes: Partial<ShopSettings>): Promise<SettingsAnswer> =>
  postSecret("/api/ajustes", changes);

export const getSettingsHistory = (cursor: string, signal?: AbortSignal): Promise<SettingsHistory> =>
  getJson(`/api/ajustes/historial${query({ cursor })}`, signal);
