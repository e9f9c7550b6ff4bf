// GET /api/sistema: what `carrete doctor` says, versions, sizes, figures, the certificate and the addresses of the server.
import { getJson, query } from "./http";

export type CheckLevel = "bien" | "aviso" | "error";

export interface SystemCheck {
  nivel: CheckLevel;
  que: string;
  que_hacer: string;
}

export interface CertificateStatus {
  huella: string;
  vence: string;
  nombres: string[];
  autoridad_huella: string | null;
  autoridad_vence: string | null;
}

export interface SystemAnswer {
  version: string;
  esquema: number;
  motor: string;
  python: string;
  iniciado_en: string;
  tamanos: { que: string; bytes: number }[];
  revision: SystemCheck[];
  /** False: a check still waits for its answer. */
  revision_completa: boolean;
  metricas: { que: string; valor: string }[];
  certificado: CertificateStatus | null;
  direcciones: string[];
}

export const getSystem = (idioma: "es" | "en", signal?: AbortSignal): Promise<SystemAnswer> =>
  getJson(`/api/sistema${query({ idioma })}`, signal);
