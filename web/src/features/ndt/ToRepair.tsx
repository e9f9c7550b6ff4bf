// On a welder's list of spools: how many joints were rejected and wait for a repair, and the way to them. A spool whose
// welding is complete is in no list of SOLD, so without this nobody on the floor would find them.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { listExams } from "@/api/ndt";
import type { Worker } from "@/api/types";
import { useWords } from "@/i18n";
import { useConnection } from "@/live/hooks";
import styles from "./Ndt.module.css";
import { jointsOf } from "./joints";
import { mayRepair } from "./roles";
import { NDT_KEY, useNdtNews } from "./useNdt";

const COUNTED_MAX = 200;

export function ToRepair({ worker }: { worker: Worker }) {
  const t = useWords();
  const live = useConnection() === "live";
  const { data } = useQuery({
    queryKey: [NDT_KEY, "to-repair"],
    queryFn: ({ signal }) => listExams({ estado: "POR_REPARAR", limit: COUNTED_MAX }, signal),
    enabled: live && mayRepair(worker),
  });
  useNdtNews();
  const count = jointsOf(data?.ensayos ?? []);
  if (!live || count === 0) return null;
  return (
    <Link to="/ensayos" className={styles.toRepair}>
      {t("ndt.to_repair", { count })}
    </Link>
  );
}
