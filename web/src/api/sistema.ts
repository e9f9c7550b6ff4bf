// GET /api/sistema: what `carrete doctor` says, versions, sizes, figures, the certificate and the addresses of the server.
import { getJson, query } from "./http";
import type { GetAnswer } from "./types";

export type SystemAnswer = GetAnswer<"/api/sistema">;
export type SystemCheck = SystemAnswer["revision"][number];
export type CheckLevel = SystemCheck["nivel"];
export type CertificateStatus = NonNullable<SystemAnswer["certificado"]>;

export const getSystem = (idioma: "es" | "en", signal?: AbortSignal): Promise<SystemAnswer> =>
  getJson(`/api/sistema${query({ idioma })}`, signal);
