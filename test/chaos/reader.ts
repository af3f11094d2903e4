/** Readers that follow sessions across their own deaths: what they have seen is on disk, line by line, and they go on where the last whole line ends. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Event, type Runtime, type Session, ThroughlineError } from "../../packages/throughline/src/index.ts";
import { agentNameOf } from "./agent.ts";

/** An event as a reader notes it: its offset, and what tells it from any other. */
export function noteOf({ offset, id, kind, source, turn_id, data }: Event): string {
  const content = JSON.stringify([id, kind, source, turn_id ?? null, data]);
  return `${offset} ${createHash("sha256").update(content).digest("hex").slice(0, 16)}`;
}

/** Whole lines of a trace. What a reader was killed in the middle of writing it has not seen. */
const wholeLines = (text: string): readonly string[] =>
  text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);

/** What one reader has seen of one session, in a file that outlives it. */
export class Trace {
  readonly #path: string;
  readonly #file: number;
  #next: number;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    const lines = existsSync(path) ? wholeLines(readFileSync(path, "utf8")) : [];
    if (existsSync(path)) truncateSync(path, Buffer.byteLength(lines.map((line) => `${line}\n`).join("")));
    this.#path = path;
    this.#file = openSync(path, "a");
    this.#next = Number(lines.at(-1)?.split(" ")[0] ?? -1) + 1;
  }

  /** Where to read on. */
  get next(): number {
    return this.#next;
  }

  get lines(): readonly string[] {
    return wholeLines(readFileSync(this.#path, "utf8"));
  }

  /** Notes an event: one write, which a kill leaves whole or not done. */
  note(event: Event): void {
    writeSync(this.#file, `${noteOf(event)}\n`);
    this.#next = event.offset + 1;
  }
}

/** Trouble that a reader rides out: the database is away, or another process has not created the session yet. */
const passing = /^(store\.|session\.(not_found|conflict)|aborted)/;

/** Reads what there is from where the trace ends. */
export async function catchUp(session: Session, trace: Trace): Promise<void> {
  for await (const event of session.events({ minOffset: trace.next, withdrawn: true, follow: false })) trace.note(event);
}

/** Follows the session that is opened with `key` until the process dies. */
export async function followForLife(runtime: Runtime, key: string, trace: Trace): Promise<never> {
  for (;;) {
    try {
      const session = await runtime.sessions.open({ agent: agentNameOf(key), key });
      for await (const event of session.events({ minOffset: trace.next, withdrawn: true })) trace.note(event);
    } catch (error) {
      if (!ThroughlineError.is(error) || !passing.test(error.code)) throw error;
    }
    await delay(20);
  }
}

/** What is wrong with a trace of a whole log: each event once, in order, and as it is in the log. */
export function judgeTrace(lines: readonly string[], log: readonly Event[]): readonly string[] {
  const violations: string[] = [];
  let last = -1;
  for (const line of lines) {
    const offset = Number(line.split(" ")[0]);
    if (offset === last) violations.push(`offset ${offset} was delivered twice`);
    else if (offset < last) violations.push(`offset ${offset} was delivered after ${last}`);
    else if (offset > last + 1) violations.push(`offset ${offset} was delivered before ${last + 1}`);
    const event = log[offset];
    if (event === undefined) violations.push(`offset ${offset} was delivered and is not in the log`);
    else if (noteOf(event) !== line) violations.push(`offset ${offset} was delivered with another content than it has in the log`);
    last = Math.max(last, offset);
  }
  if (last !== log.length - 1) violations.push(`the last offset delivered is ${last}, the log ends at ${log.length - 1}`);
  return violations;
}
