// Light or dark: the setting of the tablet, unless a person chose another one in the app.
import { useSyncExternalStore } from "react";

import { storage } from "@/storage/storage";

export type Theme = "light" | "dark";

const KEY = "carrete.theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

const chosenTheme = (): Theme | null => {
  const stored = storage.get(KEY);
  return stored === "light" || stored === "dark" ? stored : null;
};
const currentTheme = (): Theme => chosenTheme() ?? (prefersDark.matches ? "dark" : "light");

/** Called before the first paint; from then on the theme follows the setting of the tablet. */
export function startTheme(): void {
  prefersDark.addEventListener("change", applyTheme);
  applyTheme();
}

function applyTheme(): void {
  document.documentElement.dataset.theme = currentTheme();
  for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
  storage.set(KEY, theme);
  applyTheme();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);
