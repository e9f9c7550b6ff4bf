// What can be done on a screen, at its lower edge where the thumbs are. Stays in sight while the rest scrolls.
import { useCallback, type ReactNode } from "react";

import styles from "./ActionBar.module.css";
import { NoticePlace } from "./notices";

/** Tells what scrolls how tall the bar in it is now: the style sheet keeps what has the focus clear of it. */
function useBarHeight(): (bar: HTMLElement | null) => (() => void) | undefined {
  return useCallback((bar) => {
    const scroller = bar?.parentElement;
    if (!bar || !scroller) return;
    const observer = new ResizeObserver(() => {
      scroller.style.setProperty("--bar-height", `${bar.offsetHeight}px`);
    });
    observer.observe(bar);
    return () => {
      observer.disconnect();
      scroller.style.removeProperty("--bar-height");
    };
  }, []);
}

/** A notice makes the bar grow upwards, over what scrolls: no button moves. */
export function ActionBar({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <div className={styles.bar} ref={useBarHeight()}>
      <NoticePlace />
      <div className={className}>{children}</div>
    </div>
  );
}
