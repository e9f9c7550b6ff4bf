// Shows more rows than fit, as pages that change by themselves.
import { useCallback, useEffect, useState } from "react";

export const PAGE_MS = 12_000;

export interface RowPage<Row> {
  rows: Row[];
  page: number; // from 1
  pages: number;
}

export function pageOf<Row>(all: readonly Row[], fit: number, turn: number): RowPage<Row> {
  const pages = Math.max(1, Math.ceil(all.length / fit));
  const page = turn % pages;
  return { rows: all.slice(page * fit, (page + 1) * fit), page: page + 1, pages };
}

/** `paused` keeps the present page. */
export function usePages<Row>(all: readonly Row[], fit: number, paused: boolean): RowPage<Row> {
  const [turn, setTurn] = useState(0);
  const page = pageOf(all, fit, turn);
  const { pages } = page;
  useEffect(() => {
    if (pages < 2 || paused) return;
    const timer = setInterval(() => setTurn((now) => (now + 1) % pages), PAGE_MS);
    return () => clearInterval(timer);
  }, [pages, paused]);
  return page;
}

/** How many rows fit into a grid: its height by the height of a row, measured again when the grid changes. */
export function useRowsThatFit(): [fit: number, grid: (element: HTMLElement | null) => (() => void) | undefined] {
  const [fit, setFit] = useState(1);
  const grid = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(() => setFit(rowsIn(element)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [fit, grid];
}

function rowsIn(element: HTMLElement): number {
  const row = parseFloat(getComputedStyle(element).gridAutoRows);
  return Math.max(1, Math.floor((element.clientHeight + 1) / row));
}
