// Gloved fingers tap twice. The second of two taps at the same place within a moment is ignored, whatever is there by then: it must
// not untick a joint, and it must not press a button of the screen that the first tap opened.

export const DOUBLE_TAP_MS_MAX = 400;
export const DOUBLE_TAP_PX_MAX = 48;
/** A key of a PIN may be wanted twice in a row: there only a glove that bounces is ignored. */
export const BOUNCE_MS_MAX = 90;

export interface Press {
  readonly at: number; // ms of a clock that only goes forwards
  readonly x: number;
  readonly y: number;
}

export function isDoubleTap(press: Press, before: Press | null, ms_max = DOUBLE_TAP_MS_MAX): boolean {
  if (!before || press.at - before.at > ms_max) return false;
  return Math.hypot(press.x - before.x, press.y - before.y) <= DOUBLE_TAP_PX_MAX;
}

/** For the whole page, once. Keys are not affected, nor are text fields, where a second tap selects a word. */
export function startIgnoringDoubleTaps(): void {
  let last: Press | null = null;
  let isSecond = false;
  const onPointerDown = ({ timeStamp, clientX, clientY, target }: PointerEvent): void => {
    const press = { at: timeStamp, x: clientX, y: clientY };
    isSecond = isDoubleTap(press, last, mayRepeat(target) ? BOUNCE_MS_MAX : DOUBLE_TAP_MS_MAX);
    last = press;
  };
  const onClick = (event: MouseEvent): void => {
    if (!isSecond || event.detail === 0 || isTextField(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("pointerdown", onPointerDown, { capture: true, passive: true });
  addEventListener("click", onClick, { capture: true });
}

const mayRepeat = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("[data-repeats]") !== null;

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches("input:not([type=checkbox]), select, textarea");
