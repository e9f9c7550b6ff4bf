// Which of the offers a worker sees, and in which order. Pure functions.
import type { Relevo } from "@/api/relevos";

/** Offers to this person come first, then those to everybody who is qualified; each the oldest first. `putOff`: the ids of those that the
 * person does not want to see now. */
export function offersToShow(received: readonly Relevo[], putOff: ReadonlySet<Relevo["id"]>): Relevo[] {
  const shown = received.filter(({ id }) => !putOff.has(id));
  return [...shown.filter(isPersonal), ...shown.filter((relevo) => !isPersonal(relevo))];
}

/** Only these can be declined: an offer to everybody is still there for the others. */
export const isPersonal = ({ receptor_id }: Pick<Relevo, "receptor_id">): boolean => receptor_id !== null;
