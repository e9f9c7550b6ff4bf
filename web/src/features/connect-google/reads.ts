// The read of the connection with Google.
import { useQuery } from "@tanstack/react-query";

import { getGoogle } from "@/api/planilla-google";

export const GOOGLE = ["google"] as const;
const POLL_MS = 10_000;

export const useGoogle = () =>
  useQuery({ queryKey: GOOGLE, queryFn: ({ signal }) => getGoogle(signal), staleTime: 0, refetchInterval: POLL_MS });
