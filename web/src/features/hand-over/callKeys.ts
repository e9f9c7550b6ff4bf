// The key of each call until it is answered: after a lost answer the same call is sent under the same key, and the person hears what
// became of it instead of a refusal.
export class CallKeys {
  private readonly keys = new Map<string, string>();

  constructor(private readonly make: () => string) {}

  of(about: unknown): string {
    const name = JSON.stringify(about);
    const key = this.keys.get(name) ?? this.make();
    this.keys.set(name, key);
    return key;
  }

  /** The same call again is a new one. */
  answered(about: unknown): void {
    this.keys.delete(JSON.stringify(about));
  }
}
