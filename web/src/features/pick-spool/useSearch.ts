// Search while the worker types: the loaded spools are filtered at once, the server finds the others a moment later.
import { useMemo } from "react";

import type { Operacion, Spool } from "@/api/types";
import { byTag, matches } from "@/shop/merge";
import { useFree, type FreeSpools } from "@/shop/reads";
import { useDebounced } from "@/shop/useDebounced";

const DEBOUNCE_MS = 200;

/** The free spools that match what is typed. */
export function useSearch(worker_id: number, operacion: Operacion, typed: string): FreeSpools {
  const sent = useDebounced(typed.trim(), DEBOUNCE_MS);
  const everything = useFree(worker_id, operacion, "");
  const found = useFree(worker_id, operacion, sent, sent !== "");
  const wanted = typed.trim();
  const spools = useMemo(
    () => (wanted === "" ? everything.spools : matchesOfBoth(everything.spools, found.spools, wanted)),
    [everything.spools, found.spools, wanted],
  );
  if (wanted === "") return everything;
  const answered = sent === wanted && !found.pending;
  return { ...found, spools, total: answered ? found.total : null, pending: !answered };
}

function matchesOfBoth(loaded: readonly Spool[], found: readonly Spool[], wanted: string): Spool[] {
  const all = new Map([...loaded, ...found].map((spool) => [spool.tag_spool, spool]));
  return [...all.values()].filter((spool) => matches(spool, wanted)).sort(byTag);
}
