// What a person is told who comes back to the tablet: every tap that was refused meanwhile, and how many were done. Pure functions.

export interface LateNews {
  tone: "good" | "bad";
  text: string;
  /** Of taps that were done: how many this entry stands for. */
  count?: number;
}

/** Refusals are kept one by one, all of them; taps that were done are one entry with their number. */
export function withNews(kept: readonly LateNews[], news: LateNews): LateNews[] {
  if (news.tone === "bad") return [...kept, news];
  const done = kept.filter(({ tone }) => tone === "good").reduce((sum, { count = 1 }) => sum + count, 1);
  return [{ ...news, count: done }, ...kept.filter(({ tone }) => tone === "bad")];
}
