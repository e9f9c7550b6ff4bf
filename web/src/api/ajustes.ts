// /api/ajustes: the shop's own settings, and who changed them.
import { getJson, postSecret, query } from "./http";
import type { GetAnswer, PostBody } from "./types";

export type SettingsAnswer = GetAnswer<"/api/ajustes">;
export type ShopSettings = SettingsAnswer["ajustes"];
export type SettingName = keyof ShopSettings;
/** Its days are those of ISO: 1 is Monday. */
export type Shift = ShopSettings["turnos"][number];
export type SettingsHistory = GetAnswer<"/api/ajustes/historial">;
export type SettingChange = SettingsHistory["cambios"][number];

export const getSettings = (signal?: AbortSignal): Promise<SettingsAnswer> => getJson("/api/ajustes", signal);

export const changeSettings = (changes: PostBody<"/api/ajustes">): Promise<SettingsAnswer> => postSecret("/api/ajustes", changes);

export const getSettingsHistory = (cursor: string, signal?: AbortSignal): Promise<SettingsHistory> =>
  getJson(`/api/ajustes/historial${query({ cursor })}`, signal);
