/** What comes over a stream of server-sent events: text in pieces of any size, frames out. */

/** A frame, or a comment. A frame without data is no event; its id moves the place to resume at. */
export interface Frame {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  readonly comment?: string;
}

interface Fields {
  event: string;
  data: string[];
  id: string | undefined;
  any: boolean;
}

const empty = (): Fields => ({ event: "", data: [], id: undefined, any: false });

/** Reads a stream as its text comes. What is not ended by an empty line when the stream ends is dropped: it was cut. */
export function createFrameReader(): (text: string) => readonly Frame[] {
  let rest = "";
  let fields = empty();
  const line = (text: string): Frame | undefined => {
    if (text === "") {
      const { event, data, id, any } = fields;
      fields = empty();
      return !any ? undefined : { event, data: data.join("\n"), ...(id === undefined ? {} : { id }) };
    }
    const colon = text.indexOf(":");
    if (colon === 0) return { event: "", data: "", comment: text.slice(1).trim() };
    fields.any = true;
    const name = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "data") fields.data.push(value);
    else if (name === "event") fields.event = value;
    else if (name === "id" && !value.includes("\0")) fields.id = value;
    return undefined;
  };
  return (text) => {
    const frames: Frame[] = [];
    const whole = rest + text;
    let from = 0;
    for (const { index, 0: ending } of whole.matchAll(/\r\n|\n|\r/g)) {
      // The line feed that belongs to it may come with the next piece.
      if (ending === "\r" && index === whole.length - 1) break;
      const frame = line(whole.slice(from, index));
      if (frame !== undefined) frames.push(frame);
      from = index + ending.length;
    }
    rest = whole.slice(from);
    return frames;
  };
}
