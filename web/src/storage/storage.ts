// Everything that the app keeps in the browser goes through here, and nothing else touches the browser's storage. Where the
// browser keeps nothing (private mode, no room left, forbidden by a policy), values stay in memory until the page is closed.

/** What a browser may lack, forbid or break; every use of it can throw. */
type Backing = Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">;

const TRIAL = "carrete.trial";

export class TabletStorage {
  /** What the browser did not take: the value, or null for a name that it did not remove. Wins over what the browser says. */
  private readonly memory = new Map<string, string | null>();
  private readonly watchers = new Set<() => void>();
  private refused = false;

  constructor(private readonly browsers: () => Backing) {
    this.keep(TRIAL, "1");
    this.remove(TRIAL);
  }

  /** The browser refused to keep something: a reload forgets it. It stays so for the page, and is told once. */
  readonly isForgetful = (): boolean => this.refused;

  /** For useSyncExternalStore. */
  readonly watch = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  get(name: string): string | null {
    const kept = this.memory.get(name);
    return kept === undefined ? this.tried((browser) => browser.getItem(name), null) : kept;
  }

  keep(name: string, value: string): void {
    if (this.done((browser) => browser.setItem(name, value))) {
      this.memory.delete(name);
      return;
    }
    this.memory.set(name, value);
    this.done((browser) => browser.removeItem(name)); // after a reload nothing is better than an older value
  }

  remove(name: string): void {
    if (this.done((browser) => browser.removeItem(name))) this.memory.delete(name);
    else this.memory.set(name, null);
  }

  names(): string[] {
    const kept = this.tried((browser) => Array.from({ length: browser.length }, (_, i) => browser.key(i) ?? ""), []);
    return [...new Set([...kept, ...this.memory.keys()])].filter((name) => this.memory.get(name) !== null);
  }

  private done(act: (browser: Backing) => void): boolean {
    return this.tried((browser) => {
      act(browser);
      return true;
    }, false);
  }

  private tried<Found>(ask: (browser: Backing) => Found, otherwise: Found): Found {
    try {
      return ask(this.browsers());
    } catch {
      this.refuse();
      return otherwise;
    }
  }

  private refuse(): void {
    if (this.refused) return;
    this.refused = true;
    for (const watcher of this.watchers) watcher();
  }
}

/** Looked up at each use: merely naming it may throw. */
export const storage = new TabletStorage(() => localStorage);
