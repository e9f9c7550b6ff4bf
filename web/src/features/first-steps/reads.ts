// The read of the first start's steps.
import { useQuery } from "@tanstack/react-query";

import { getFirstSteps } from "@/api/pasos";
import { retryOnly } from "@/shop/pollInterval";

export const FIRST_STEPS = ["first-steps"] as const;

export const useFirstSteps = () =>
  useQuery({ queryKey: FIRST_STEPS, queryFn: ({ signal }) => getFirstSteps(signal), staleTime: 0, refetchInterval: retryOnly });
