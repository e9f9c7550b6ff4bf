// What the address of the dossier page may say: the spool that it was opened from.
export interface DossierAddress {
  spool?: string;
}

export function dossierAddress({ spool }: Record<string, unknown>): DossierAddress {
  const tag = typeof spool === "string" || typeof spool === "number" ? String(spool) : "";
  return tag ? { spool: tag } : {};
}
