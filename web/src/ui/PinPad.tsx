// A pad for the digits of a PIN, for a gloved thumb: keys of at least 72 px, dots instead of digits. A keyboard types on it too.
import { useEffect, useEffectEvent, useRef, useState } from "react";

import { classes } from "./classes";
import { BackIcon, BackspaceIcon } from "./icons";
import styles from "./PinPad.module.css";

export const PIN_DIGITS = 6;
/** A reader types digits too. The last digit of a PIN waits this long: until then it is known whether it was a reader's. */
const READER_MS = 250;
const pads = new Set<() => void>();

/** What was typed was a code. */
export function clearPinPads(): void {
  for (const clear of pads) clear();
}

/** A pad may open over another one: the keyboard types on the newest. */
const listening: ((event: KeyboardEvent) => void)[] = [];
const KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"] as const;

export interface PinPadProps {
  /** No key works: the PIN is being checked, or it is too early for another attempt. */
  disabled: boolean;
  onPin: (pin: string) => void;
  /** What a screen reader says: how many digits are typed. */
  countLabel: (typed: number) => string;
  deleteLabel: string;
  /** A key at the lower left corner that leads back. */
  back?: { label: string; onBack: () => void } | undefined;
}

/** Empty again whenever its `key` changes. */
export function PinPad({ disabled, onPin, countLabel, deleteLabel, back }: PinPadProps) {
  const [typed, setTyped] = useState("");
  const last = useRef<ReturnType<typeof setTimeout>>(undefined);
  const erase = (): void => {
    clearTimeout(last.current);
    setTyped((before) => before.slice(0, -1));
  };
  const add = (digit: string, wait_ms: number): void => {
    if (disabled) return;
    clearTimeout(last.current);
    const pin = typed.length < PIN_DIGITS ? typed + digit : "";
    setTyped(pin);
    if (pin.length === PIN_DIGITS) last.current = setTimeout(() => onPin(pin), wait_ms);
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target instanceof HTMLInputElement) return;
    if (/^\d$/.test(event.key)) add(event.key, READER_MS);
    else if (event.key === "Backspace") erase();
  });
  useEffect(() => {
    const clear = (): void => {
      clearTimeout(last.current);
      setTyped("");
    };
    pads.add(clear);
    return () => void pads.delete(clear);
  }, []);
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (listening.at(-1) === listener) onKeyDown(event);
    };
    listening.push(listener);
    addEventListener("keydown", listener);
    return () => {
      listening.splice(listening.indexOf(listener), 1);
      removeEventListener("keydown", listener);
      clearTimeout(last.current);
    };
  }, []);
  return (
    <div className={styles.pad} data-pin-pad>
      <p className={styles.dots} role="status">
        <span className="visually-hidden">{countLabel(typed.length)}</span>
        {Array.from({ length: PIN_DIGITS }, (_, i) => (
          <span key={i} aria-hidden="true" className={classes(styles.dot, i < typed.length && styles.full)} />
        ))}
      </p>
      <div className={styles.keys}>
        {KEYS.map((digit) => (
          <Key key={digit} disabled={disabled} onClick={() => add(digit, 0)} digit={digit} />
        ))}
        {back ? (
          <button type="button" className={styles.key} aria-label={back.label} onClick={back.onBack}>
            <BackIcon size={36} />
          </button>
        ) : (
          <span />
        )}
        <Key disabled={disabled} onClick={() => add("0", 0)} digit="0" />
        <button type="button" className={styles.key} aria-label={deleteLabel} disabled={disabled} data-repeats onClick={erase}>
          <BackspaceIcon size={36} />
        </button>
      </div>
    </div>
  );
}

function Key({ digit, disabled, onClick }: { digit: string; disabled: boolean; onClick: () => void }) {
  return (
    <button type="button" className={styles.key} disabled={disabled} data-repeats onClick={onClick}>
      {digit}
    </button>
  );
}
