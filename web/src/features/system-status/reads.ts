// The read of the system page. The checks ask the database, Redis and Google: not every second.
import { useQuery } from "@tanstack/react-query";

import { getSystem } from "@/api/sistema";

const POLL_MS = 60_000;

export const useSystem = () =>
  useQuery({ queryKey: ["system"], queryFn: ({ signal }) => getSystem(signal), staleTime: 0, refetchInterval: POLL_MS });
