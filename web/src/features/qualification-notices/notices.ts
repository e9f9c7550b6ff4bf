// Which qualifications the card names, and how urgent each is. Pure.
import type { EndingQualification } from "@/api/soldadura";

/** The others are on the administrator's page. */
export const NOTICES_MAX = 12;

export type Urgency = "ended" | "today" | "soon";

/** `today` is the last day on which it covers. */
export const urgencyOf = ({ dias }: Pick<EndingQualification, "dias">): Urgency => (dias < 0 ? "ended" : dias === 0 ? "today" : "soon");

export const shownNotices = <T>(all: readonly T[]): { shown: T[]; more: number } => ({
  shown: all.slice(0, NOTICES_MAX),
  more: Math.max(0, all.length - NOTICES_MAX),
});
