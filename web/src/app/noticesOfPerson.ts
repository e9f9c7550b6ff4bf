// Notices go with the person they are for: whoever comes next does not read them.
import { currentWorker, subscribe } from "@/session/session";
import { showNoticesTo } from "@/ui/notices";

/** Before the first screen is drawn, and at every change of person. */
export function startNoticesOfPerson(): void {
  const follow = (): void => showNoticesTo(currentWorker()?.id ?? null);
  follow();
  subscribe(follow);
}
