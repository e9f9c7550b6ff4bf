// A long list that renders only the rows near the visible part, and loads more rows when its end comes near.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, type ReactNode, type RefObject } from "react";

import type { Spool } from "@/api/types";
import styles from "./VirtualRows.module.css";

const ROW_PX = 96;
const GAP_PX = 8;
const NEAR_END_ROWS = 20;

export interface VirtualRowsProps {
  spools: Spool[];
  total: number | null;
  scroller: RefObject<HTMLElement | null>;
  /** Height of the content above the list inside the scroller. */
  above: number;
  render: (spool: Spool) => ReactNode;
  onNearEnd: () => void;
  label: string;
}

export function VirtualRows({ spools, total, scroller, above, render, onNearEnd, label }: VirtualRowsProps) {
  const rows = useVirtualizer({
    count: spools.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (i) => spools[i]?.tag_spool ?? i,
    gap: GAP_PX,
    overscan: 6,
    scrollMargin: above,
  });
  const rendered = rows.getVirtualItems();
  const last = rendered.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= spools.length - NEAR_END_ROWS) onNearEnd();
  });
  return (
    <ul className={styles.rows} style={{ height: rows.getTotalSize() }} aria-label={label}>
      {rendered.map((row) => {
        const spool = spools[row.index];
        return (
          spool && (
            <li
              key={row.key}
              ref={rows.measureElement}
              data-index={row.index}
              className={styles.row}
              style={{ transform: `translateY(${row.start - above}px)` }}
              aria-setsize={total ?? -1}
              aria-posinset={row.index + 1}
            >
              {render(spool)}
            </li>
          )
        );
      })}
    </ul>
  );
}
