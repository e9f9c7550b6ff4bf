// What the supervisor's page reads; all of it is read again at every event of the stream.
import { keepPreviousData, useQuery } from "@tanstack/react-query";

import { getOverdue } from "@/api/atrasos";
import { getCalidad, type CalidadQuery } from "@/api/calidad";
import { getCard } from "@/api/card";
import { getEtapas, type EtapasQuery } from "@/api/etapas";
import { getHistory } from "@/api/history";
import { listOccupied } from "@/api/occupied";
import { listPulgadas, type PulgadasQuery } from "@/api/pulgadas";
import { listSpools } from "@/api/spools";
import { getStages } from "@/api/stages";
import { getVersion } from "@/api/version";
import { useSetShopClock } from "@/shop/clock";
import { useReportPollInterval } from "@/shop/pollInterval";

export const SCOPE = "supervision";
const BLOCKED_MAX = 500;
const FOUND_MAX = 30;

export function useOccupied() {
  return useQuery({
    queryKey: [SCOPE, "occupied"],
    queryFn: ({ signal }) => listOccupied(signal),
    refetchInterval: useReportPollInterval(),
  });
}

export function useOverdue() {
  return useQuery({
    queryKey: [SCOPE, "overdue"],
    queryFn: ({ signal }) => getOverdue(signal),
    refetchInterval: useReportPollInterval(),
  });
}

export function useEtapas(parameters: EtapasQuery) {
  return useQuery({
    queryKey: [SCOPE, "etapas", parameters],
    queryFn: ({ signal }) => getEtapas(parameters, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useReportPollInterval(),
  });
}

export function useBlocked() {
  return useQuery({
    queryKey: [SCOPE, "blocked"],
    queryFn: ({ signal }) => listSpools({ accion: "DESBLOQUEAR", limit: BLOCKED_MAX }, signal),
    refetchInterval: useReportPollInterval(),
  });
}

/** Also sets the shop's clock. */
export function useStages() {
  const stages = useQuery({
    queryKey: [SCOPE, "stages"],
    queryFn: ({ signal }) => getStages(signal),
    refetchInterval: useReportPollInterval(),
  });
  useSetShopClock(stages.data?.now, stages.dataUpdatedAt);
  return stages;
}

export function useFoundSpools(q: string) {
  return useQuery({
    queryKey: [SCOPE, "found", q],
    queryFn: ({ signal }) => listSpools({ q, limit: FOUND_MAX }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useReportPollInterval(),
  });
}

export function useSupervisorCard(tag: string, supervisor_id: number) {
  return useQuery({
    queryKey: [SCOPE, "card", tag, supervisor_id],
    queryFn: ({ signal }) => getCard(tag, supervisor_id, signal),
    refetchInterval: useReportPollInterval(),
  });
}

/** Why the spool has its workflow. Only shown: the workflow itself is taken from the card. */
export function useDiagnostic(tag: string) {
  return useQuery({
    queryKey: [SCOPE, "diagnostic", tag],
    queryFn: ({ signal }) => getVersion(tag, signal),
    refetchInterval: useReportPollInterval(),
  });
}

export function useHistory(tag: string) {
  return useQuery({
    queryKey: [SCOPE, "history", tag],
    queryFn: ({ signal }) => getHistory(tag, signal),
    refetchInterval: useReportPollInterval(),
  });
}

export function usePulgadas(parameters: PulgadasQuery) {
  return useQuery({
    queryKey: [SCOPE, "pulgadas", parameters],
    queryFn: ({ signal }) => listPulgadas(parameters, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useReportPollInterval(),
  });
}

export function useCalidad(parameters: CalidadQuery) {
  return useQuery({
    queryKey: [SCOPE, "calidad", parameters],
    queryFn: ({ signal }) => getCalidad(parameters, signal),
    placeholderData: keepPreviousData,
    refetchInterval: useReportPollInterval(),
  });
}
