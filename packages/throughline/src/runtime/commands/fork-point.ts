import { turnNumberOf } from "../../kernel/id.ts";
import { isSuperseded } from "../../session/decide-command.ts";
import type { Event } from "../../session/event.ts";
import type { ForkPoint } from "../../session/fork-session.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { LoadedSession, ReadRequest, SessionRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { definitionVersionOf } from "../agent/definition-version.ts";
import { eventsOf } from "../../extension/lists.ts";

type Reading = Pick<RuntimeContext, "store">;

/** Returns the open work at `at`. The session must be loaded as of `at`. Later events show what was open there, so earlier ones need not be read. */
export async function forkPointAt(runtime: Reading, loaded: LoadedSession, at: number): Promise<ForkPoint> {
  const { session, patches, base } = loaded;
  const { next, answered, withdrawnFrom, episode } = await readOn(runtime, loaded, at);
  const running = loaded.turns.find((turn) => turn.status === "running" && (turn.started_offset ?? at + 1) <= at);
  const open = next === undefined ? running && { number: running.number, trace_id: running.trace_id } : next.open;
  const unanswered = new Set([...answered, ...loaded.waiting.map((message) => message.offset)].filter((offset) => offset <= at));
  if (withdrawnFrom <= at) for (const offset of await leftUnanswered(runtime, session, withdrawnFrom, at)) unanswered.add(offset);
  // The messages of a turn wait until it has ended, and wait again if it was superseded. Here they belong to the open turn.
  if (open !== undefined && unanswered.size > 0) for (const offset of await answersOf(runtime, session, open.number, at)) unanswered.delete(offset);
  return {
    at,
    definition: await definitionVersionOf(runtime, loaded),
    state_offset: patches.at(-1)?.offset ?? base.offset,
    episode: episode ?? session.episode,
    open,
    unanswered: [...unanswered].toSorted((left, right) => left - right),
  };
}

/** Yields events of a log, including withdrawn ones. Pages are small, because most readers stop early. */
async function* allOf({ store }: Reading, request: ReadRequest): AsyncGenerator<Event> {
  for await (const stored of eventsOf(store, { ...request, withdrawn: true, limit: 200 })) yield decodeEvent(stored);
}

interface ReadOn {
  /** The turn of the first later event of a turn, if that turn had started before. Undefined if there is no such event. */
  next: { readonly open: ForkPoint["open"] } | undefined;
  /** Messages that later turns answered. */
  readonly answered: number[];
  /** The lowest offset that was withdrawn later. */
  withdrawnFrom: number;
  /** The episode, if a new one started later. */
  episode: number | undefined;
}

/** Reads events after `at`, until a turn that answers only later messages shows that no further event is relevant. */
async function readOn(runtime: Reading, { session }: LoadedSession, at: number): Promise<ReadOn> {
  const found: ReadOn = { next: undefined, answered: [], withdrawnFrom: Number.POSITIVE_INFINITY, episode: session.episode === 1 ? 1 : undefined };
  let settled = false;
  for await (const event of allOf(runtime, { session_id: session.session_id, min_offset: at + 1, kinds: ["turn", "session"] })) {
    if (event.kind === "session") {
      if (event.data.type === "episode") found.episode ??= event.data.closed;
      if (event.data.type === "withdrawn" && !settled) found.withdrawnFrom = Math.min(found.withdrawnFrom, event.data.from);
    } else if (event.kind === "turn" && event.turn_id !== undefined && !settled) {
      const begins = event.data.type === "started";
      found.next ??= { open: begins ? undefined : { number: turnNumberOf(event.turn_id), trace_id: event.trace_id } };
      if (event.data.type === "started") {
        const { answers, retries = [] } = event.data;
        found.answered.push(...answers.filter((offset) => !retries.includes(offset)));
        settled = answers.length > 0 && answers.every((offset) => offset > at);
      }
    }
    if (settled && found.episode !== undefined) return found;
  }
  return found;
}

/** Returns the messages that a turn answers which had started by `at`. */
async function answersOf(runtime: Reading, { session_id, first_offset }: SessionRow, number: number, at: number): Promise<readonly number[]> {
  // An open turn started recently, so the list is read from its end.
  const page = await runtime.store.list({ of: "turns", session_id, order: "desc", limit: 100 });
  const started = page.items.find((turn) => turn.number === number)?.started_offset ?? 0;
  for await (const event of allOf(runtime, { session_id, min_offset: Math.max(first_offset, started), max_offset: at, kinds: ["turn"] }))
    if (event.kind === "turn" && event.data.type === "started" && event.turn_id !== undefined && turnNumberOf(event.turn_id) === number)
      return event.data.answers;
  return [];
}

/**
 * Returns the visible messages from `from` to `at` that no turn had started to answer by `at`. A message that was withdrawn before its answer is in
 * no later turn.
 */
async function leftUnanswered(runtime: Reading, { session_id, first_offset }: SessionRow, from: number, at: number): Promise<readonly number[]> {
  let left: number[] = [];
  let begun: readonly number[] = [];
  for await (const event of allOf(runtime, {
    session_id,
    min_offset: Math.max(first_offset, from),
    max_offset: at,
    kinds: ["message", "custom", "turn", "session"],
  })) {
    // A custom event that queued a turn waits as a message does.
    if ((event.kind === "message" && event.source === "customer") || (event.kind === "custom" && event.turn_id !== undefined))
      left.push(event.offset);
    if (event.kind === "turn" && event.data.type === "started") {
      const { answers } = event.data;
      begun = answers;
      left = left.filter((offset) => !answers.includes(offset));
    }
    if (event.kind === "turn" && event.data.type === "ended" && isSuperseded(event.data.outcome)) left = [...begun, ...left];
    if (event.kind === "session" && event.data.type === "withdrawn") {
      const first = event.data.from;
      left = left.filter((offset) => offset < first);
    }
  }
  return left;
}
