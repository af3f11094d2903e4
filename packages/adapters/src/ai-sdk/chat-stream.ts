/** A turn as a UI message stream: chunks, and the HTTP response that `useChat` reads. */
import { ThroughlineError, type TurnStream } from "throughline";
import { defaultLogger, type ErrorKind } from "throughline/kernel";
import { type ChatChunk, type ChatTools, ChunkWriter, replyIdOf } from "./chat-chunks.ts";

/** Options of a stream of chunks. */
export interface UIStreamOptions extends ChatTools {
  /**
   * Offset up to which the page has the message, such as that of a decision. The chunks continue the page's message. By default they are the whole
   * message.
   */
  readonly after?: number;
  /** Receives an error and returns the text for the customer. Default: reports the error to stderr as the runtime does, and returns a general sentence. */
  readonly onError?: (error: unknown) => string;
}

const sentences: Readonly<Partial<Record<ErrorKind, string>>> = {
  invalid: "This message could not be sent.",
  not_found: "This conversation does not exist.",
  conflict: "This is no longer possible. Please reload the conversation.",
};

/** Reports an error to the developer and returns a sentence for the customer that says nothing of it. */
export function usualText(error: unknown): string {
  const kind = ThroughlineError.is(error) ? error.kind : "internal";
  if (kind === "internal" || kind === "corrupt" || kind === "unavailable") defaultLogger().error("A chat request failed", {}, error);
  return sentences[kind] ?? "Something went wrong. Please try again.";
}

/**
 * Returns the chunks of a turn as a UI message stream. The message's id is made from the offset of the message that it answers, so the history, a
 * resumed stream and this one agree. Leaving the stream does not stop the turn.
 */
export function toUIMessageStream(turn: TurnStream, options: UIStreamOptions = {}): ReadableStream<ChatChunk> {
  return streamOf(chunksOf(turn, options));
}

/** Returns the response of a route that `useChat` reads: `toUIMessageStreamResponse(session.stream(text))`. */
export function toUIMessageStreamResponse(
  turn: TurnStream,
  options: UIStreamOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  return responseOf(chunksOf(turn, options), options.headers);
}

async function* chunksOf(
  turn: TurnStream,
  { after = -1, onError = usualText, ...tools }: UIStreamOptions,
): AsyncGenerator<ChatChunk, void, undefined> {
  let isStarted = false;
  try {
    // A reply that a gate gives without a store belongs to no message of the log.
    const place = await turn.accepted.catch(() => undefined);
    const writer = new ChunkWriter(tools);
    for await (const part of turn) {
      const chunks = writer.write(part);
      if (part.offset <= after && part.type !== "end") continue;
      // The first chunk of a message names it. What comes before does not belong to a message.
      const first: number = isStarted ? -1 : after >= 0 ? 0 : chunks.findIndex(({ type }) => type === "start-step");
      isStarted ||= first >= 0;
      yield* first < 0
        ? chunks
        : chunks.toSpliced(first, 0, { type: "start", ...(place === undefined ? {} : { messageId: replyIdOf(place.offset) }) });
      if (part.type === "end" && part.result.status === "failed" && part.result.reply === undefined)
        yield { type: "error", errorText: onError(new ThroughlineError(part.result.error?.code ?? "turn.failed", part.result.error?.message)) };
    }
  } catch (error) {
    yield { type: "error", errorText: onError(error) };
  }
}

/** Returns a response with one text as the reply, for a message that was refused although its sender needs an answer. */
export const replyResponse = (text: string): Response => responseOf(replyOf(text), undefined);

async function* replyOf(delta: string): AsyncGenerator<ChatChunk, void, undefined> {
  yield* [{ type: "start" }, { type: "start-step" }, { type: "text-start", id: "text-1" }] as const;
  yield* [{ type: "text-delta", id: "text-1", delta }, { type: "text-end", id: "text-1" }, { type: "finish-step" }, { type: "finish" }] as const;
}

/** Milliseconds between comments that keep an idle connection open. */
const heartbeatMs = 15_000;

function responseOf(chunks: AsyncGenerator<ChatChunk, void, undefined>, more: Readonly<Record<string, string>> | undefined): Response {
  const headers = new Headers(more);
  headers.set("content-type", "text/event-stream");
  headers.set("cache-control", "no-cache, no-transform");
  headers.set("x-accel-buffering", "no");
  headers.set("x-vercel-ai-ui-message-stream", "v1");
  return new Response(streamOf(framesOf(chunks)).pipeThrough(new TextEncoderStream()), { headers });
}

async function* framesOf(chunks: AsyncGenerator<ChatChunk, void, undefined>): AsyncGenerator<string, void, undefined> {
  try {
    let next = chunks.next();
    for (;;) {
      const item = await orHeartbeat(next);
      if (item === undefined) {
        yield ": heartbeat\n\n";
        continue;
      }
      if (item.done === true) break;
      next = chunks.next();
      next.catch(() => {});
      yield `data: ${JSON.stringify(item.value)}\n\n`;
    }
    yield "data: [DONE]\n\n";
  } finally {
    void chunks.return();
  }
}

/** Waits for an item. Undefined if it is time for a heartbeat. */
async function orHeartbeat<Item>(next: Promise<Item>): Promise<Item | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const idle = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), heartbeatMs);
  });
  try {
    return await Promise.race([next, idle]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a stream that takes an item when it is asked for one. Leaving it ends the generator, as soon as its next item is there. */
const streamOf = <Item>(items: AsyncGenerator<Item, void, undefined>): ReadableStream<Item> =>
  new ReadableStream<Item>({
    async pull(controller) {
      const { done, value } = await items.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      void items.return();
    },
  });
