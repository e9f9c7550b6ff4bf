// Sizes of files as people say them: `12.4 MB`.
import { decimal } from "./decimal";

const UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1_000) + 1e-9));
  return `${decimal(bytes / 1_000 ** power)}\u00a0${UNITS[power] ?? "B"}`;
}
