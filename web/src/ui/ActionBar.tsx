// The buttons at the lower edge of a screen, where the thumbs are. They stay visible while the rest scrolls.
import { useCallback, type ReactNode } from "react";

import styles from "./ActionBar.module.css";
import { NoticeSlot } from "./notices";

/** Gives the scrolling element the height of the bar, so that the style sheet scrolls the focused element clear of the bar. */
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

/** A notice makes the bar grow upwards, over the part that scrolls: no button moves. */
export function ActionBar({ children, className }: { children: ReactNode; className?: string | undefined }) {
  return (
    <div className={styles.bar} ref={useBarHeight()}>
      <NoticeSlot />
      <div className={className}>{children}</div>
    </div>
  );
}
