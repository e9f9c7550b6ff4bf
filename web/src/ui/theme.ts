// Light or dark: what the tablet is set to, unless somebody chose otherwise on it.
import { useSyncExternalStore } from "react";

import { storage } from "@/storage/storage";

export type Theme = "light" | "dark";

const KEY = "carrete.theme";
const night = matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

const chosen = (): Theme | null => {
  const kept = storage.get(KEY);
  return kept === "light" || kept === "dark" ? kept : null;
};
const current = (): Theme => chosen() ?? (night.matches ? "dark" : "light");

/** Before the first paint; from then on it follows the tablet. */
export function startTheme(): void {
  night.addEventListener("change", applyTheme);
  applyTheme();
}

function applyTheme(): void {
  document.documentElement.dataset.theme = current();
  for (const watcher of watchers) watcher();
}

export function chooseTheme(theme: Theme): void {
  storage.keep(KEY, theme);
  applyTheme();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useTheme = (): Theme => useSyncExternalStore(watch, current);
