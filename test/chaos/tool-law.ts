/** What must hold of the calls in a log after any storm, judged from the log and from what was done outside. */
import { isDeepStrictEqual } from "node:util";
import type { Event, JsonObject, SessionId, Store } from "../../packages/throughline/src/index.ts";
import type { Decision, EventOf, ToolResult } from "../../packages/throughline/src/session/event.ts";
import { messagesOf } from "../../packages/throughline/src/session/session-messages.ts";
import { childKeyOf } from "../../packages/throughline/src/runtime/subagent/parent-turn.ts";
import type { Done } from "./outside.ts";
import { approvedTools } from "./tools-agent.ts";

/** How much of what a storm is for was seen. */
export interface ToolCounts {
  readonly calls: number;
  /** Effects that must not happen twice, and did happen. */
  readonly once: number;
  /** Results that nobody knows. */
  readonly unknown: number;
  /** Idempotent effects that were repeated. */
  readonly repeated: number;
  readonly approved: number;
  readonly edited: number;
  readonly turned_down: number;
  readonly expired: number;
  readonly answered_questions: number;
  readonly children: number;
}

export const noCalls: ToolCounts = {
  ...{ calls: 0, once: 0, unknown: 0, repeated: 0, approved: 0, edited: 0, turned_down: 0, expired: 0, answered_questions: 0, children: 0 },
};

type Called = Extract<EventOf<"tool">["data"], { type: "called" }>;
interface Call {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  readonly turn_id: string;
  readonly called: (Called & { readonly offset: number })[];
  readonly results: ToolResult[];
  merged: number;
  readonly decided: { readonly offset: number; readonly index: number; readonly decision: Decision }[];
}

/** The calls of a log, in the order in which they were asked for. */
function callsOf(events: readonly Event[], wrong: (text: string) => void): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>();
  const of = (call_id: string, what: string): Call | undefined => {
    const call = calls.get(call_id);
    // A child's call is named by a path, and stands in the child's own log.
    if (call === undefined && !call_id.includes("/")) wrong(`${what} ${call_id}, which nobody asked for`);
    return call;
  };
  const merge = (call: Call | undefined): void => {
    if (call === undefined) return;
    if (call.results.length === 0) wrong(`${call.call_id} was merged before it returned`);
    call.merged += 1;
  };
  const ask = (call: Call): void => {
    if (calls.has(call.call_id)) wrong(`${call.call_id} was asked for twice`);
    calls.set(call.call_id, call);
  };
  for (const event of events) {
    if (event.kind === "message") askedIn(event).forEach(ask);
    if (event.kind === "tool") heard(of(event.data.call_id, event.data.type), event);
    if (event.kind === "turn" && event.data.type === "merged") for (const call_id of event.data.calls) merge(of(call_id, "merged"));
    if (event.kind !== "turn" || event.data.type !== "decided") continue;
    const { call_id, index, decision } = event.data;
    of(call_id, "decided on")?.decided.push({ offset: event.offset, index, decision });
  }
  return calls;
}

const askedIn = ({ data, turn_id }: EventOf<"message">): readonly Call[] =>
  (data.calls ?? []).map((call) => ({ ...call, turn_id: turn_id ?? "", called: [], results: [], merged: 0, decided: [] }));

function heard(call: Call | undefined, { data, offset }: EventOf<"tool">): void {
  if (data.type === "called") call?.called.push({ ...data, offset });
  else call?.results.push(data.result);
}

/** What may become of a call of a turn that was completed; whoever runs it may die. */
const ends: Readonly<Record<string, readonly string[]>> = {
  look: ["ok"],
  tally: ["ok"],
  save: ["ok"],
  charge: ["ok", "unknown"],
  // A child that could not be run is an error, and its parent goes on.
  helper: ["ok", "error"],
  publish: ["ok", "unknown", "blocked"],
  sign: ["ok", "unknown", "blocked"],
  ask: ["ok", "unknown", "error"],
};

function judgeCall(call: Call, completed: boolean, wrong: (text: string) => void): void {
  const { call_id, name, called, results, merged, decided } = call;
  const [first] = called;
  const [result] = results;
  if (results.length > 1 || merged > 1) wrong(`${name} ${call_id} returned ${results.length} times and was merged ${merged} times`);
  if (completed && (results.length !== 1 || merged !== 1)) wrong(`${name} ${call_id} ended with ${results.length} results, merged ${merged} times`);
  if (completed && result !== undefined && ends[name]?.includes(result.type) !== true) wrong(`${name} ${call_id} ended as ${result.type}`);
  for (const other of called)
    if (other.key !== first?.key || other.name !== name || !isDeepStrictEqual(other.arguments, first.arguments))
      wrong(`${name} ${call_id} was called as something else the second time`);
  if (first === undefined && result !== undefined && (result.type === "unknown" || result.type === "ok"))
    wrong(`${name} ${call_id} is ${result.type} and was never begun`);
  if (result?.type === "unknown" && first?.effects !== "once") wrong(`${name} ${call_id} may be run again and is unknown`);
  if (new Set(decided.map(({ index }) => index)).size !== decided.length) wrong(`${name} ${call_id} was decided on twice`);
  if (!approvedTools.includes(name)) {
    if (first !== undefined && !isDeepStrictEqual(first.arguments, call.arguments))
      wrong(`${name} ${call_id} ran with other arguments than asked for`);
    return;
  }
  const word = decided.find(({ index }) => index === 0);
  if (called.length > 1) wrong(`${name} ${call_id} was begun ${called.length} times`);
  if (first !== undefined && (word === undefined || word.offset > first.offset || word.decision.type === "reject"))
    wrong(`${name} ${call_id} ran without approval`);
  const approved = word?.decision.type === "edit" ? word.decision.arguments : call.arguments;
  if (first !== undefined && !isDeepStrictEqual(first.arguments, approved)) wrong(`${name} ${call_id} ran with other arguments than approved`);
  if (completed && word?.decision.type === "reject" && result?.type !== "blocked") wrong(`${name} ${call_id} was turned down and is ${result?.type}`);
}

/** What a call did outside, against what the log says of it. */
function judgeEffect({ call_id, name, called, results }: Call, done: Done | undefined, wrong: (text: string) => void): void {
  const [first] = called;
  const [result] = results;
  if (first === undefined || first.effects === "none" || name === "helper") return;
  const times = { begun: done?.begun.length ?? 0, done: done?.done.length ?? 0 };
  for (const given of [...(done?.begun ?? []), ...(done?.done ?? [])])
    if (!isDeepStrictEqual(given, first.arguments)) wrong(`${name} ${call_id} did ${JSON.stringify(given)} for ${JSON.stringify(first.arguments)}`);
  if (first.effects === "once" && (times.begun > 1 || times.done > 1)) wrong(`${name} ${call_id} ran ${Math.max(times.begun, times.done)} times`);
  if (result?.type === "ok" && times.done === 0) wrong(`${name} ${call_id} is ok and was never done`);
  if ((result?.type === "blocked" || result?.type === "skipped" || result?.type === "error") && times.begun > 0)
    wrong(`${name} ${call_id} is ${result.type} and was begun`);
}

/** Each call has its result, in the order of the calls, right after the message that asks for it. */
function judgeProjection(events: readonly Event[], isCompleted: (call_id: string) => boolean, wrong: (text: string) => void): void {
  const messages = messagesOf(events);
  for (const [index, { calls = [] }] of messages.entries())
    for (const [place, { call_id }] of calls.entries()) {
      const result = messages[index + 1 + place];
      if (result?.role !== "tool" || result.call_id !== call_id) wrong(`the result of ${call_id} does not follow in its place`);
      else if (result.missing === true && isCompleted(call_id)) wrong(`the conversation lacks the result of ${call_id}`);
    }
}

/** What a result writes to the ledger. */
function entriesOf({ name, results: [result] }: Call): readonly string[] {
  if (result?.type !== "ok") return [];
  const value = result.value as { readonly entry?: readonly string[]; readonly output?: { readonly ledger?: readonly string[] } };
  return (name === "helper" ? value.output?.ledger : value.entry) ?? [];
}

/** Judges the calls of a log: `state` is that at its head. */
export function judgeTools(
  events: readonly Event[],
  { state, done, wrong }: { readonly state: JsonObject; readonly done: ReadonlyMap<string, Done>; readonly wrong: (text: string) => void },
): ToolCounts {
  const calls = callsOf(events, wrong);
  const outcomes = new Map<string, string>();
  let ledger: readonly string[] = [];
  const before: (readonly string[])[] = [];
  for (const event of events) {
    before.push(ledger);
    if (event.kind === "session" && event.data.type === "withdrawn") ledger = before[event.data.from] ?? [];
    if (event.kind !== "turn") continue;
    if (event.data.type === "ended") outcomes.set(event.turn_id ?? "", event.data.outcome.status);
    if (event.data.type === "merged")
      ledger = [...ledger, ...event.data.calls.flatMap((id) => (calls.has(id) ? entriesOf(calls.get(id) as Call) : []))];
  }
  if (!isDeepStrictEqual(state["ledger"] ?? [], ledger))
    wrong(`the ledger is ${JSON.stringify(state["ledger"] ?? [])}, the results that were merged say ${JSON.stringify(ledger)}`);
  const isCompleted = ({ turn_id }: Call): boolean => outcomes.get(turn_id) === "completed";
  for (const call of calls.values()) {
    judgeCall(call, isCompleted(call), wrong);
    judgeEffect(call, done.get(call.called[0]?.key ?? ""), wrong);
  }
  judgeProjection(events, (call_id) => calls.has(call_id) && isCompleted(calls.get(call_id) as Call), wrong);
  return countsOf([...calls.values()], done);
}

function countsOf(calls: readonly Call[], done: ReadonlyMap<string, Done>): ToolCounts {
  const decisions = calls.flatMap(({ decided }) => decided.map(({ decision }) => decision));
  const of = (type: Decision["type"]): number => decisions.filter((decision) => decision.type === type).length;
  const doneOf = ({ called }: Call): number => done.get(called[0]?.key ?? "")?.begun.length ?? 0;
  const withEffects = (effects: string): readonly Call[] => calls.filter(({ called: [first] }) => first?.effects === effects);
  return {
    calls: calls.length,
    once: withEffects("once").filter((call) => doneOf(call) > 0).length,
    unknown: calls.filter(({ results: [result] }) => result?.type === "unknown").length,
    repeated: withEffects("idempotent").filter((call) => doneOf(call) > 1).length,
    approved: of("approve"),
    edited: of("edit"),
    turned_down: of("reject"),
    expired: decisions.filter((decision) => decision.type === "reject" && decision.cause === "expiry").length,
    answered_questions: of("answer"),
    children: 0,
  };
}

/** The sessions that child agents worked in for a log. */
export async function childrenIn(store: Store, events: readonly Event[]): Promise<readonly SessionId[]> {
  const keys = events.flatMap((event) =>
    event.kind === "tool" && event.data.type === "called" && event.data.name === "helper" ? [event.data.key] : [],
  );
  const rows = await Promise.all([...new Set(keys)].map((key) => store.open({ open_key: childKeyOf(key) })));
  return rows.flatMap((row) => (row === undefined ? [] : [row.session_id]));
}

/** Keys of the calls that are on record. */
export const keysIn = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.kind === "tool" && event.data.type === "called" ? [event.data.key] : []));
