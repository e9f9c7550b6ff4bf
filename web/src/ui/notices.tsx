// Notices: short messages that screen readers read aloud and that close by themselves unless a person must see them. The
// newest is shown, the others wait behind it. A notice covers no button and moves none: a screen with buttons at its lower
// edge has a slot for notices above them. A notice belongs to the person who is here when it comes, and nobody else sees it.
import { useCallback, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";

import { Button } from "./Button";
import { CrossIcon } from "./icons";
import styles from "./notices.module.css";
import { classes } from "./classes";

export interface Notice {
  id: number;
  tone: "good" | "bad" | "warn" | "plain";
  text: string;
  /** Stays until a person closes it. */
  stays: boolean;
  /** A button; pressing it also closes the notice. */
  action?: NoticeAction | undefined;
  /** Only this person sees it; null: everybody. */
  person: number | null;
}

export interface NoticeAction {
  label: string;
  run: () => void;
}

interface NoticesState {
  notices: readonly Notice[];
  /** Who is here; null: nobody. */
  person: number | null;
  /** The slot of the open screen; null: the notice floats. */
  slot: HTMLElement | null;
}

export const NOTICES_MAX = 20;
const STAYING_MAX = 200; // of people who do not come back nobody closes any
const SHOWN_MS = 6_000;
let state: NoticesState = { notices: [], person: null, slot: null };
let nextId = 1;
const slots = new Set<HTMLElement>();
const listeners = new Set<() => void>();

function update(changes: Partial<NoticesState>): void {
  state = { ...state, ...changes };
  for (const listener of listeners) listener();
}

/** For the person who is here. A notice that comes while nobody is here is for everybody. */
export function notify(tone: Notice["tone"], text: string, stays = false, action?: NoticeAction): void {
  add({ tone, text, stays, action, person: state.person });
}

/** For the person whom it is about, also if somebody else is here by now: for what comes after an answer of the server. */
export function notifyPerson(person: number | null, tone: Notice["tone"], text: string, stays = false): void {
  add({ tone, text, stays, person });
}

/** About the tablet, whoever uses it. */
export const notifyEverybody = (tone: Notice["tone"], text: string): void => add({ tone, text, stays: true, person: null });

function add(added: Omit<Notice, "id">): void {
  const id = nextId++;
  update({ notices: withNotice(state.notices, { id, ...added }) });
  if (!added.stays) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** What a person has not closed waits until that person is here again. */
export const showNoticesTo = (person: number | null): void => {
  if (person !== state.person) update({ person });
};

/** What the person who is here sees. */
export const noticesFor = (notices: readonly Notice[], person: number | null): readonly Notice[] =>
  notices.filter((notice) => notice.person === null || notice.person === person);

/** The same sentence twice for one person is one notice. Of too many the oldest go, of those that a person must close only much later. */
export function withNotice(notices: readonly Notice[], added: Notice): readonly Notice[] {
  const isSame = ({ text, person }: Notice): boolean => text === added.text && person === added.person;
  const all = [...notices.filter((notice) => !isSame(notice)), added];
  return all.filter(({ stays, id }, at) => id === added.id || at >= all.length - (stays ? STAYING_MAX : NOTICES_MAX));
}

export const dismiss = (id: number): void => update({ notices: state.notices.filter((notice) => notice.id !== id) });

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A screen that covers another comes after it in the document: its slot, the last one, is the visible one. */
function visibleSlot(): HTMLElement | null {
  const follows = (a: HTMLElement, b: HTMLElement): boolean =>
    (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...slots].reduce<HTMLElement | null>((last, slot) => (last === null || follows(last, slot) ? slot : last), null);
}

/** Goes above a screen's buttons, at the lower edge of the part that scrolls. An empty slot takes no room. */
export function NoticeSlot() {
  const register = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    slots.add(element);
    update({ slot: visibleSlot() });
    return () => {
      slots.delete(element);
      update({ slot: visibleSlot() });
    };
  }, []);
  return <div ref={register} className={styles.slot} />;
}

export interface NoticesProps {
  label: string;
  closeLabel: string;
  /** How many notices wait behind the one that is shown. */
  moreLabel: (count: number) => string;
}

/** For the whole application, once. */
export function Notices({ label, closeLabel, moreLabel }: NoticesProps) {
  const { notices: all, person, slot } = useSyncExternalStore(subscribe, () => state);
  const notices = noticesFor(all, person);
  const newest = notices.at(-1);
  const section = (
    <section
      className={classes(styles.notices, slot === null && styles.floating)}
      aria-label={label}
      aria-live="polite"
      aria-relevant="additions"
    >
      {newest && (
        <div key={newest.id} className={classes(styles.notice, styles[newest.tone])} data-notice={newest.tone}>
          <div className={styles.words}>
            <p className={styles.text}>{newest.text}</p>
            {notices.length > 1 && <p className={styles.more}>{moreLabel(notices.length - 1)}</p>}
          </div>
          {newest.action && <ActionButton id={newest.id} action={newest.action} />}
          <Button className={styles.close} aria-label={closeLabel} onClick={() => dismiss(newest.id)}>
            <CrossIcon size={22} />
          </Button>
        </div>
      )}
    </section>
  );
  return slot ? createPortal(section, slot) : section;
}

function ActionButton({ id, action }: { id: number; action: NoticeAction }) {
  const run = (): void => {
    dismiss(id);
    action.run();
  };
  return (
    <Button className={styles.action} onClick={run}>
      {action.label}
    </Button>
  );
}
