// Tells somebody who was made inactive what that means: they can do nothing more, and what they hold stays theirs until a
// supervisor releases it (nothing is released by itself).
import type { Worker } from "@/api/types";
import { listSpools } from "@/api/spools";
import { words } from "@/i18n";
import { notify } from "@/ui/notices";

export async function tellInactive(worker: Worker): Promise<void> {
  notify("warn", sentence(worker.label, await heldBy(worker)), true);
}

function sentence(label: string, held: { tag: string; count: number }): string {
  return held.count > 0 ? words("identify.gone_holding", { label, ...held }) : words("identify.gone", { label });
}

/** Without an answer nothing is said about spools. */
async function heldBy(worker: Worker): Promise<{ tag: string; count: number }> {
  try {
    const { spools, total } = await listSpools({ worker_id: worker.id, limit: 1 });
    return { tag: spools[0]?.tag_spool ?? "", count: total };
  } catch {
    return { tag: "", count: 0 };
  }
}
