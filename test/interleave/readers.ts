/** Readers of every kind, which are cut at random and go on where they were. What they get is noted as it comes, and nothing is dropped. */
import type { IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Chooser } from "../../packages/throughline/src/testing/test-clock.ts";
import type { Event } from "../../packages/throughline/src/index.ts";
import type { WireDraft, WireEvent } from "../../packages/server/src/protocol/wire-event.ts";
import { bodyOf, exchange, open } from "./exchange.ts";
import type { Item, Trace } from "./world.ts";

/** What every reader goes by. */
export interface Reading {
  readonly dice: Chooser;
  readonly doors: readonly string[];
  /** Aborts when nobody reads on. */
  readonly given: AbortSignal;
  /** Sessions to read: more of them when they are forked. */
  readonly sessions: () => readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly kinds?: readonly Event["kind"][];
}

/** A reader at work. */
export interface Reader {
  /** What it has got so far. */
  readonly items: readonly Item[];
  /** Ends when it is told to leave; rejects when it meets what a reader should not. */
  readonly done: Promise<void>;
}

const kindsOf = ({ kinds }: Reading): string => (kinds === undefined ? "" : `&kinds=${kinds.join(",")}`);

/** Reads with what the maker gives, which notes items. */
function reader(read: (note: (item: Item) => void) => Promise<void>): Reader {
  const items: Item[] = [];
  return { items, done: read((item) => void items.push(item)) };
}

/** Reads page after page of one session, with long polls (`wait` in seconds) or by coming back. */
export const pageReader = (reading: Reading, { wait }: { readonly wait?: number }): Reader =>
  reader(async (note) => {
    const { dice, doors, given } = reading;
    const left = new Promise<undefined>((resolve) => given.addEventListener("abort", () => resolve(undefined), { once: true }));
    let next = 0;
    while (!given.aborted) {
      const [session = ""] = reading.sessions();
      const query = `withdrawn=true&min_offset=${next}&limit=${dice.integer(1, 9)}${kindsOf(reading)}${wait === undefined ? "" : `&wait=${wait}`}`;
      const asked = exchange(dice.one(doors), { method: "GET", path: `/v1/sessions/${session}/events?${query}` });
      const answer = await Promise.race([asked, left]);
      if (answer?.status === 200) {
        const page = bodyOf<{ readonly items: readonly WireEvent[]; readonly next_offset: number }>(answer);
        note({ type: "open", resumed: next > 0 });
        for (const event of page.items) note({ type: "event", session, text: JSON.stringify(event) });
        note({ type: "closed" });
        next = page.next_offset;
      } else if (answer?.status === 204) next = Number(answer.headers["next-offset"]);
      else if (answer !== undefined && answer.status !== 503) throw new Error(`A page was answered with ${answer.status}: ${answer.text}`);
      await delay(dice.integer(0, wait === undefined ? 120 : 20));
    }
  });

/** Milliseconds without a byte after which a stream is not alive: heartbeats come every 200. */
const silence = 15_000;

interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

function frameOf(block: string): Frame {
  const lines = block.split("\n").map((line) => /^([a-z]*): ?(.*)$/.exec(line) ?? []);
  return Object.fromEntries(lines.flatMap(([, name = "", value = ""]) => (name === "" ? [] : [[name, value]])));
}

/** Whole frames as they come, until the connection ends, is silent for too long, or is cut by the reader after `ms`. */
async function* framesOf(
  response: IncomingMessage,
  { ms, given }: { readonly ms: number | undefined; readonly given: AbortSignal },
): AsyncGenerator<Frame> {
  const cut = (): void => void response.destroy();
  const timer = ms === undefined ? undefined : setTimeout(cut, ms);
  given.addEventListener("abort", cut, { once: true });
  let silent = false;
  response.setTimeout(silence, () => {
    silent = true;
    cut();
  });
  try {
    let rest = "";
    for await (const chunk of response.setEncoding("utf8")) {
      const blocks = `${rest}${chunk as string}`.split("\n\n");
      rest = blocks.pop() ?? "";
      yield* blocks.map(frameOf);
    }
  } catch {
    // Cut: what is whole has come.
  } finally {
    clearTimeout(timer);
    given.removeEventListener("abort", cut);
    cut();
  }
  if (silent) throw new Error(`A stream was silent for ${silence} ms.`);
}

function itemOf({ event, data = "null" }: Frame): Item | undefined {
  if (event === undefined) return undefined;
  if (event === "draft") return { type: "draft", draft: JSON.parse(data) as WireDraft };
  if (event === "bye") return { type: "bye" };
  const value = JSON.parse(data) as { readonly session_id: string };
  return event === "gone" ? { type: "gone", session: value.session_id } : { type: "event", session: value.session_id, text: data };
}

/** Where a stream is, and what it is asked for with. */
interface Streaming {
  readonly address: (sessions: readonly string[]) => string;
  /** Whether somebody has asked for a session to be deleted. */
  readonly isGone: (session: string) => boolean;
}

/** What a stream's reader remembers from one connection to the next. */
interface Memory {
  last: string | undefined;
  readonly gone: Set<string>;
}

/** Reads one connection to its end. */
async function readStream(reading: Reading, response: IncomingMessage, memory: Memory, note: (item: Item) => void): Promise<void> {
  const { dice, given } = reading;
  note({ type: "open", resumed: memory.last !== undefined });
  // A list that has grown is asked for when the stream comes back.
  const ms = dice.chance(0.6) ? dice.integer(10, 700) : reading.sessions().length === 1 ? undefined : 1_500;
  for await (const frame of framesOf(response, { ms, given })) {
    memory.last = frame.id ?? memory.last;
    const item = itemOf(frame);
    if (item?.type === "gone") memory.gone.add(item.session);
    if (item !== undefined) note(item);
  }
  note({ type: "closed" });
}

const streamReader = (reading: Reading, { address, isGone }: Streaming): Reader =>
  reader(async (note) => {
    const { dice, doors, given } = reading;
    const memory: Memory = { last: undefined, gone: new Set() };
    while (!given.aborted) {
      const sessions = reading.sessions().filter((session) => !memory.gone.has(session));
      const { last } = memory;
      const headers = { accept: "text/event-stream", ...reading.headers, ...(last === undefined ? {} : { "last-event-id": last }) };
      const response = await open(dice.one(doors), { method: "GET", path: address(sessions), headers });
      const status = response?.statusCode;
      if (status === 200) await readStream(reading, response!, memory, note);
      else response?.destroy();
      // What was deleted before it was read cannot be asked for.
      if (status === 404) for (const session of sessions.filter(isGone)) memory.gone.add(session);
      if (status !== undefined && ![200, 404, 503].includes(status)) throw new Error(`A stream was answered with ${status}.`);
      await delay(dice.integer(0, 30));
    }
  });

/** Streams one session. */
export const oneStream = (reading: Reading, { withdrawn }: { readonly withdrawn: boolean }): Reader =>
  streamReader(reading, {
    address: ([session = ""]) => `/v1/sessions/${session}/events?min_offset=0${withdrawn ? "&withdrawn=true" : ""}${kindsOf(reading)}`,
    isGone: () => false,
  });

/** Streams all sessions over one connection. */
export const manyStream = (reading: Reading, isGone: Streaming["isGone"]): Reader =>
  streamReader(reading, { address: (sessions) => `/v1/stream?sessions=${sessions.join(",")}${kindsOf(reading)}`, isGone });

/** What was read, for the judge. */
export const traceOf = (reader: string, { items }: Reader, rest: Omit<Trace, "reader" | "items">): Trace => ({ reader, items, ...rest });
