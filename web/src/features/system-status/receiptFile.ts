// The file of receipts that a tablet gave, in pieces that the server takes.
import type { KeptReceipts } from "@/api/verificacion";

/** The server takes so many at once. */
const PIECE = 500;
const FIELDS = ["seq", "hash", "firma", "en", "event_seq", "version", "tag_spool", "operacion", "accion"] as const;

/** Null when the text is no such file. A verification without receipts is one piece. */
export function piecesOf(text: string): KeptReceipts[] | null {
  try {
    const file = JSON.parse(text) as { "carrete-recibos"?: unknown; dispositivo?: unknown };
    const found = file["carrete-recibos"];
    if (!Array.isArray(found)) return null;
    const receipts = found.map((entry) => Object.fromEntries(FIELDS.flatMap((name) => fieldOf(entry as Record<string, unknown>, name))));
    const dispositivo = typeof file.dispositivo === "string" ? file.dispositivo : null;
    const starts = Array.from({ length: Math.ceil(receipts.length / PIECE) }, (_, piece) => piece * PIECE);
    return starts.map((start) => ({ dispositivo, recibos: receipts.slice(start, start + PIECE) }) as KeptReceipts);
  } catch {
    return null;
  }
}

const fieldOf = (entry: Record<string, unknown>, name: string): [string, unknown][] =>
  entry[name] === undefined || entry[name] === null ? [] : [[name, entry[name]]];
