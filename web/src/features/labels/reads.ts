// The reads of the label page.
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { firstSheet, getLabels, type LabelChoice, type LabelOrder } from "@/api/etiquetas";

export const LABELS = ["labels"] as const;

export const useLabels = (choice: LabelChoice) =>
  useQuery({
    queryKey: [...LABELS, "list", choice],
    queryFn: ({ signal }) => getLabels(choice, signal),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });

/** Not asked again by itself: a drawing costs the server work, and a refusal stays one. */
export const usePreview = (order: LabelOrder | null) =>
  useQuery({
    queryKey: [...LABELS, "preview", order],
    queryFn: () => (order ? firstSheet(order) : null),
    enabled: order !== null,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: Infinity,
    gcTime: 60_000,
  });
