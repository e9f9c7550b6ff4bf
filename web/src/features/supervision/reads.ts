// What the supervisor's page reads; all of it follows the shop.
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { getCalidad, type CalidadQuery } from "@/api/calidad";
import { getCard } from "@/api/card";
import { getHistory } from "@/api/history";
import { listOccupied } from "@/api/occupied";
import { listPulgadas, type PulgadasQuery } from "@/api/pulgadas";
import { listSpools } from "@/api/spools";
import { getStages } from "@/api/stages";
import { getVersion } from "@/api/version";
import { useClockOf } from "@/shop/clock";
import { useRhythm } from "@/shop/fresh";

export const SCOPE = "supervision";
const BLOCKED_MAX = 500;
const FOUND_MAX = 30;

export function useOccupied() {
  return useQuery({
    queryKey: [SCOPE, "occupied"],
    queryFn: ({ signal }) => listOccupied(signal),
    refetchInterval: useRhythm(),
  });
}

export function useBlocked() {
  return useQuery({
    queryKey: [SCOPE, "blocked"],
    queryFn: ({ signal }) => listSpools({ accion: "DESBLOQUEAR", limit: BLOCKED_MAX }, signal),
    refetchInterval: useRhythm(),
  });
}

/** Also sets the shop's clock. */
export function useStages() {
  const stages = useQuery({
    queryKey: [SCOPE, "stages"],
    queryFn: ({ signal }) => getStages(signal),
    refetchInterval: useRhythm(),
  });
  useClockOf(stages.data?.now, stages.dataUpdatedAt);
  return stages;
}

export function useFound(q: string) {
  return useQuery({
    queryKey: [SCOPE, "found", q],
    queryFn: ({ signal }) => listSpools({ q, limit: FOUND_MAX }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useRhythm(),
  });
}

export function useCard(tag: string, supervisor_id: number) {
  return useQuery({
    queryKey: [SCOPE, "card", tag, supervisor_id],
    queryFn: ({ signal }) => getCard(tag, supervisor_id, signal),
    refetchInterval: useRhythm(),
  });
}

/** Why the spool is worked as it is. Only told, never obeyed: its card says how it is worked. */
export function useDiagnostic(tag: string) {
  return useQuery({
    queryKey: [SCOPE, "diagnostic", tag],
    queryFn: ({ signal }) => getVersion(tag, signal),
    refetchInterval: useRhythm(),
  });
}

export function useHistory(tag: string) {
  return useQuery({
    queryKey: [SCOPE, "history", tag],
    queryFn: ({ signal }) => getHistory(tag, signal),
    refetchInterval: useRhythm(),
  });
}

export function usePulgadas(asked: PulgadasQuery) {
  return useQuery({
    queryKey: [SCOPE, "pulgadas", asked],
    queryFn: ({ signal }) => listPulgadas(asked, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useRhythm(),
  });
}

export function useCalidad(asked: CalidadQuery) {
  return useQuery({
    queryKey: [SCOPE, "calidad", asked],
    queryFn: ({ signal }) => getCalidad(asked, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useRhythm(),
  });
}
