// Short messages: read aloud when they come, gone by themselves unless they must be seen. The newest is shown, the others
// wait behind it. They lie on nothing that can be tapped and move nothing from under a finger: a screen with buttons at
// its lower edge makes a place above them.
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
  /** Stays until somebody puts it away. */
  stays: boolean;
  /** What can be done about it; then it is put away. */
  action?: NoticeAction | undefined;
}

export interface NoticeAction {
  label: string;
  run: () => void;
}

interface Shown {
  notices: readonly Notice[];
  /** Where the screen that is open has room for them; null: nowhere in particular. */
  place: HTMLElement | null;
}

export const NOTICES_MAX = 20;
const SHOWN_MS = 6_000;
let shown: Shown = { notices: [], place: null };
let next = 1;
const places = new Set<HTMLElement>();
const watchers = new Set<() => void>();

function show(changed: Partial<Shown>): void {
  shown = { ...shown, ...changed };
  for (const watcher of watchers) watcher();
}

export function notify(tone: Notice["tone"], text: string, stays = false, action?: NoticeAction): void {
  const id = next++;
  show({ notices: withNotice(shown.notices, { id, tone, text, stays, action }) });
  if (!stays) setTimeout(() => dismiss(id), SHOWN_MS);
}

/** The same sentence again is one notice. */
export function withNotice(notices: readonly Notice[], one: Notice): readonly Notice[] {
  return [...notices.filter(({ text }) => text !== one.text), one].slice(-NOTICES_MAX);
}

export const dismiss = (id: number): void => show({ notices: shown.notices.filter((notice) => notice.id !== id) });

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** A screen over another comes after it in the document: the last place is the one in sight. */
function lastPlace(): HTMLElement | null {
  const follows = (a: HTMLElement, b: HTMLElement): boolean =>
    (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return [...places].reduce<HTMLElement | null>((last, one) => (last === null || follows(last, one) ? one : last), null);
}

/** For the lower edge of what scrolls, above a screen's buttons. Empty, it takes no room. */
export function NoticePlace() {
  const placed = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    places.add(element);
    show({ place: lastPlace() });
    return () => {
      places.delete(element);
      show({ place: lastPlace() });
    };
  }, []);
  return <div ref={placed} className={styles.place} />;
}

export interface NoticesProps {
  label: string;
  closeLabel: string;
  /** How many wait behind the one that is shown. */
  moreLabel: (count: number) => string;
}

/** For the whole application, once. */
export function Notices({ label, closeLabel, moreLabel }: NoticesProps) {
  const { notices, place } = useSyncExternalStore(watch, () => shown);
  const newest = notices.at(-1);
  const section = (
    <section
      className={classes(styles.notices, place === null && styles.floating)}
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
  return place ? createPortal(section, place) : section;
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
