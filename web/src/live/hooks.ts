// The live stream in React.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import type { SpoolUpdate } from "@/api/shapes";
import { stream, type Connection } from "./stream";

export const useConnection = (): Connection => useSyncExternalStore(stream.watch, () => stream.connection);

/** For a screen on a wall. */
export const useAwake = (): void => useEffect(() => stream.stayAwake(), []);

/** `onBegin` is the moment to read anew: the stream starts there and knows nothing of before. */
export function useLive(onUpdate: (update: SpoolUpdate) => void, onBegin: () => void = () => undefined): void {
  const update = useEffectEvent(onUpdate);
  const begin = useEffectEvent(onBegin);
  useEffect(() => stream.listen({ onUpdate: update, onBegin: begin }), []);
}
