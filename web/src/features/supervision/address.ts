// Which tab of the supervisor's page an address shows: `?ver=produccion`, `?ver=spool&spool=MK-1335-CW-25238-011`.

export const VIEWS = ["ahora", "spool", "produccion", "etapas"] as const;
export type View = (typeof VIEWS)[number];

export interface Address {
  ver?: View;
  spool?: string;
}

const isView = (value: unknown): value is View => (VIEWS as readonly unknown[]).includes(value);

export function addressOf(search: Record<string, unknown>): Address {
  const { ver, spool } = search;
  const tag = typeof spool === "string" || typeof spool === "number" ? String(spool) : "";
  return { ...(isView(ver) && ver !== "ahora" && { ver }), ...(tag && { spool: tag }) };
}
