// Is what the server has now newer than what runs here? Pure: pages in, an answer out.

/** What a page of the app names: every file has its content's hash in its name. */
export const filesOf = (html: string): string[] => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, name = ""]) => name);

/** A page that names no file is no page of the app: a proxy's, or an error. What runs here only ever loads more. */
export const isNewer = (html: string, loaded: ReadonlySet<string>): boolean =>
  filesOf(html).some((name) => !loaded.has(name));
