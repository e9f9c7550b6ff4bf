// Whether the camera is open. One for the whole page: buttons on several screens ask for it, the frame shows it.
import { useSyncExternalStore } from "react";

let open = false;
const listeners = new Set<() => void>();

export function setCameraOpen(changed: boolean): void {
  open = changed;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useCameraOpen = (): boolean => useSyncExternalStore(subscribe, () => open);
