// A list shows again where it was when one of its rows had been opened.
import { useEffect, useRef, type RefObject } from "react";

/** For what leads from the row to its page. `wasOpen`: that page was open just now. The focus stays where somebody types or has tapped. */
export function useReturnHere<Element extends HTMLElement>(wasOpen: boolean): RefObject<Element | null> {
  const way = useRef<Element>(null);
  useEffect(() => {
    if (!wasOpen || document.activeElement !== document.body) return;
    way.current?.scrollIntoView({ block: "center" });
    way.current?.focus({ preventScroll: true });
  }, [wasOpen]);
  return way;
}
