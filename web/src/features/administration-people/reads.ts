// The people as the server knows them, and what is read again after a change.
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { listPeople, type PersonChanged } from "@/api/personas";
import { refreshAccess } from "@/session/access";
import { currentWorker } from "@/session/session";
import { notify } from "@/ui/notices";

const PEOPLE = ["people"];
/** A workbook may ask for privileges, and PINs may be locked, while the page is open. */
const READ_EVERY_MS = 30_000;

export const usePeople = () =>
  useQuery({ queryKey: PEOPLE, queryFn: ({ signal }) => listPeople(signal), refetchInterval: READ_EVERY_MS });

/** Reads again what a change of people touches. Whoever changed themselves may have other roles now. */
export function useReadAgain(): (changedId?: number) => Promise<void> {
  const cache = useQueryClient();
  return async (changedId) => {
    await Promise.all([
      cache.invalidateQueries({ queryKey: PEOPLE }),
      cache.invalidateQueries({ queryKey: ["workers"] }),
      changedId === currentWorker()?.id ? refreshAccess() : undefined,
    ]);
  };
}

/** Waits for a change, says what the server answered, and reads again. */
export function useFollowChange(): (change: Promise<PersonChanged>) => Promise<void> {
  const readAgain = useReadAgain();
  return async (change) => {
    const { message, worker } = await change;
    notify("good", message);
    await readAgain(worker.id);
  };
}
