// A reader that types works on every screen, whatever has the focus; only a field that takes badges itself (`data-takes-badge`)
// gets what is typed there.
import { useEffect, useEffectEvent } from "react";

import { clearPinPads } from "@/ui/PinPad";
import { END_MS, ReaderDetector, type ReadTexts } from "./readerDetector";

type TextField = HTMLInputElement | HTMLTextAreaElement;

export function useReader(onCode: (texts: ReadTexts) => void, enabled: boolean): void {
  const found = useEffectEvent(onCode);
  useEffect(() => {
    if (!enabled) return;
    const listener = new KeyListener((texts) => found(texts));
    addEventListener("keydown", listener.onKeyDown, { capture: true });
    return () => {
      removeEventListener("keydown", listener.onKeyDown, { capture: true });
      listener.stop();
    };
  }, [enabled]);
}

class KeyListener {
  private readonly detector = new ReaderDetector();
  private field: TextField | null = null;
  private before = "";
  private silence: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly found: (texts: ReadTexts) => void) {}

  readonly onKeyDown = (event: KeyboardEvent): void => {
    const { target } = event;
    if (target instanceof HTMLElement && target.dataset.takesBadge !== undefined) return;
    if (event.repeat || isShortcut(event)) {
      this.detector.forget();
      return;
    }
    const pressed = { key: event.key, code: event.code, shift: event.shiftKey };
    if (this.detector.isLateEnter(pressed, event.timeStamp)) {
      swallow(event);
      return;
    }
    const texts = this.detector.key(pressed, event.timeStamp);
    if (this.detector.isFirst) this.remember(target);
    if (texts) {
      swallow(event); // the reader's Enter presses no button
      this.tell(texts);
    } else if (this.detector.isReading) {
      if (!isField(target)) event.preventDefault(); // nor does a space in the code
      this.waitForSilence();
    }
  };

  stop(): void {
    clearTimeout(this.silence);
  }

  private remember(target: EventTarget | null): void {
    this.field = isField(target) ? target : null;
    this.before = this.field?.value ?? "";
  }

  /** After a moment in which the page was busy, the timer may come before keys that were pressed in time: those are let in first. */
  private waitForSilence(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => requestAnimationFrame(() => (this.silence = setTimeout(this.onSilence))), END_MS);
  }

  private readonly onSilence = (): void => {
    const now = performance.now();
    const texts = this.detector.afterSilence(now);
    if (texts) this.tell(texts);
    else if (!this.detector.isSilent(now)) this.waitForSilence(); // a key was let in
  };

  private tell(texts: ReadTexts): void {
    clearTimeout(this.silence);
    if (this.field?.isConnected) restore(this.field, this.before);
    this.field = null;
    clearPinPads();
    this.found(texts);
  }
}

const isField = (target: EventTarget | null): target is TextField =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

/** AltGr, which types characters, is Ctrl and Alt together. */
const isShortcut = (event: KeyboardEvent): boolean => event.metaKey || event.ctrlKey !== event.altKey;

function swallow(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Takes back what the reader typed into a field. React hears it as typed by a person. */
function restore(field: TextField, value: string): void {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
