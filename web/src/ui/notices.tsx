// Short messages at the edge of the screen: read aloud when they come, gone by themselves unless they must be seen.
import { useSyncExternalStore } from "react";

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
}

const NOTICES_MAX = 4;
const SHOWN_MS = 6_000;
let notices: readonly Notice[] = [];
let next = 1;
const watchers = new Set<() => void>();

function show(changed: readonly Notice[]): void {
  notices = changed.slice(-NOTICES_MAX);
  for (const watcher of watchers) watcher();
}

export function notify(tone: Notice["tone"], text: string, stays = false): void {
  const id = next++;
  show([...notices.filter((shown) => shown.text !== text), { id, tone, text, stays }]);
  if (!stays) setTimeout(() => dismiss(id), SHOWN_MS);
}

export const dismiss = (id: number): void => show(notices.filter((notice) => notice.id !== id));

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export function Notices({ closeLabel, label }: { closeLabel: string; label: string }) {
  const shown = useSyncExternalStore(watch, () => notices);
  return (
    <section className={styles.notices} aria-label={label} aria-live="polite" aria-relevant="additions">
      {shown.map((notice) => (
        <div key={notice.id} className={classes(styles.notice, styles[notice.tone])}>
          <p className={styles.text}>{notice.text}</p>
          <Button className={styles.close} aria-label={closeLabel} onClick={() => dismiss(notice.id)}>
            <CrossIcon size={22} />
          </Button>
        </div>
      ))}
    </section>
  );
}
