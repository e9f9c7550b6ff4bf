// Parses server-sent events from text that arrives in pieces of any length. Comments (the heartbeat) are skipped.
// An event without data only carries the id to resume from.

export interface ServerEvent {
  id: string;
  event: string;
  data: string;
}

const BUFFER_CHARS_MAX = 1_000_000;

/** `feed` takes text as it arrives and returns the events that are complete by then. */
export class EventParser {
  private incomplete = "";

  feed(text: string): ServerEvent[] {
    const blocks = (this.incomplete + text).replace(/\r\n?/g, "\n").split("\n\n");
    this.incomplete = blocks.pop() ?? "";
    if (this.incomplete.length > BUFFER_CHARS_MAX) throw new Error("the stream sends no end of event");
    return blocks.map(parseBlock).filter((event) => event.id !== "" || event.data !== "");
  }
}

function parseBlock(block: string): ServerEvent {
  const event: ServerEvent = { id: "", event: "message", data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 1) continue; // a comment, or a field without a value
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") event.data += event.data ? `\n${value}` : value;
    else if (name === "id" || name === "event") event[name] = value;
  }
  return event;
}
