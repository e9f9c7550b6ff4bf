// The service worker: keeps the files of the app, so that a tablet opens it without a connection. It never answers for the API, and
// it takes the page from the network whenever there is one: which version runs is decided by the page (app/newVersion.ts).
import { cacheName, isUsable, outdatedCaches, routeOf, storedFile } from "./routing";

interface Precache {
  version: string;
  files: string[];
}

/** Filled in by the build. */
declare const __PRECACHE__: Precache;

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface AssetEvent extends WorkerEvent {
  request: Request;
  respondWith(answer: Promise<Response>): void;
  preloadResponse: Promise<Response | undefined>;
}
interface Worker {
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
  registration: { navigationPreload?: { enable(): Promise<void> } };
  location: Location;
  addEventListener(name: "install" | "activate", listener: (event: WorkerEvent) => void): void;
  addEventListener(name: "fetch", listener: (event: AssetEvent) => void): void;
}

const worker = globalThis as unknown as Worker;
const { version, files } = __PRECACHE__;
const PAGE = "/index.html";
const CURRENT = cacheName(version);
const FILES = new Set(files);
/** A dead Wi-Fi does not say so: after this long the stored page is shown. */
const PAGE_MS_MAX = 3_000;

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (event) => {
  const route = routeOf(event.request, worker.location.origin, FILES);
  if (route === "page") event.respondWith(page(event));
  else if (route === "file") event.respondWith(file(event.request));
});

/** All files or none: an incomplete version is not installed. */
async function install(): Promise<void> {
  const cache = await caches.open(CURRENT);
  try {
    await cache.addAll(files.map((name) => new Request(name, { cache: name.startsWith("/assets/") ? "default" : "no-cache" })));
  } catch (error) {
    await caches.delete(CURRENT);
    throw error;
  }
  await worker.skipWaiting(); // it changes nothing for a page that is open
}

async function activate(): Promise<void> {
  for (const name of outdatedCaches(await caches.keys(), CURRENT)) await caches.delete(name);
  await worker.registration.navigationPreload?.enable();
  await worker.clients.claim();
}

async function page(event: AssetEvent): Promise<Response> {
  const network = fromNetwork(event).catch(() => undefined);
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), PAGE_MS_MAX));
  const answer = await Promise.race([network, late]);
  if (answer && isUsable(answer)) return answer;
  const stored = await (await caches.open(CURRENT)).match(PAGE);
  return stored ?? (await network) ?? Response.error();
}

const fromNetwork = async (event: AssetEvent): Promise<Response> => (await event.preloadResponse) ?? fetch(event.request);

/** Of any version that is kept. */
const file = async (request: Request): Promise<Response> => (await storedFile(caches, CURRENT, request)) ?? fetch(request);
