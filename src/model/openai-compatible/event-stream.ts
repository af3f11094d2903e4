/** Characters of one line that no server sends in good faith. */
const longestLine = 64 * 1024 * 1024;

/** The data of one event. */
export interface EventData {
  readonly data: string;
  /** Whether the stream ended before the empty line that closes an event. */
  readonly open: boolean;
}

/**
 * The data of the events in a stream of server-sent events: lines end with CR, LF or both, an event's data lines are joined, comments and
 * other fields are left out. Throws a RangeError for a line of more than 64 million characters.
 */
export async function* eventData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventData, void, undefined> {
  let data: string[] = [];
  for await (const line of linesOf(bytes)) {
    if (line === "") {
      if (data.length > 0) yield { data: data.join("\n"), open: false };
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line === "data") data.push("");
  }
  if (data.length > 0) yield { data: data.join("\n"), open: true };
}

/** The lines of a text that comes in pieces, which may cut a line, a character or a CR LF anywhere. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let afterReturn = false;
  for await (const chunk of bytes) {
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    if (afterReturn && text.startsWith("\n")) text = text.slice(1);
    afterReturn = text === "" ? false : text.endsWith("\r");
    const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
    pieces.push(first);
    length += first.length;
    if (length > longestLine) throw new RangeError("A line is too long.");
    for (const next of rest) {
      yield pieces.join("");
      pieces = [next];
      length = next.length;
    }
  }
  pieces.push(decoder.decode());
  yield pieces.join("");
}
