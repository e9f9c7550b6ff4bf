// Tells people about taps that were answered after their author had gone: the author when they are back on this tablet, and in one
// short sentence whoever is here now.
import { useEffect } from "react";

import type { Worker } from "@/api/types";
import { words } from "@/i18n";
import { currentVisit } from "@/session/session";
import { storage } from "@/storage/storage";
import type { Tap, TapOutcome } from "@/taps/tap";
import { notify } from "@/ui/notices";
import { reclamoOf } from "@/api/cadena";
import { withNews, type LateNews } from "./lateNews";
import { messageOf } from "./outcomeText";

const nameOf = (worker_id: number): string => `carrete.late.${worker_id}`;

/** True when the tap's author is not here, and both were told what became of it. */
export function toldAbsent(tap: Tap, outcome: TapOutcome<unknown>): boolean {
  const { worker } = currentVisit();
  if (!tap.author || tap.author.worker_id === worker?.id) return false;
  const news = newsOf(tap, outcome);
  if (!news) return false;
  keep(tap.author.worker_id, news);
  notify("plain", words(news.tone === "good" ? "late.sent" : "late.refused", { label: tap.about.worker }));
  return true;
}

function newsOf(tap: Tap, outcome: TapOutcome<unknown>): LateNews | null {
  if (outcome.kind === "done") return { tone: "good", text: words("late.done_for_you", { message: messageOf(outcome.answer) }) };
  if (outcome.kind !== "refused") return null;
  const [tag = ""] = tap.about.tags;
  const what = words("unsent.what", { action: words(`action.${tap.about.accion}`), tag });
  return { tone: "bad", text: words("late.refused_for_you", { what, message: outcome.problem.detail }) + (reclamoOf(outcome.problem) === null ? "" : ` ${words("provisional.reclamo")}`) };
}

function kept(worker_id: number): LateNews[] {
  try {
    const stored = JSON.parse(storage.get(nameOf(worker_id)) ?? "[]") as unknown;
    return Array.isArray(stored) ? (stored as LateNews[]) : [];
  } catch {
    return [];
  }
}

function keep(worker_id: number, news: LateNews): void {
  storage.set(nameOf(worker_id), JSON.stringify(withNews(kept(worker_id), news)));
}

/** Tells a worker who is back what became of their taps. Each sentence stays until they close it. */
export function useLateOutcomes(worker: Worker | null): void {
  const id = worker?.id;
  useEffect(() => {
    if (id === undefined) return;
    for (const { tone, text, count = 1 } of kept(id)) notify(tone, count > 1 ? words("late.done_many", { actions: count }) : text, true);
    storage.remove(nameOf(id));
  }, [id]);
}
