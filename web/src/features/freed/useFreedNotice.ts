// Tells a worker whose spool was freed by a supervisor or in the sheet: at once, or when they come back to the tablet.
import { useEffect } from "react";

import { getHistory } from "@/api/history";
import type { Spool, Worker } from "@/api/types";
import { words } from "@/i18n";
import { useHeld } from "@/shop/reads";
import { storage } from "@/storage/storage";
import { notify } from "@/ui/notices";
import { howItWasFreed } from "./freed";

const REMEMBERED_MAX = 100;
const nameOf = (worker: Worker): string => `carrete.held.${worker.id}`;

export function useFreedNotice(worker: Worker): void {
  const held = useHeld(worker.id).data;
  useEffect(() => {
    if (held) compare(worker, held);
  }, [worker, held]);
}

function compare(worker: Worker, held: readonly Spool[]): void {
  const now = held.map((spool) => spool.tag_spool).slice(0, REMEMBERED_MAX);
  const gone = remembered(worker).filter((tag) => !now.includes(tag));
  storage.keep(nameOf(worker), JSON.stringify(now));
  for (const tag of gone) void tell(worker, tag);
}

async function tell(worker: Worker, tag: string): Promise<void> {
  try {
    const freed = howItWasFreed(await getHistory(tag), worker.id);
    if (freed) notify("warn", words(`freed.${freed.kind}`, { tag, ...freed }), true);
  } catch {
    remember(worker, tag); // nobody answered: it is asked again with the next list
  }
}

function remembered(worker: Worker): string[] {
  try {
    const kept = JSON.parse(storage.get(nameOf(worker)) ?? "[]") as unknown;
    return Array.isArray(kept) ? kept.filter((tag) => typeof tag === "string") : [];
  } catch {
    return [];
  }
}

function remember(worker: Worker, tag: string): void {
  const tags = [...new Set([...remembered(worker), tag])].slice(0, REMEMBERED_MAX);
  storage.keep(nameOf(worker), JSON.stringify(tags));
}
