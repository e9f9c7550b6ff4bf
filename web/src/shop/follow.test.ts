import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Spool } from "@/api/types";
import { Follower } from "./follow";
import { cardQuery, intervalOf, keys } from "./reads";

const LP = 7;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A server whose answers come when the test says so. */
function slowServer(): ((card: unknown) => void)[] {
  const answers: ((card: unknown) => void)[] = [];
  vi.stubGlobal("fetch", () => new Promise((resolve) => answers.push((card) => resolve(Response.json(card)))));
  return answers;
}

it("believes the last look at a spool, also when an earlier one answers later", async () => {
  const answers = slowServer();
  const cache = new QueryClient();
  cache.setQueryData<Spool[]>(keys.held(LP), []);
  const follower = new Follower(cache, LP);
  const look = async (): Promise<unknown> => {
    follower.look("A");
    return vi.advanceTimersByTimeAsync(100);
  };
  await look();
  await look();
  answers[1]?.({ tag_spool: "A", ocupado_por_id: LP, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  answers[0]?.({ tag_spool: "A", ocupado_por_id: null, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.getQueryData<Spool[]>(keys.held(LP))?.map((spool) => spool.tag_spool)).toEqual(["A"]);
});

it("believes a look at a card rather than an older read of it that answers later", async () => {
  const answers = slowServer();
  const cache = new QueryClient();
  void cache.query(cardQuery("A", LP)).catch(() => undefined);
  const follower = new Follower(cache, LP);
  follower.look("A");
  await vi.advanceTimersByTimeAsync(100);
  answers[1]?.({ tag_spool: "A", version_workflow: "v4.0", ocupado_por_id: null, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  answers[0]?.({ tag_spool: "A", version_workflow: "v3.0", ocupado_por_id: null, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.getQueryData<Spool>(keys.card("A", LP))?.version_workflow).toBe("v4.0");
});

it("asks again by itself without a stream, and after nobody answered", () => {
  const asked = (status: "error" | "success") => ({ state: { status } });
  expect(intervalOf("live", asked("success"))).toBe(false);
  expect(intervalOf("offline", asked("success"))).toBeGreaterThan(0);
  expect(intervalOf("live", asked("error"))).toBeGreaterThan(0);
});
