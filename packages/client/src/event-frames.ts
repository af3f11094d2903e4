/** Reads text from a connection as frames or lines. Times out if no data arrives. */
import { RequestError } from "./request-errors.ts";
import type { Opened } from "./transport.ts";

/** Yields the pieces of a response until it ends. Only the wait for the next piece is timed, so a slow reader causes no timeout. */
async function* piecesOf({ response, close }: Opened, stallMs: number): AsyncGenerator<string, void, undefined> {
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null)?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await soon(reader.read(), stallMs);
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    close();
    reader.cancel().catch(() => {});
  }
}

/** Yields the frames of a stream of server-sent events. */
export async function* framesOf(opened: Opened, stallMs: number): AsyncGenerator<Frame, void, undefined> {
  const read = createFrameReader();
  for await (const piece of piecesOf(opened, stallMs)) yield* read(piece);
}

/** Yields the lines of a response that is too long to hold in memory. */
export async function* linesOf(opened: Opened, stallMs: number): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const piece of piecesOf(opened, stallMs)) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** Waits for a promise up to `ms` milliseconds. Throws `timeout` if no data arrives, and `connection.failed` if the connection breaks. */
async function soon<Value>(coming: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RequestError({ code: "timeout", message: `No data arrived for ${ms} ms.` })), ms);
  });
  try {
    return await Promise.race([coming, late]);
  } catch (cause) {
    if (RequestError.is(cause)) throw cause;
    throw new RequestError({ code: "connection.failed", message: "The service's response was cut off.", cause });
  } finally {
    clearTimeout(timer);
    coming.catch(() => {});
  }
}

/** A frame or a comment. A frame without data is not an event, but its id moves the resume position. */
export interface Frame {
  readonly event: string;
  readonly data: string;
  readonly id?: string;
  readonly comment?: string;
}

/** Parses the JSON of a frame. Throws `connection.failed` if it is incomplete. */
export function parseFrame({ data }: Frame): unknown {
  try {
    return JSON.parse(data) as unknown;
  } catch (cause) {
    throw new RequestError({ code: "connection.failed", message: "A frame of the stream is incomplete.", cause });
  }
}

interface Fields {
  event: string;
  data: string[];
  id: string | undefined;
  any: boolean;
}

const empty = (): Fields => ({ event: "", data: [], id: undefined, any: false });

/** Creates a parser for a stream's text. An incomplete frame at the end is dropped, because the connection was cut. */
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
      // Its line feed may arrive with the next piece.
      if (ending === "\r" && index === whole.length - 1) break;
      const frame = line(whole.slice(from, index));
      if (frame !== undefined) frames.push(frame);
      from = index + ending.length;
    }
    rest = whole.slice(from);
    return frames;
  };
}
