// What the service worker does with a request. The API is never answered from a cache. Pure functions.

/** `page`: a screen of the app; the network first, so that no old version is stuck. `file`: a file whose name has a hash of its
 * content, or one that hardly changes; the cache first. `network`: not the service worker's business. */
export type Route = "page" | "file" | "network";

export interface AskedFor {
  method: string;
  mode: string;
  url: string;
}

export function routeOf({ method, mode, url }: AskedFor, origin: string, files: ReadonlySet<string>): Route {
  const { origin: asked, pathname } = new URL(url);
  if (method !== "GET" || asked !== origin || isServers(pathname)) return "network";
  if (mode === "navigate") return "page";
  return pathname !== "/index.html" && (files.has(pathname) || pathname.startsWith("/assets/")) ? "file" : "network";
}

/** What only the server answers. */
export const isServers = (pathname: string): boolean =>
  pathname === "/api" || pathname.startsWith("/api/") || pathname === "/metrics";

/** Only the app's own page is worth more than the stored one; an error of a proxy is not. */
export const isUsable = ({ ok, type }: Pick<Response, "ok" | "type">): boolean => ok && type === "basic";

const PREFIX = "carrete-";
/** A page of the version before may still be open, and load one of its files later. */
const CACHES_KEPT = 2;

export const cacheName = (version: string): string => PREFIX + version;

/** The caches that nobody needs any more; `names` in the order in which they were made. */
export function outdatedCaches(names: readonly string[], current: string): string[] {
  const others = names.filter((name) => name.startsWith(PREFIX) && name !== current);
  return others.slice(0, Math.max(0, others.length - (CACHES_KEPT - 1)));
}

/** Of this version first: a file whose name has no hash is in the older caches too. */
export async function storedFile(caches: Pick<CacheStorage, "open" | "match">, current: string, request: Request): Promise<Response | undefined> {
  return (await (await caches.open(current)).match(request)) ?? (await caches.match(request));
}
