// What the board reads. When a read fails, the board keeps what it shows and tries again.
import { useQuery } from "@tanstack/react-query";

import { listOccupied } from "@/api/occupied";
import { listPulgadas } from "@/api/pulgadas";
import { getStages } from "@/api/stages";
import { useSetShopClock } from "@/shop/clock";
import { useReportPollInterval } from "@/shop/pollInterval";
import { useRefreshOnEvents } from "@/shop/refresher";

const SCOPE = "board";

export function useBoard(day: string) {
  useRefreshOnEvents(SCOPE);
  const polling = { refetchInterval: useReportPollInterval(), refetchIntervalInBackground: true, retry: false };
  const occupied = useQuery({
    queryKey: [SCOPE, "occupied"],
    queryFn: ({ signal }) => listOccupied(signal),
    ...polling,
  });
  const stages = useQuery({ queryKey: [SCOPE, "stages"], queryFn: ({ signal }) => getStages(signal), ...polling });
  const inches = useQuery({
    queryKey: [SCOPE, "pulgadas", day],
    queryFn: ({ signal }) => listPulgadas({ desde: day, hasta: day, por: "operacion" }, signal),
    ...polling,
  });
  useSetShopClock(stages.data?.now, stages.dataUpdatedAt);
  return { occupied, stages, inches };
}
