// Finding a person by name or number, the way people type on a tablet: no accents, any part, any order.
import type { Worker } from "@/api/types";

const MARKS = /\p{M}/gu;

export const plain = (text: string): string => text.normalize("NFD").replace(MARKS, "").toLowerCase();

export function findWorkers(workers: readonly Worker[], typed: string): Worker[] {
  const parts = plain(typed).split(/\s+/).filter(Boolean);
  return workers.filter((worker) => {
    const text = plain(`${worker.nombre} ${worker.apellido} ${worker.label} ${worker.id}`);
    return parts.every((part) => text.includes(part));
  });
}

/** As it stands on the screen, and as it is sorted there. */
export const nameOf = ({ nombre, apellido }: Worker): string => `${nombre} ${apellido}`;

/** Who used this tablet lately comes first; then everybody by the name that is shown. */
export function arranged(workers: readonly Worker[], recent: readonly number[]): { recent: Worker[]; all: Worker[] } {
  const lately = recent.flatMap((id) => workers.find((worker) => worker.id === id) ?? []);
  const byName = new Intl.Collator("es");
  const all = [...workers].sort((a, b) => byName.compare(nameOf(a), nameOf(b)) || a.id - b.id);
  return { recent: lately, all };
}
