// The only module that uses the browser's storage. Where the browser stores nothing (private mode, no room left, forbidden by
// a policy), values stay in memory until the page is closed.

/** A browser may lack, forbid or break its storage; every use of it can throw. */
type BrowserStorage = Pick<Storage, "length" | "key" | "getItem" | "setItem" | "removeItem">;

const TRIAL = "carrete.trial";

export class TabletStorage {
  /** Changes that the browser refused: the value, or null for a removed name. They override what the browser has. */
  private readonly memory = new Map<string, string | null>();
  private readonly listeners = new Set<() => void>();
  private refused = false;

  /** `browserStorage` is called at each use: merely naming `localStorage` may throw. */
  constructor(private readonly browserStorage: () => BrowserStorage) {
    this.set(TRIAL, "1");
    this.remove(TRIAL);
  }

  /** The browser refused to store something: a reload loses it. Stays true for the life of the page. */
  readonly isVolatile = (): boolean => this.refused;

  /** For useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get(name: string): string | null {
    const inMemory = this.memory.get(name);
    return inMemory === undefined ? this.attempt((browser) => browser.getItem(name), null) : inMemory;
  }

  set(name: string, value: string): void {
    if (this.succeeds((browser) => browser.setItem(name, value))) {
      this.memory.delete(name);
      return;
    }
    this.memory.set(name, value);
    this.succeeds((browser) => browser.removeItem(name)); // after a reload, no value is better than an older one
  }

  remove(name: string): void {
    if (this.succeeds((browser) => browser.removeItem(name))) this.memory.delete(name);
    else this.memory.set(name, null);
  }

  names(): string[] {
    const stored = this.attempt((browser) => Array.from({ length: browser.length }, (_, i) => browser.key(i) ?? ""), []);
    return [...new Set([...stored, ...this.memory.keys()])].filter((name) => this.memory.get(name) !== null);
  }

  private succeeds(change: (browser: BrowserStorage) => void): boolean {
    return this.attempt((browser) => {
      change(browser);
      return true;
    }, false);
  }

  private attempt<Result>(action: (browser: BrowserStorage) => Result, otherwise: Result): Result {
    try {
      return action(this.browserStorage());
    } catch {
      this.becomeVolatile();
      return otherwise;
    }
  }

  private becomeVolatile(): void {
    if (this.refused) return;
    this.refused = true;
    for (const listener of this.listeners) listener();
  }
}

export const storage = new TabletStorage(() => localStorage);
