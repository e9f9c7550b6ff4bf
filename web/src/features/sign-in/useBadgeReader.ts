// A badge reader that types works on every screen, whatever has the focus; only a field that takes badges itself
// (`data-takes-badge`) gets what is typed there.
import { useEffect, useEffectEvent } from "react";

import { BadgeDetector } from "./badgeDetector";

export function useBadgeReader(onBadge: (code: string) => void, enabled: boolean): void {
  const found = useEffectEvent(onBadge);
  useEffect(() => {
    if (!enabled) return;
    const detector = new BadgeDetector();
    let field: HTMLInputElement | null = null;
    let before = "";
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.target instanceof HTMLElement && event.target.dataset.takesBadge !== undefined) return;
      const code = detector.key(event.key, event.timeStamp);
      if (detector.isFirst) {
        field = event.target instanceof HTMLInputElement ? event.target : null;
        before = field?.value ?? "";
      }
      if (code === null) return;
      event.preventDefault(); // the reader's Enter presses no button
      event.stopImmediatePropagation();
      if (field) restore(field, before);
      found(code);
    };
    addEventListener("keydown", onKeyDown, { capture: true });
    return () => removeEventListener("keydown", onKeyDown, { capture: true });
  }, [enabled]);
}

/** Takes back what the reader typed into a field. React hears it as typed by a person. */
function restore(field: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
