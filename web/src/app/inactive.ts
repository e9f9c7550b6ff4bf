// The notice for a worker who was made inactive: they can do nothing more, and the spools they hold stay theirs until a supervisor
// releases them.
import type { Worker } from "@/api/types";
import { listSpools } from "@/api/spools";
import { words } from "@/i18n";
import { notifyEverybody } from "@/ui/notices";

export async function notifyInactive(worker: Worker): Promise<void> {
  notifyEverybody("warn", sentence(worker.label, await heldBy(worker)));
}

function sentence(label: string, held: { tag: string; count: number }): string {
  return held.count > 0 ? words("identify.gone_holding", { label, ...held }) : words("identify.gone", { label });
}

/** Without an answer of the server the notice does not mention spools. */
async function heldBy(worker: Worker): Promise<{ tag: string; count: number }> {
  try {
    const { spools, total } = await listSpools({ worker_id: worker.id, limit: 1 });
    return { tag: spools[0]?.tag_spool ?? "", count: total };
  } catch {
    return { tag: "", count: 0 };
  }
}
