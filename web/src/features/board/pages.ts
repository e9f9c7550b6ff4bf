// More rows than fit: pages that turn by themselves.
import { useCallback, useEffect, useState } from "react";

export const PAGE_MS = 12_000;

export interface Pages<Row> {
  rows: Row[];
  page: number; // from 1
  pages: number;
}

export function pageOf<Row>(all: readonly Row[], fit: number, turn: number): Pages<Row> {
  const pages = Math.max(1, Math.ceil(all.length / fit));
  const page = turn % pages;
  return { rows: all.slice(page * fit, (page + 1) * fit), page: page + 1, pages };
}

/** `resting` holds the page that is shown. */
export function usePages<Row>(all: readonly Row[], fit: number, resting: boolean): Pages<Row> {
  const [turn, setTurn] = useState(0);
  const shown = pageOf(all, fit, turn);
  const { pages } = shown;
  useEffect(() => {
    if (pages < 2 || resting) return;
    const timer = setInterval(() => setTurn((now) => (now + 1) % pages), PAGE_MS);
    return () => clearInterval(timer);
  }, [pages, resting]);
  return shown;
}

/** How many rows a grid has room for: its height by the height of its rows, measured again when it changes. */
export function useFit(): [fit: number, grid: (element: HTMLElement | null) => (() => void) | undefined] {
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
