// The checks of the installation in the order in which a person needs them, and their verdict. Pure.
import type { CheckLevel, SystemCheck } from "@/api/sistema";

const ORDER: readonly CheckLevel[] = ["error", "aviso", "bien"];

export const worstFirst = (checks: readonly SystemCheck[]): SystemCheck[] =>
  [...checks].sort((a, b) => ORDER.indexOf(a.nivel) - ORDER.indexOf(b.nivel));

export const countOf = (checks: readonly SystemCheck[], nivel: CheckLevel): number =>
  checks.filter((check) => check.nivel === nivel).length;

/** A notice without an advice is only a fact. */
export const needsSomebody = ({ nivel, que_hacer }: SystemCheck): boolean => nivel === "error" || (nivel === "aviso" && que_hacer !== "");

/** Whether a tablet can open the address; one of this machine alone it cannot. */
export const isReachable = (address: string): boolean => !["localhost", "127.0.0.1", "[::1]"].includes(new URL(address).hostname);
