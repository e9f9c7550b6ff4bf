// The live stream in React.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import { server, type ServerState } from "@/api/server-state";
import type { SpoolUpdate } from "@/api/types";
import { useWords } from "@/i18n";
import { stream, type Connection } from "./stream";

/** Whether news arrive by themselves. For what is read and sent; people are told `useServerState`. */
export const useConnection = (): Connection => useSyncExternalStore(stream.watch, () => stream.connection);

/** What every screen says about the server. */
export const useServerState = (): ServerState => useSyncExternalStore(server.watch, server.state);

/** In the place of something that could not be read: is it the server, or only this? */
export function useUnread(): string {
  const t = useWords();
  return useServerState() === "offline" ? t("app.unreachable") : t("app.not_loaded");
}

/** For a screen on a wall. */
export const useAwake = (): void => useEffect(() => stream.stayAwake(), []);

/** `onBegin` is the moment to read anew: the stream starts there and knows nothing of before. */
export function useLive(onUpdate: (update: SpoolUpdate) => void, onBegin: () => void = () => undefined): void {
  const update = useEffectEvent(onUpdate);
  const begin = useEffectEvent(onBegin);
  useEffect(() => stream.listen({ onUpdate: update, onBegin: begin }), []);
}
