import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Spool } from "@/api/types";
import { CacheUpdater } from "./cacheUpdater";
import { listPollInterval } from "./pollInterval";
import { cardQuery, keys } from "./reads";

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

it("believes the last read of a spool, also when an earlier one answers later", async () => {
  const answers = slowServer();
  const cache = new QueryClient();
  cache.setQueryData<Spool[]>(keys.held(LP), []);
  const updater = new CacheUpdater(cache, LP);
  const read = async (): Promise<unknown> => {
    updater.readCardSoon("A");
    return vi.advanceTimersByTimeAsync(100);
  };
  await read();
  await read();
  answers[1]?.({ tag_spool: "A", ocupado_por_id: LP, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  answers[0]?.({ tag_spool: "A", ocupado_por_id: null, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.getQueryData<Spool[]>(keys.held(LP))?.map((spool) => spool.tag_spool)).toEqual(["A"]);
});

it("believes its own read of a card rather than an older read of it that answers later", async () => {
  const answers = slowServer();
  const cache = new QueryClient();
  void cache.query(cardQuery("A", LP)).catch(() => undefined);
  const updater = new CacheUpdater(cache, LP);
  updater.readCardSoon("A");
  await vi.advanceTimersByTimeAsync(100);
  answers[1]?.({ tag_spool: "A", version_workflow: "v4.0", ocupado_por_id: null, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  answers[0]?.({ tag_spool: "A", version_workflow: "v3.0", ocupado_por_id: null, acciones: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(cache.getQueryData<Spool>(keys.card("A", LP))?.version_workflow).toBe("v4.0");
});

it("asks again by itself without a stream, and after nobody answered", () => {
  const query = (status: "error" | "success") => ({ state: { status } });
  expect(listPollInterval("live", query("success"))).toBe(false);
  expect(listPollInterval("offline", query("success"))).toBeGreaterThan(0);
  expect(listPollInterval("live", query("error"))).toBeGreaterThan(0);
});
