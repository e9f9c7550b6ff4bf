// Which tokens still work, and for how long. Pure.
import type { ApiToken } from "@/api/tokens";

const DAY_MS = 24 * 3_600_000;
/** Before a token ends, somebody has to make another one. */
export const SOON_DAYS = 30;

export type TokenState = "works" | "soon" | "over" | "revoked";

/** `now`: epoch ms. */
export function tokenState({ vence, revocado_en }: Pick<ApiToken, "vence" | "revocado_en">, now: number): TokenState {
  if (revocado_en !== null) return "revoked";
  if (vence === null) return "works";
  const left_ms = Date.parse(vence) - now;
  if (left_ms <= 0) return "over";
  return left_ms < SOON_DAYS * DAY_MS ? "soon" : "works";
}
