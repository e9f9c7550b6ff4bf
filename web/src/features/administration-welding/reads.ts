// What the section reads. The server's own calculation (until when a qualification covers) changes with every weld.
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { listProcedures, listQualifications, type WeldingSaved } from "@/api/soldadura";
import { notify } from "@/ui/notices";

const WELDING = ["welding"] as const;
const READ_EVERY_MS = 30_000;

export const useProcedures = () =>
  useQuery({ queryKey: [...WELDING, "wps"], queryFn: ({ signal }) => listProcedures(signal), refetchInterval: READ_EVERY_MS });

export const useQualifications = () =>
  useQuery({ queryKey: [...WELDING, "calificaciones"], queryFn: ({ signal }) => listQualifications(signal), refetchInterval: READ_EVERY_MS });

/** Tells what the server answered, and reads the lists again. */
export function useFollowSave(): (saving: Promise<WeldingSaved>) => Promise<void> {
  const cache = useQueryClient();
  return async (saving) => {
    notify("good", (await saving).message);
    await cache.invalidateQueries({ queryKey: WELDING });
  };
}
