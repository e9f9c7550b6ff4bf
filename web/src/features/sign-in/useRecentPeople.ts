// The people who signed in on this device lately, the last one first.
import { useQuery } from "@tanstack/react-query";

import { listRecentPeople } from "@/api/sesion";
import type { Worker } from "@/api/types";

export const RECENT_PEOPLE = ["recent-people"];

export function useRecentPeople(enabled: boolean): readonly Worker[] {
  return useQuery({ queryKey: RECENT_PEOPLE, queryFn: ({ signal }) => listRecentPeople(signal), enabled }).data ?? [];
}

export const others = (people: readonly Worker[], worker: Worker | null): readonly Worker[] =>
  people.filter(({ id }) => id !== worker?.id);
