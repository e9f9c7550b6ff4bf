// Gloves tap twice. A second tap at the same place within a moment is the first one again, whatever stands there by then:
// it must not untick a joint, and it must not press the button of the screen that the first one opened.

export const AGAIN_MS_MAX = 400;
export const AGAIN_PX_MAX = 48;

export interface Press {
  readonly at: number; // ms of any steady clock
  readonly x: number;
  readonly y: number;
}

export function isAgain(press: Press, before: Press | null): boolean {
  if (!before || press.at - before.at > AGAIN_MS_MAX) return false;
  return Math.hypot(press.x - before.x, press.y - before.y) <= AGAIN_PX_MAX;
}

/** For the whole page, once. Keys are no gloves, and in a field a second tap selects a word. */
export function startGloves(): void {
  let last: Press | null = null;
  let again = false;
  const pressed = ({ timeStamp, clientX, clientY }: PointerEvent): void => {
    const press = { at: timeStamp, x: clientX, y: clientY };
    again = isAgain(press, last);
    last = press;
  };
  const clicked = (event: MouseEvent): void => {
    if (!again || event.detail === 0 || isField(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("pointerdown", pressed, { capture: true, passive: true });
  addEventListener("click", clicked, { capture: true });
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches("input:not([type=checkbox]), select, textarea");
