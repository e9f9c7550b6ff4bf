// The read of the backup page.
import { useQuery } from "@tanstack/react-query";

import { getBackups } from "@/api/respaldos";

export const BACKUPS = ["backups"] as const;
const POLL_MS = 30_000;
const RUNNING_MS = 2_000;

export const useBackups = () =>
  useQuery({
    queryKey: BACKUPS,
    queryFn: ({ signal }) => getBackups(signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.en_curso ? RUNNING_MS : POLL_MS),
  });
