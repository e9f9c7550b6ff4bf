// What is read again after a change of people.
import { useQueryClient } from "@tanstack/react-query";

import type { PersonChanged } from "@/api/personas";
import { refreshAccess } from "@/session/access";
import { currentWorker } from "@/session/session";
import { PEOPLE } from "@/shop/usePeople";
import { notify } from "@/ui/notices";

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
