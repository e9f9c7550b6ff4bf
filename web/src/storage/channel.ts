// Messages between the tabs of a tablet.

/** Null where the browser has none, or a policy forbids it. */
export function openChannel(name: string): BroadcastChannel | null {
  try {
    return new BroadcastChannel(name);
  } catch {
    return null;
  }
}
