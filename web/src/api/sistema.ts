// GET /api/sistema: what `carrete doctor` says, versions, sizes, figures, the certificate and the addresses of the server.
import { getJson } from "./http";

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
  esquema: string | number;
  motor: string;
  python: string;
  iniciado_en: string;
  tamanos: { que: string; bytes: number }[];
  revision: SystemCheck[];
  metricas: { que: string; valor: string | number }[];
  certificado: CertificateStatus | null;
  direcciones: string[];
}

/** The checks ask the database, Redis and Google. */
export const getSystem = (signal?: AbortSignal): Promise<SystemAnswer> => getJson("/api/sistema", signal);
