// Which taps may be sent now, and what a refusal of identity means for a tap. Such a refusal never ends a tap: the tap waits.
// Pure functions.
import type { Problem } from "@/api/types";
import { authorIdOf, type Tap, type TapAuthor, type TapWait } from "./tap";

/** Who is signed in on this tablet. `null`: nobody, or the screen is locked. */
export type Signed = TapAuthor | null;

/** The sealed PINs of this tablet: those that the server has not checked yet, and those that were right. All others were wrong, or
 * nothing is known of them. */
export interface Seals {
  readonly open: ReadonlySet<string>;
  readonly right: ReadonlySet<string>;
}

/** The server knows that the PIN before this tap was its author's. */
export const isProved = ({ author }: Tap, { right }: Seals): boolean => !author?.seal || right.has(author.seal);

/** Why this tap must not be sent now; undefined: it may be sent. A PIN of which nothing is known counts as wrong. */
export function waitOf(tap: Tap, signed: Signed, seals: Seals): TapWait | undefined {
  if (tap.doubtful) return "confirm";
  if (!isProved(tap, seals)) return seals.open.has(tap.author?.seal ?? "") ? "proof" : "confirm";
  if (tap.signature) return undefined;
  return signed !== null && signed.worker_id === authorIdOf(tap) && signed.seal === null ? undefined : "author";
}

const STATUSES = [401, 421, 423, 429];
const CODES = ["PIN_REQUERIDO", "IDENTIDAD_DISTINTA", "TOQUE_NO_VALIDO"];

/** The server did not look at the action: it does not know who asks. */
export const isIdentityRefusal = ({ status, code }: Pick<Problem, "status" | "code">): boolean =>
  STATUSES.includes(status) || CODES.includes(code);

/** What a tap waits for after such a refusal; undefined: nothing, it is sent again after a while. */
export function waitAfter({ code }: Pick<Problem, "code">): TapWait | undefined {
  if (code === "PIN_REQUERIDO") return "pin";
  if (code === "DISPOSITIVO_NO_INSCRITO") return "device";
  return ["SESION_REQUERIDA", "IDENTIDAD_DISTINTA", "TOQUE_NO_VALIDO"].includes(code) ? "author" : undefined;
}
