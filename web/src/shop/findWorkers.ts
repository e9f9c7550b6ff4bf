// Finds a worker by parts of the name or number, in any order, without accents or capitals.
import type { Worker } from "@/api/types";
import { foldText } from "./merge";

export function findWorkers(workers: readonly Worker[], typed: string): Worker[] {
  const parts = foldText(typed).split(/\s+/).filter(Boolean);
  return workers.filter((worker) => {
    const text = foldText(`${worker.nombre} ${worker.apellido} ${worker.label} ${worker.id}`);
    return parts.every((part) => text.includes(part));
  });
}

/** The name as the list shows and sorts it. */
export const fullName = ({ nombre, apellido }: Worker): string => `${nombre} ${apellido}`;

/** Those who used this tablet lately, the last one first; and everybody by name. */
export function arrangeWorkers(workers: readonly Worker[], recentIds: readonly number[]): { recent: Worker[]; all: Worker[] } {
  const recent = recentIds.flatMap((id) => workers.find((worker) => worker.id === id) ?? []);
  const byName = new Intl.Collator("es");
  const all = [...workers].sort((a, b) => byName.compare(fullName(a), fullName(b)) || a.id - b.id);
  return { recent, all };
}
