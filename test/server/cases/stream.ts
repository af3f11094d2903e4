/** Reads a stream of server-sent events as it comes. */
import { parseFrame, type Frame } from "../../setup/event-reader.ts";

/** A stream that is being read. */
export interface Reading {
  readonly status: number;
  readonly type: string | null;
  readonly frames: readonly Frame[];
  /** Resolves when the stream is over, or was cut. */
  readonly over: Promise<void>;
  readonly cut: () => void;
}

/** Opens a stream and reads on until it is over, or cut. */
export async function readStream(url: string, path: string, headers: Readonly<Record<string, string>>): Promise<Reading> {
  const left = new AbortController();
  const response = await fetch(`${url}${path}`, { headers: { accept: "text/event-stream", ...headers }, signal: left.signal });
  const frames: Frame[] = [];
  const read = async (): Promise<void> => {
    let rest = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = `${rest}${piece}`.split("\n\n");
      rest = blocks.pop() ?? "";
      frames.push(...blocks.map(parseFrame));
    }
  };
  const over = read().catch(() => {});
  return { status: response.status, type: response.headers.get("content-type"), frames, over, cut: () => left.abort() };
}
