import { describe, expect, it } from "vitest";

import { withNotice, NOTICES_MAX, type Notice } from "@/ui/notices";
import { withNews, type LateNews } from "./lateNews";

describe("what a person is told who comes back", () => {
  it("is every refusal, and in one sentence how many taps were done", () => {
    let kept: LateNews[] = [{ tone: "good", text: "of an older version" }];
    for (let n = 0; n < 500; n++) kept = withNews(kept, n % 2 ? { tone: "bad", text: `no ${n}` } : { tone: "good", text: `done ${n}` });
    expect(kept).toHaveLength(251);
    expect(kept[0]).toEqual({ tone: "good", text: "done 498", count: 251 });
    expect(kept[1]?.text).toBe("no 1");
  });

  it("pushes no notice away that somebody must close", () => {
    const notice = (id: number, stays: boolean): Notice => ({ id, tone: "bad", text: `n${id}`, stays, person: null });
    let notices: readonly Notice[] = [];
    for (let id = 0; id < 3 * NOTICES_MAX; id++) notices = withNotice(notices, notice(id, true));
    for (let id = 100; id < 103; id++) notices = withNotice(notices, notice(id, false));
    expect(notices.filter(({ stays }) => stays)).toHaveLength(3 * NOTICES_MAX);
    expect(notices.at(-1)?.id).toBe(102);
  });
});
