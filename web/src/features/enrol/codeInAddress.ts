// A code in the fragment of the address, `/inscribir#CODE`: browsers do not send it to the server with the page.
import { useEffect, useEffectEvent } from "react";

/** Reads the code once and takes it out of the address, so that it stays in no history. */
export function takeCode(): string {
  const code = decodeURIComponent(location.hash.slice(1)).trim();
  if (code !== "") history.replaceState(history.state, "", location.pathname);
  return code;
}

/** A link that is opened in a tab which shows its page already only changes the fragment. */
export function useCodeOfLink(onCode: (code: string) => void): void {
  const used = useEffectEvent(onCode);
  useEffect(() => {
    const read = (): void => {
      const code = takeCode();
      if (code !== "") used(code);
    };
    addEventListener("hashchange", read);
    return () => removeEventListener("hashchange", read);
  }, []);
}
