// The read of the card: every few seconds while the page is visible, because the stream has no events about the lane.
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { getSyncStatus } from "@/api/sync-status";
import { useLive } from "@/live/hooks";

export const SYNC = ["workbook", "status"] as const;
const POLL_MS = 5_000;
const UNCONNECTED_MS = 60_000;

/** An administrator may connect a workbook at any time. */
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
    refetchInterval: ({ state }) => (state.data?.configured === false ? UNCONNECTED_MS : POLL_MS),
  });
}
