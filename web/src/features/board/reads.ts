// What the board reads, and how old it is. A read that fails leaves what is shown and is tried again.
import { useQuery } from "@tanstack/react-query";

import { listOccupied } from "@/api/occupied";
import { listPulgadas } from "@/api/pulgadas";
import { getStages } from "@/api/stages";
import { useClockOf } from "@/shop/clock";
import { useFreshReads, useRhythm } from "@/shop/fresh";

const SCOPE = "board";

export function useBoard(day: string) {
  useFreshReads(SCOPE);
  const rhythm = { refetchInterval: useRhythm(), refetchIntervalInBackground: true, retry: false };
  const occupied = useQuery({
    queryKey: [SCOPE, "occupied"],
    queryFn: ({ signal }) => listOccupied(signal),
    ...rhythm,
  });
  const stages = useQuery({ queryKey: [SCOPE, "stages"], queryFn: ({ signal }) => getStages(signal), ...rhythm });
  const inches = useQuery({
    queryKey: [SCOPE, "pulgadas", day],
    queryFn: ({ signal }) => listPulgadas({ desde: day, hasta: day, por: "operacion" }, signal),
    ...rhythm,
  });
  useClockOf(stages.data?.now, stages.dataUpdatedAt);
  return { occupied, stages, inches };
}
