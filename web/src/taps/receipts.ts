// The receipts of what this tablet's people did: the last 1,000, so that a trail that was rewritten can be shown to be. They are given
// as a file when somebody asks; the server never needs them.
import { onReceipt, type Receipt } from "@/api/receipt-listener";
import { TabletDatabase } from "@/storage/database";
import { saveFile } from "@/ui/saveFile";
import { newKey } from "./key";

export const RECEIPTS_KEPT_MAX = 1_000;
const TRIM_EVERY = 20; // receipts between two looks at how many there are

export interface KeptReceipt extends Receipt {
  en: string; // when it came, by this tablet's clock
  n: string; // makes the key unique: several may come in one millisecond
  event_seq?: number;
  version?: string;
  tag_spool?: string;
  operacion?: string;
  accion?: string;
}

/** A database of its own: losing it loses no work. */
const database = new TabletDatabase(() => globalThis.indexedDB, "carrete-receipts", { receipts: ["en", "n"] });

export class ReceiptStore {
  private memory: KeptReceipt[] = []; // what the database refused
  private sinceTrim = 0;

  constructor(
    private readonly stored: TabletDatabase = database,
    private readonly now: () => Date = () => new Date(),
  ) {}

  async keep(receipt: Receipt, answer: Record<string, unknown>): Promise<void> {
    const kept = keptReceipt(receipt, answer, this.now());
    const trim = this.sinceTrim++ % TRIM_EVERY === 0;
    const saved = await this.stored.change<true>(
      ["receipts"],
      (store, finish) => {
        store("receipts").put(kept);
        if (trim) deleteOldest(store("receipts"));
        finish(true);
      },
      "relaxed", // a lost one is no lost work
    );
    if (!saved) this.memory = [...this.memory, kept].slice(-RECEIPTS_KEPT_MAX);
  }

  /** Oldest first. */
  async all(): Promise<KeptReceipt[]> {
    const found = await this.stored.read<KeptReceipt[]>(["receipts"], (store, finish) => {
      const all = store("receipts").getAll() as IDBRequest<KeptReceipt[]>;
      all.onsuccess = () => finish(all.result);
    });
    return [...(found ?? []), ...this.memory].slice(-RECEIPTS_KEPT_MAX);
  }
}

function keptReceipt({ seq, hash, firma }: Receipt, answer: Record<string, unknown>, now: Date): KeptReceipt {
  const kept: KeptReceipt = { seq, hash, firma, en: now.toISOString(), n: newKey() };
  if (typeof answer["event_seq"] === "number") kept.event_seq = answer["event_seq"];
  if (typeof answer["version"] === "string") kept.version = answer["version"];
  if (typeof answer["tag_spool"] === "string") kept.tag_spool = answer["tag_spool"];
  if (typeof answer["operacion"] === "string") kept.operacion = answer["operacion"];
  if (typeof answer["action_taken"] === "string") kept.accion = answer["action_taken"];
  return kept;
}

/** The key begins with the time: the first ones are the oldest. */
function deleteOldest(store: IDBObjectStore): void {
  const keys = store.getAllKeys();
  keys.onsuccess = () => {
    for (const key of keys.result.slice(0, Math.max(0, keys.result.length - RECEIPTS_KEPT_MAX))) store.delete(key);
  };
}

export const receipts = new ReceiptStore();

/** Called once, when the app starts. */
export const keepReceipts = (): (() => void) => onReceipt((receipt, answer) => void receipts.keep(receipt, answer));

/** The text of the file that `carrete verify --receipts` and docs/verify.py read. */
export function receiptsFile(kept: readonly KeptReceipt[], device: string): string {
  const entries = kept.map((receipt) => ({ ...receipt, n: undefined }));
  return JSON.stringify({ "carrete-recibos": entries, dispositivo: device });
}

/** The files of several tablets are put into one folder. */
export function receiptsFileName(device: string | undefined, day: string): string {
  const name = device?.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}]+/gu, " ").trim().replaceAll(" ", "-");
  return `${["recibos", name, day].filter(Boolean).join("-")}.json`;
}

/** Gives them to the browser's downloads. `device` is the name with which it is enrolled. */
export async function saveReceipts(device: string | undefined): Promise<void> {
  const text = receiptsFile(await receipts.all(), device ?? location.host);
  const day = new Date().toISOString().slice(0, 10);
  saveFile(new Blob([text], { type: "application/json" }), receiptsFileName(device, day));
}
