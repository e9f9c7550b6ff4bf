// How reads are cached: fresh while the stream lives, asked again when it does not.
import { QueryClient } from "@tanstack/react-query";

import { NoAnswer } from "@/api/http";

const TRIES_MAX = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always", // the shop's network is not the internet
      staleTime: 30_000,
      retry: (failures, error) => error instanceof NoAnswer && failures < TRIES_MAX,
      retryDelay: (failures) => Math.min(4_000, 500 * 2 ** failures),
    },
  },
});
