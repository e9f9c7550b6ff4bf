import { describe, expect, it, vi } from "vitest";

import { ServerMonitor, serverStateOf, type ServerSigns } from "./server-state";

const well: ServerSigns = { stream: "live", reachable: true, checking: false, unanswered: false };

describe("the server's state", () => {
  it("is the stream's while everything is answered", () => {
    expect(serverStateOf(well)).toBe("live");
    expect(serverStateOf({ ...well, stream: "connecting" })).toBe("connecting");
  });

  it("is offline as soon as a tap has no answer, whatever the stream brings", () => {
    expect(serverStateOf({ ...well, unanswered: true })).toBe("offline");
  });

  it("is polled when only the stream is down, and offline when nothing is there", () => {
    expect(serverStateOf({ ...well, stream: "offline", checking: true })).toBe("connecting");
    expect(serverStateOf({ ...well, stream: "offline" })).toBe("polled");
    expect(serverStateOf({ ...well, stream: "offline", reachable: false })).toBe("offline");
  });

  it("asks the server itself after a failed call, once at a time", async () => {
    const isReachable = vi.fn(() => Promise.resolve(false));
    const server = new ServerMonitor(isReachable);
    const onChange = vi.fn();
    server.subscribe(onChange);
    server.streamIs("live");
    server.failed();
    server.failed();
    expect(server.state()).toBe("live");
    await vi.waitFor(() => expect(server.state()).toBe("offline"));
    expect(isReachable).toHaveBeenCalledTimes(1);
    server.answered();
    expect(server.state()).toBe("live");
    expect(onChange).toHaveBeenCalledTimes(3);
  });

  it("believes a call that was answered while the question hung", async () => {
    const answers: ((reachable: boolean) => void)[] = [];
    const server = new ServerMonitor(() => new Promise((resolve) => answers.push(resolve)));
    server.streamIs("live");
    server.failed();
    server.answered();
    answers[0]?.(false);
    await Promise.resolve();
    expect(server.state()).toBe("live");
  });

  it("is not changed by one call that fails while the server is there", async () => {
    const server = new ServerMonitor(() => Promise.resolve(true));
    server.streamIs("live");
    const onChange = vi.fn();
    server.subscribe(onChange);
    server.failed();
    await Promise.resolve();
    expect([server.state(), onChange.mock.calls]).toEqual(["live", []]);
  });
});

describe("whether the server is there, for what was kept for it", () => {
  it("is not assumed: a page that starts without a connection has heard nothing yet", async () => {
    const monitor = new ServerMonitor(() => Promise.resolve(false));
    const heard = vi.fn();
    monitor.subscribe(heard);
    expect(monitor.isReachable()).toBe(false);
    monitor.answered();
    expect(monitor.isReachable()).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
    monitor.failed();
    await vi.waitFor(() => expect(monitor.isReachable()).toBe(false));
    monitor.answered();
    expect(monitor.isReachable()).toBe(true);
  });

  it("does not depend on another tap that has no answer", () => {
    const monitor = new ServerMonitor(() => Promise.resolve(true));
    monitor.answered();
    monitor.tapsAreUnanswered(true);
    expect(monitor.state()).toBe("offline");
    expect(monitor.isReachable()).toBe(true);
  });
});
