/** Reads a stream of server-sent events over a socket of its own, so that a test can cut it at any byte, or take nothing. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { onTestFinished } from "vitest";
import { bye, draft, gone, wireEvent, type WireEvent } from "../../packages/server/src/protocol/wire-event.ts";
import { eventPage } from "../../packages/server/src/protocol/operations/event-operations.ts";
import { problem, type Problem } from "../../packages/server/src/protocol/wire-problem.ts";
import type { Answered } from "./server.ts";

/** A frame of a stream. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  /** The line of data, as it was sent. */
  readonly text?: string;
  readonly comment?: string;
}

/** A stream that is being read. */
export interface EventReader {
  readonly status: number;
  readonly head: string;
  readonly frames: Frame[];
  /** Resolves when the stream is over. */
  readonly over: Promise<unknown>;
  readonly socket: Socket;
  readonly cut: () => void;
}

const shapes = { draft, gone, bye } as const;

/** A frame's data, which must have the shape that is promised of it. */
export function dataOf({ event, text }: Frame): unknown {
  const value: unknown = JSON.parse(text ?? "null");
  const shape = event !== undefined && Object.hasOwn(shapes, event) ? shapes[event as keyof typeof shapes] : wireEvent;
  const read: unknown = shape.parse(value);
  // Members that the description does not name are left out of what was read.
  if (!isDeepStrictEqual(read, value)) throw new Error(`A frame ${event} has members that are not described: ${text}`);
  return read;
}

/** The events among the frames, each of the shape that is promised. */
export const eventsIn = (frames: readonly Frame[]): readonly WireEvent[] =>
  frames
    .filter(({ event, text }) => text !== undefined && event !== undefined && !Object.hasOwn(shapes, event))
    .map((frame) => dataOf(frame) as WireEvent);

export function parseFrame(block: string): Frame {
  const frame: { id?: string; event?: string; text?: string; comment?: string } = {};
  for (const line of block.split("\n")) {
    const [, name = "", value = ""] = /^([a-z]*): ?(.*)$/s.exec(line) ?? [];
    if (name === "id" || name === "event") frame[name] = value;
    if (name === "data") frame.text = value;
    if (name === "") frame.comment = value;
  }
  return frame;
}

/** The page that an answer is, of the shape that is promised. */
export const pageIn = ({ body }: Pick<Answered, "body">): ReturnType<typeof eventPage.parse> => eventPage.parse(body);
export const offsetsIn = (answer: Pick<Answered, "body">): readonly number[] => pageIn(answer).items.map(({ offset }) => offset);
/** The error that an answer is. */
export const problemIn = ({ body }: Pick<Answered, "body">): Problem => problem.parse(body);

/** Opens a stream. `cutAfter`: bytes of the answer, after which the connection is cut. */
export async function openReader(
  url: string,
  path: string,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly cutAfter?: number } = {},
): Promise<EventReader> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  const given = { host: `${hostname}:${port}`, accept: "text/event-stream", ...options.headers };
  const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client of HTTP/1.0 gets the body as it is, without chunks.
  socket.write(`GET ${path} HTTP/1.0\r\n${lines.join("")}\r\n`);
  const over = once(socket, "close");
  socket.on("error", () => {});
  const frames: Frame[] = [];
  let bytes = 0;
  let rest = "";
  let head: string | undefined;
  const began = new Promise<string>((resolve) => {
    socket.on("data", (chunk: Buffer) => {
      const left = options.cutAfter === undefined ? chunk : chunk.subarray(0, Math.max(0, options.cutAfter - bytes));
      bytes += chunk.length;
      // What a test cuts is plain ASCII.
      rest += left.toString("utf8");
      if (head === undefined && rest.includes("\r\n\r\n")) {
        head = rest.slice(0, rest.indexOf("\r\n\r\n"));
        rest = rest.slice(head.length + 4);
        resolve(head);
      }
      const blocks = head === undefined ? [] : rest.split("\n\n");
      if (head !== undefined) rest = blocks.pop() ?? "";
      frames.push(...blocks.map(parseFrame));
      if (options.cutAfter !== undefined && bytes >= options.cutAfter) socket.destroy();
    });
    void over.then(() => resolve(head ?? ""));
  });
  const first = await began;
  return { status: Number(first.split(" ")[1] ?? 0), head: first, frames, over, socket, cut: () => void socket.destroy() };
}
