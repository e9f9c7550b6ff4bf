// The read of the system page. The checks ask the database, Redis and Google: not every second.
import { useQuery } from "@tanstack/react-query";

import { getSystem } from "@/api/sistema";
import { useLanguage } from "@/i18n";

const POLL_MS = 60_000;
const UNFINISHED_MS = 2_000;

export function useSystem() {
  const language = useLanguage();
  return useQuery({
    queryKey: ["system", language],
    queryFn: ({ signal }) => getSystem(language, signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.revision_completa === false ? UNFINISHED_MS : POLL_MS),
  });
}
