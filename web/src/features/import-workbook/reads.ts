// The reads about uploaded workbooks. While the server works on one, it is read every second.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { getPreviewRows, listUploads, type RowKind } from "@/api/planilla";
import { isWorking } from "./progress";

export const UPLOADS = ["uploads"] as const;
const WORKING_MS = 1_000;
const RESTING_MS = 30_000;

export const useUploads = () =>
  useQuery({
    queryKey: [...UPLOADS, "list"],
    queryFn: ({ signal }) => listUploads(signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(isWorking) ? WORKING_MS : RESTING_MS),
  });

/** `read`: changes when the server has read the workbook anew. */
export const usePreviewRows = (id: string, tipo: RowKind, read: string) =>
  useInfiniteQuery({
    queryKey: [...UPLOADS, "rows", id, tipo, read],
    queryFn: ({ pageParam, signal }) => getPreviewRows(id, tipo, pageParam, signal),
    initialPageParam: "",
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: Infinity,
  });
