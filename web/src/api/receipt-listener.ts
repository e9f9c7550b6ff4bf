// Tells whoever listens of the receipt in an action's answer: any call may bring one.
export interface Receipt {
  seq: number;
  hash: string;
  firma: string;
}

type Listener = (receipt: Receipt, answer: Record<string, unknown>) => void;

const listeners = new Set<Listener>();

export function onReceipt(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function reportReceipt(answer: unknown): void {
  if (typeof answer !== "object" || answer === null || !("recibo" in answer) || !isReceipt(answer.recibo)) return;
  for (const listener of listeners) listener(answer.recibo, answer);
}

const isReceipt = (found: unknown): found is Receipt =>
  typeof found === "object" && found !== null && "seq" in found && "hash" in found && "firma" in found;
