// Whether the server's page is newer than the one that runs here. Pure functions.

/** The files that a page of the app loads; each has a hash of its content in its name. */
export const filesNamedIn = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = ""]) => name);

/** A page that names no file is not a page of the app but a proxy's or an error. `loaded` may also have files that load later. */
export const isNewerPage = (html: string, loaded: ReadonlySet<string>): boolean =>
  filesNamedIn(html).some((name) => !loaded.has(name));
