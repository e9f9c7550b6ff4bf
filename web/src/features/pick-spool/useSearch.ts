// Search as one types: what is loaded answers at once, the server a moment later with everything else.
import { useEffect, useMemo, useState } from "react";

import type { Operacion, Spool } from "@/api/types";
import { byTag, matches } from "@/shop/merge";
import { useFree, type Free } from "@/shop/reads";

const SETTLE_MS = 200;

export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** The free spools that match what is typed. */
export function useSearch(worker_id: number, operacion: Operacion, typed: string): Free {
  const asked = useSettled(typed.trim());
  const everything = useFree(worker_id, operacion, "");
  const found = useFree(worker_id, operacion, asked, asked !== "");
  const wanted = typed.trim();
  const spools = useMemo(
    () => (wanted === "" ? everything.spools : either(everything.spools, found.spools, wanted)),
    [everything.spools, found.spools, wanted],
  );
  if (wanted === "") return everything;
  const answered = asked === wanted && !found.pending;
  return { ...found, spools, total: answered ? found.total : null, pending: !answered };
}

function either(loaded: readonly Spool[], found: readonly Spool[], wanted: string): Spool[] {
  const all = new Map([...loaded, ...found].map((spool) => [spool.tag_spool, spool]));
  return [...all.values()].filter((spool) => matches(spool, wanted)).sort(byTag);
}
