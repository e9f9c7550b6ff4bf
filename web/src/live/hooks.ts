// The live stream in React.
import { useEffect, useEffectEvent, useSyncExternalStore } from "react";

import { server, type ServerState } from "@/api/server-state";
import type { SpoolUpdate } from "@/api/types";
import { useWords } from "@/i18n";
import { stream, type Connection } from "./stream";

/** Whether events arrive through the stream: decides how often to read and when to send again. Screens show `useServerState`. */
export const useConnection = (): Connection => useSyncExternalStore(stream.subscribe, () => stream.connection);

/** The state of the server that every screen shows. */
export const useServerState = (): ServerState => useSyncExternalStore(server.subscribe, server.state);

/** Whether the server itself is away: screens then show the tablet's copy. */
export const useIsAway = (): boolean => useSyncExternalStore(server.subscribe, server.isAway);

/** The sentence for a part of a screen whose read failed: the server is unreachable, or only this read failed. */
export function useReadErrorText(): string {
  const t = useWords();
  return useServerState() === "offline" ? t("app.unreachable") : t("app.not_loaded");
}

/** For the wall board: the stream stays open while the browser says that the page is hidden. */
export const useKeepStreamOpen = (): void => useEffect(() => stream.keepOpen(), []);

/** `onStart` is the moment to read again: a stream that starts brings nothing that happened before. */
export function useLive(onUpdate: (update: SpoolUpdate) => void, onStart: () => void = () => undefined): void {
  const update = useEffectEvent(onUpdate);
  const start = useEffectEvent(onStart);
  useEffect(() => stream.listen({ onUpdate: update, onStart: start }), []);
}
