/** What must hold of every log after any storm, judged from the log alone. */
import { isDeepStrictEqual } from "node:util";
import type { Event, SessionId, Store } from "../../packages/throughline/src/index.ts";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import type { JsonObject } from "../../packages/throughline/src/kernel/json.ts";
import { isSuperseded } from "../../packages/throughline/src/session/decide-command.ts";
import type { Outcome } from "../../packages/throughline/src/session/event.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { decodeEvent, foldState } from "../../packages/throughline/src/session/fold.ts";
import { textOf } from "../../packages/throughline/src/session/session-messages.ts";
import { viewOf } from "../../packages/throughline/src/session/session-view.ts";
import { apology, replyTo } from "./agent.ts";
import type { Acknowledged } from "./client.ts";

export interface Verdict {
  readonly events: number;
  readonly accepted: number;
  readonly answered: number;
  readonly stopped: number;
  readonly superseded: number;
  readonly poisoned: number;
  readonly withdrawn: number;
  readonly lost: number;
  readonly doubled: number;
  readonly checkpoints: number;
  readonly violations: readonly string[];
}

/** The whole log of a session, withdrawn events included. */
export async function logOf(store: Store, session_id: SessionId): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (;;) {
    const page = await store.read({ session_id, min_offset: events.length, withdrawn: true, limit: 1000 });
    events.push(...(page?.events ?? []).map((stored) => decodeEvent(stored)));
    if (page === undefined || page.next_offset > page.head) return events;
  }
}

interface TurnFacts {
  answers: readonly number[];
  /** Those that an earlier turn had answered: they are that one's. */
  retries: readonly number[];
  started: number;
  ended: number;
  outcome: string;
  readonly replies: { readonly text: string; readonly is_trace: boolean }[];
  /** Something of it that a customer sees, or that stays. */
  shown: boolean;
}

function turnsOf(events: readonly Event[]): ReadonlyMap<string, TurnFacts> {
  const turns = new Map<string, TurnFacts>();
  const of = (id: string): TurnFacts => {
    const facts = turns.get(id) ?? { answers: [], retries: [], started: 0, ended: 0, outcome: "open", replies: [], shown: false };
    turns.set(id, facts);
    return facts;
  };
  for (const event of events) {
    if (event.turn_id === undefined) continue;
    // What is said with calls is work on the way.
    if (event.kind === "message" && event.source === "ai_agent" && event.data.calls === undefined)
      of(event.turn_id).replies.push({ text: textOf(event.data.parts), is_trace: event.data.origin?.is_trace ?? false });
    if (event.kind === "state" || event.kind === "tool" || (event.kind === "status" && event.data.status === "typing"))
      of(event.turn_id).shown = true;
    if (event.kind !== "turn") continue;
    const facts = of(event.turn_id);
    if (event.data.type === "started") {
      facts.started += 1;
      facts.answers = event.data.answers;
      facts.retries = event.data.retries ?? [];
    }
    if (event.data.type !== "ended") continue;
    facts.ended += 1;
    facts.outcome = outcomeOf(event.data.outcome);
  }
  return turns;
}

function outcomeOf(outcome: Outcome): string {
  if (outcome.status === "failed") return outcome.error.code;
  if (outcome.status === "stopped" && outcome.reason === "forked") return "forked";
  return isSuperseded(outcome) ? "superseded" : outcome.status;
}

/** One turn at a time: none begins before the one before it has ended. One that is stopped in the queue begins where it ends, and was never at work. */
export function judgeOrder(events: readonly Event[], wrong: (text: string) => void): void {
  const wasQueued = (at: number): boolean =>
    events
      .slice(at + 1, at + 3)
      .some(
        ({ kind, turn_id, data }) => kind === "turn" && turn_id === events[at]?.turn_id && data.type === "ended" && data.outcome.status === "stopped",
      );
  let open: string | undefined;
  for (const [at, event] of events.entries()) {
    if (event.kind !== "turn" || event.turn_id === undefined || (event.data.type === "started" && wasQueued(at))) continue;
    if (event.data.type === "started" && open !== undefined) wrong(`turn ${event.turn_id} began while ${open} was at work`);
    if (event.data.type === "started") open = event.turn_id;
    if (event.data.type === "ended" && open === event.turn_id) open = undefined;
  }
}

/** Offsets that a later withdrawal took back. */
export function withdrawnOffsets(events: readonly Event[]): ReadonlySet<number> {
  const offsets = new Set<number>();
  for (const event of events) {
    if (event.kind === "session" && event.data.type === "withdrawn")
      for (let offset = event.data.from; offset < event.offset; offset++) offsets.add(offset);
  }
  return offsets;
}

/** State at every offset: the plain fold of the log against what the store loads, and what a withdrawal leads back to. */
async function judgeStates(store: Store, session_id: SessionId, events: readonly Event[], wrong: (text: string) => void): Promise<number> {
  const states: JsonObject[] = [];
  const bases = new Set<number>();
  let state: JsonObject = {};
  let back: number | undefined;
  for (const event of events) {
    if (event.kind === "session" && event.data.type === "created") state = event.data.state;
    if (event.kind === "session" && event.data.type === "withdrawn") back = event.data.from;
    if (event.kind === "state") state = applyPatch(state, event.data.patch) as JsonObject;
    states.push(state);
    const leadsBack = event.kind === "state" && event.data.writer.type === "withdrawal";
    if (leadsBack && back !== undefined && !isDeepStrictEqual(state, states[back - 1]))
      wrong(`the withdrawal before offset ${event.offset} does not lead to the state at ${back - 1}`);
    const loaded = await store.load({ session_id, at: event.offset, messages: 0 });
    if (loaded === undefined) return (wrong("the session is gone"), 0);
    bases.add(loaded.base.offset);
    if (!isDeepStrictEqual(foldState(loaded).document, state)) wrong(`state at ${event.offset} is not the fold of the events up to it`);
    const seen = (state["seen"] ?? []) as readonly string[];
    if ((state["count"] ?? 0) !== seen.length)
      wrong(`count is ${JSON.stringify(state["count"])} for ${seen.length} entries at offset ${event.offset}`);
    if (new Set(seen).size !== seen.length) wrong(`a message was done twice by offset ${event.offset}: ${seen.join(", ")}`);
  }
  const seen = (state["seen"] ?? []) as readonly string[];
  const gone = withdrawnOffsets(events);
  const textAt = new Map(
    events.flatMap((event) => (event.kind === "message" && event.source === "customer" ? [[event.offset, textOf(event.data.parts)] as const] : [])),
  );
  for (const [id, turn] of turnsOf(events)) {
    if (turn.outcome !== "completed") continue;
    for (const offset of turn.answers)
      if (!gone.has(offset) && !seen.includes(textAt.get(offset) ?? ""))
        wrong(`turn ${id} answered offset ${offset} and left no trace of it in the state`);
  }
  return bases.size - 1;
}

/** Every accepted offset is in the answers of exactly one finished turn, or was taken back; each turn said what it should, once. */
export function judgeTurns(
  events: readonly Event[],
  wrong: (text: string) => void,
): Pick<Verdict, "answered" | "stopped" | "superseded" | "poisoned" | "lost" | "doubled"> {
  const turns = turnsOf(events);
  const gone = withdrawnOffsets(events);
  const counts = { answered: 0, stopped: 0, superseded: 0, poisoned: 0, lost: 0, doubled: 0 };
  const texts = new Map(
    events.flatMap((event) => (event.kind === "message" && event.source === "customer" ? [[event.offset, textOf(event.data.parts)] as const] : [])),
  );
  for (const [id, { answers, started, ended, outcome, replies, shown }] of turns) {
    if (started !== 1 || ended !== 1) wrong(`turn ${id} started ${started} times and ended ${ended} times`);
    const final = replies.filter((reply) => !reply.is_trace);
    const said = replies.map((reply) => reply.text).join(" | ");
    if (outcome === "completed") {
      if (final.length > 1) counts.doubled += 1;
      const expected = replyTo(texts.get(answers.at(-1) ?? -1) ?? "");
      // A turn without a message is asked for by `resume` and echoes what was said last.
      if (replies.length !== 1 || final.length !== 1 || (answers.length > 0 && said !== expected))
        wrong(`turn ${id} should have said "${expected}" once and said "${said}"`);
    } else if (outcome === "forked") {
      // A fork may begin after the reply and before the end, which are one commit.
      counts.stopped += 1;
    } else if (outcome === "stopped") {
      counts.stopped += 1;
      if (replies.length > 0) wrong(`turn ${id} was stopped and said "${said}"`);
    } else if (outcome === "superseded") {
      counts.superseded += 1;
      if (replies.length > 0 || shown) wrong(`turn ${id} was superseded although it had shown something`);
    } else if (outcome === "turn.poisoned") {
      counts.poisoned += 1;
      if (said !== apology || final.length > 0) wrong(`turn ${id} was given up and said "${said}"`);
    } else wrong(`turn ${id} ended as ${outcome}`);
  }
  // What a superseded turn had taken up is for a later one to answer.
  const finished = [...turns.values()].filter((turn) => turn.ended > 0 && turn.outcome !== "superseded");
  for (const offset of texts.keys()) {
    const answering = finished.filter((turn) => turn.answers.includes(offset));
    // Whoever does another turn again answers in its place.
    const by = answering.filter((turn) => !turn.retries.includes(offset));
    if (by.length > 1) counts.doubled += 1;
    if (by.length === 0 && !gone.has(offset)) counts.lost += 1;
    if (by.length > 1 || (by.length === 0 && !gone.has(offset))) wrong(`the message at offset ${offset} was answered by ${by.length} turns`);
    if (answering.some((turn) => turn.outcome === "completed")) counts.answered += 1;
  }
  return counts;
}

/** Gapless offsets, every acknowledged key once, silence while a person has the session. */
export function judgeLog(
  events: readonly Event[],
  head: number,
  acknowledged: readonly Acknowledged[],
  wrong: (text: string) => void,
): Pick<Verdict, "lost" | "doubled"> {
  const counts = { lost: 0, doubled: 0 };
  events.forEach((event, index) => {
    if (event.offset !== index) wrong(`the event after offset ${index - 1} has offset ${event.offset}`);
  });
  if (head !== events.length - 1) wrong(`the head is ${head}, the log ends at ${events.length - 1}`);
  const places = new Map<string, number[]>();
  let manual = false;
  for (const event of events) {
    if (event.kind === "session" && event.data.type === "mode") manual = event.data.mode === "manual";
    if (event.kind === "session" && event.data.type === "forked") manual = false;
    if (event.kind !== "message") continue;
    if (event.source === "ai_agent" && manual) wrong(`the agent spoke at offset ${event.offset} although a person had the session`);
    const text = textOf(event.data.parts);
    if (event.source === "customer") places.set(text, [...(places.get(text) ?? []), event.offset]);
  }
  for (const [text, offsets] of places) {
    if (offsets.length === 1) continue;
    counts.doubled += 1;
    wrong(`"${text}" is in the log at offsets ${offsets.join(", ")}`);
  }
  for (const { key, text, offset } of acknowledged) {
    if (places.get(text)?.[0] === offset) continue;
    counts.lost += 1;
    wrong(`${key} was acknowledged at offset ${offset} and is at ${places.get(text)?.join(", ") ?? "no offset"}`);
  }
  return counts;
}

/** Judges one session: everything that does not hold, and how much was seen. */
export async function judge(store: Store, session_id: SessionId, acknowledged: readonly Acknowledged[]): Promise<Verdict> {
  const violations: string[] = [];
  const wrong = (text: string): void => void violations.push(text);
  const events = await logOf(store, session_id);
  const loaded = await store.load({ session_id, messages: 0 });
  if (loaded === undefined) throw new Error(`Session ${session_id} is gone.`);
  const log = judgeLog(events, loaded.session.head, acknowledged, wrong);
  const turns = judgeTurns(events, wrong);
  judgeOrder(events, wrong);
  const checkpoints = await judgeStates(store, session_id, events, wrong);
  const [fromLog, fromRow] = [evolveAll(events), viewOf(loaded)];
  if (!isDeepStrictEqual(fromLog, fromRow)) wrong(`the fold of the log is ${JSON.stringify(fromLog)}, the row says ${JSON.stringify(fromRow)}`);
  if (loaded.turns.length + loaded.waiting.length > 0) wrong(`${loaded.turns.length} turns are open, ${loaded.waiting.length} messages wait`);
  const gone = withdrawnOffsets(events);
  const messages = events.filter((event) => event.kind === "message" && event.source === "customer");
  return {
    ...turns,
    events: events.length,
    accepted: messages.length,
    withdrawn: messages.filter((event) => gone.has(event.offset)).length,
    lost: log.lost + turns.lost,
    doubled: log.doubled + turns.doubled,
    checkpoints,
    violations,
  };
}
