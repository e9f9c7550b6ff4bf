import { describe, expect, it, vi } from "vitest";

import { ServerWatch, stateOf, type Seen } from "./server-state";

const well: Seen = { stream: "live", reachable: true, asking: false, unanswered: false };

describe("the server's state", () => {
  it("is the stream's while everything is answered", () => {
    expect(stateOf(well)).toBe("live");
    expect(stateOf({ ...well, stream: "connecting" })).toBe("connecting");
  });

  it("is offline as soon as a tap has no answer, whatever the stream brings", () => {
    expect(stateOf({ ...well, unanswered: true })).toBe("offline");
  });

  it("is polled when only the stream is down, and offline when nothing is there", () => {
    expect(stateOf({ ...well, stream: "offline", asking: true })).toBe("connecting");
    expect(stateOf({ ...well, stream: "offline" })).toBe("polled");
    expect(stateOf({ ...well, stream: "offline", reachable: false })).toBe("offline");
  });

  it("asks the server itself after a failed call, once at a time", async () => {
    const isThere = vi.fn(() => Promise.resolve(false));
    const server = new ServerWatch(isThere);
    const told = vi.fn();
    server.watch(told);
    server.streamIs("live");
    server.failed();
    server.failed();
    expect(server.state()).toBe("live");
    await vi.waitFor(() => expect(server.state()).toBe("offline"));
    expect(isThere).toHaveBeenCalledTimes(1);
    server.answered();
    expect(server.state()).toBe("live");
    expect(told).toHaveBeenCalledTimes(3);
  });

  it("believes a call that was answered while the question hung", async () => {
    const answers: ((there: boolean) => void)[] = [];
    const server = new ServerWatch(() => new Promise((resolve) => answers.push(resolve)));
    server.streamIs("live");
    server.failed();
    server.answered();
    answers[0]?.(false);
    await Promise.resolve();
    expect(server.state()).toBe("live");
  });

  it("is not changed by one call that fails while the server is there", async () => {
    const server = new ServerWatch(() => Promise.resolve(true));
    server.streamIs("live");
    const told = vi.fn();
    server.watch(told);
    server.failed();
    await Promise.resolve();
    expect([server.state(), told.mock.calls]).toEqual(["live", []]);
  });
});
