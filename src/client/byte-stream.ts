/** Text as it comes over a connection, which counts as dead when nothing comes for too long. */
import type { Opened } from "./exchange.ts";
import { createFrameReader, type Frame } from "./frames.ts";
import { RequestError } from "./request-error.ts";

/** The pieces of an answer, until it ends. Only the wait for the next one is timed: a reader may take as long as it likes over each. */
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

/** The frames of a stream of server-sent events. */
export async function* framesOf(opened: Opened, stallMs: number): AsyncGenerator<Frame, void, undefined> {
  const read = createFrameReader();
  for await (const piece of piecesOf(opened, stallMs)) yield* read(piece);
}

/** The lines of an answer that is too long to be held as a whole. */
export async function* linesOf(opened: Opened, stallMs: number): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const piece of piecesOf(opened, stallMs)) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** What comes in time; `connection.failed` for a connection that breaks off, `timeout` for one that falls silent. */
async function soon<Value>(coming: Promise<Value>, ms: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RequestError({ code: "timeout", message: `Nothing came for ${ms} ms.` })), ms);
  });
  try {
    return await Promise.race([coming, late]);
  } catch (cause) {
    if (RequestError.is(cause)) throw cause;
    throw new RequestError({ code: "connection.failed", message: "The service broke off its answer.", cause });
  } finally {
    clearTimeout(timer);
    coming.catch(() => {});
  }
}
