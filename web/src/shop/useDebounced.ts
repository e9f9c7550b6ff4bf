// A search field waits until the worker stops typing before it asks the server.
import { useEffect, useState } from "react";

/** The text once it has not changed for `ms`. */
export function useDebounced(text: string, ms: number): string {
  const [debounced, setDebounced] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return debounced;
}
