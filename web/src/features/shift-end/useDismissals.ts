// For which end of a shift a person closed the question on this tablet. It survives a reload, and the person's next sign-in.
import { useEffect, useState } from "react";

import { storage } from "@/storage/storage";
import { NOTHING_DISMISSED, type Dismissals, type Moment } from "./question";

const nameOf = (worker_id: number): string => `carrete.shift-end.${worker_id}`;

export interface DismissalState {
  dismissed: Dismissals;
  dismiss: (moment: Moment, end: string) => void;
}

export function useDismissals(worker_id: number): DismissalState {
  const [dismissed, setDismissed] = useState(() => stored(worker_id));
  // When the person leaves, also because another one signs in. A reload does not come here.
  useEffect(() => () => store(worker_id, { ...stored(worker_id), here: false }), [worker_id]);
  const dismiss = (moment: Moment, end: string): void => {
    const changed = { ...dismissed, [moment]: end, here: true };
    store(worker_id, changed);
    setDismissed(changed);
  };
  return { dismissed, dismiss };
}

function stored(worker_id: number): Dismissals {
  try {
    return { ...NOTHING_DISMISSED, ...(JSON.parse(storage.get(nameOf(worker_id)) ?? "{}") as Partial<Dismissals>) };
  } catch {
    return NOTHING_DISMISSED;
  }
}

function store(worker_id: number, dismissals: Dismissals): void {
  if (JSON.stringify(dismissals) !== JSON.stringify(NOTHING_DISMISSED)) storage.set(nameOf(worker_id), JSON.stringify(dismissals));
}
