// A page that opens from a list starts at its top, whatever the list was scrolled to.
import { useEffect, useRef, type RefObject } from "react";

/** For the heading of such a page, with `tabIndex={-1}`. What was tapped is gone, so the heading gets the focus: a screen reader says
 * what opened, and Tab goes on from there. A field that somebody types into keeps it. */
export function useStartAtTop(wanted = true): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!wanted) return;
    heading.current?.closest("main")?.scrollTo(0, 0);
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [wanted]);
  return heading;
}
