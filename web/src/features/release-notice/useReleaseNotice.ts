// The notice for a worker whose spool was released by a supervisor or in the sheet: at once, or when the worker comes back to
// the tablet.
import { useEffect } from "react";

import { getHistory } from "@/api/history";
import type { Spool, Worker } from "@/api/types";
import { words } from "@/i18n";
import { useHeld } from "@/shop/reads";
import { storage } from "@/storage/storage";
import { notifyPerson } from "@/ui/notices";
import { releaseFrom } from "./release";

const STORED_MAX = 100;
const storageName = (worker: Worker): string => `carrete.held.${worker.id}`;

export function useReleaseNotice(worker: Worker): void {
  const held = useHeld(worker.id).data;
  useEffect(() => {
    if (held) compareWithStored(worker, held);
  }, [worker, held]);
}

function compareWithStored(worker: Worker, held: readonly Spool[]): void {
  const now = held.map((spool) => spool.tag_spool).slice(0, STORED_MAX);
  const gone = storedTags(worker).filter((tag) => !now.includes(tag));
  storage.set(storageName(worker), JSON.stringify(now));
  for (const tag of gone) void notifyRelease(worker, tag);
}

async function notifyRelease(worker: Worker, tag: string): Promise<void> {
  try {
    const release = releaseFrom(await getHistory(tag), worker.id);
    if (release) notifyPerson(worker.id, "warn", words(`freed.${release.kind}`, { tag, ...release }), true);
  } catch {
    storeTag(worker, tag); // the server did not answer: the next list leads to another try
  }
}

function storedTags(worker: Worker): string[] {
  try {
    const stored = JSON.parse(storage.get(storageName(worker)) ?? "[]") as unknown;
    return Array.isArray(stored) ? stored.filter((tag) => typeof tag === "string") : [];
  } catch {
    return [];
  }
}

function storeTag(worker: Worker, tag: string): void {
  const tags = [...new Set([...storedTags(worker), tag])].slice(0, STORED_MAX);
  storage.set(storageName(worker), JSON.stringify(tags));
}
