// How reads are cached and retried.
import { QueryClient } from "@tanstack/react-query";

import { NoAnswerError } from "@/api/http";

const TRIES_MAX = 3;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: "always", // "online" in a browser means the internet, and the server is in the shop
      staleTime: 30_000,
      retry: (failures, error) => error instanceof NoAnswerError && failures < TRIES_MAX,
      retryDelay: (failures) => Math.min(4_000, 500 * 2 ** failures),
    },
  },
});
