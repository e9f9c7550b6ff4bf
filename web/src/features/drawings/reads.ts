// What the drawing page reads.
import { useQuery } from "@tanstack/react-query";

import { getCard } from "@/api/card";
import { getDrawing } from "@/api/planos";

export const drawingKey = (tag: string) => ["drawing", tag] as const;

/** Not read again while somebody places numbers: the version token tells when another person saved. */
export const useDrawing = (tag: string) =>
  useQuery({ queryKey: drawingKey(tag), queryFn: ({ signal }) => getDrawing(tag, signal), staleTime: Infinity, gcTime: 0, refetchOnWindowFocus: false });

export const useJoints = (tag: string) =>
  useQuery({
    queryKey: ["drawing", "joints", tag],
    queryFn: async ({ signal }) => (await getCard(tag, undefined, signal)).uniones.map(({ n_union }) => n_union),
    staleTime: 0,
  });
