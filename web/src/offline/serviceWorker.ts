// Starts the service worker, where the browser has one: over HTTPS, and at this computer itself.

const UPDATE_EVERY_MS = 60 * 60_000;
/** After the page is loaded: storing the files must not slow the first list. */
const START_MS = 2_000;

/** Where a policy forbids storage, merely naming it may throw. */
function containerOf(): ServiceWorkerContainer | undefined {
  try {
    return (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  } catch {
    return undefined;
  }
}

export function startServiceWorker(): void {
  if (!import.meta.env.PROD) return; // the development server has no sw.js
  const workers = containerOf();
  if (!workers) return;
  const start = async (): Promise<void> => {
    try {
      const registration = await workers.register("/sw.js", { updateViaCache: "none" });
      const update = (): void => void registration.update().catch(() => undefined);
      // The browser looks for a new one by itself, but puts that off for as long as the page keeps asking for things.
      if (registration.active) update();
      setInterval(update, UPDATE_EVERY_MS);
    } catch {
      // No room, forbidden, or a certificate that the browser does not trust: the app works online all the same.
    }
  };
  const startSoon = (): void => void setTimeout(() => void start(), START_MS);
  if (document.readyState === "complete") startSoon();
  else addEventListener("load", startSoon);
}
