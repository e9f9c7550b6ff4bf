// Server-sent events out of a byte stream that may be cut anywhere. Comments (the heartbeat) come out as nothing.
// An event without data only says where to resume from.

export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

const BUFFER_CHARS_MAX = 1_000_000;

/** Feed it text as it arrives; it gives back the events that are whole by then. */
export class EventParser {
  private pending = "";

  feed(text: string): ServerEvent[] {
    const blocks = (this.pending + text).replace(/\r\n?/g, "\n").split("\n\n");
    this.pending = blocks.pop() ?? "";
    if (this.pending.length > BUFFER_CHARS_MAX) throw new Error("the stream sends no end of event");
    return blocks.map(parseBlock).filter((found) => found.id !== "" || found.data !== "");
  }
}

function parseBlock(block: string): ServerEvent {
  const found: ServerEvent = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue; // a comment, or a field without a value
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") found.data += found.data ? `\n${value}` : value;
    else if (name === "id" || name === "event") found[name] = value;
  }
  return found;
}
