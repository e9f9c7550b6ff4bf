// /api/dispositivos: an administrator makes a code, the new device uses it and shows a number, the administrator confirms the number.
import { getJson, inPath, postSecret } from "./http";
import type { DeviceKind, DevicesAnswer, EnrolmentAnswer } from "./identity-types";

export const makeEnrolment = (nombre: string, tipo: DeviceKind): Promise<EnrolmentAnswer> =>
  postSecret("/api/dispositivos/inscripciones", { nombre, tipo });

export const redeemEnrolmentCode = (codigo: string): Promise<{ numero: string }> =>
  postSecret("/api/dispositivos/inscripciones/usar", { codigo });

export const confirmEnrolment = (id: string, numero: string): Promise<unknown> =>
  postSecret(`/api/dispositivos/inscripciones/${inPath(id)}/confirmar`, { numero });

export const cancelEnrolment = (id: string): Promise<unknown> =>
  postSecret(`/api/dispositivos/inscripciones/${inPath(id)}/cancelar`, {});

export const revokeDevice = (id: string): Promise<unknown> => postSecret(`/api/dispositivos/${inPath(id)}/revocar`, {});

export const renameDevice = (id: string, nombre: string): Promise<unknown> =>
  postSecret(`/api/dispositivos/${inPath(id)}/renombrar`, { nombre });

export const listDevices = (signal?: AbortSignal): Promise<DevicesAnswer> => getJson("/api/dispositivos", signal);
