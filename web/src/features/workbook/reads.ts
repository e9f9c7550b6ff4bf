// The read of the card: every few seconds while the page is visible, because the stream has no events about the lane.
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { getSyncStatus } from "@/api/sync-status";
import { useLive } from "@/live/hooks";

export const SYNC = ["workbook", "status"] as const;
const POLL_MS = 5_000;

/** A server without a workbook gets one only by a restart, and then the stream starts again. */
export function useSyncStatus() {
  const cache = useQueryClient();
  useLive(
    () => undefined,
    () => void cache.invalidateQueries({ queryKey: SYNC }),
  );
  return useQuery({
    queryKey: SYNC,
    queryFn: ({ signal }) => getSyncStatus(signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.configured === false ? false : POLL_MS),
  });
}
