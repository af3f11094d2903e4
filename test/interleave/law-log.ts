/** What must hold of the log of one session. */
import { isDeepStrictEqual } from "node:util";
import type { Event, JsonObject } from "../../packages/throughline/src/index.ts";
import { applyPatch } from "../../packages/throughline/src/kernel/json-patch.ts";
import { evolveAll } from "../../packages/throughline/src/testing/given.ts";
import { judgeLog, judgeOrder, judgeTurns } from "../chaos/law.ts";
import type { Left, World } from "./world.ts";

export type TurnCounts = ReturnType<typeof judgeTurns>;
type Wrong = (text: string) => void;

/** The state after each event: the plain fold of the log. */
function statesOf(events: readonly Event[]): readonly JsonObject[] {
  let state: JsonObject = {};
  return events.map((event) => {
    if (event.kind === "session" && event.data.type === "created") state = event.data.state;
    if (event.kind === "state") state = applyPatch(state, event.data.patch) as JsonObject;
    return state;
  });
}

/**
 * What is taken back leads to the state of before it: by an event of its own, unless the state is that one already. A fork at the very offset of the withdrawal
 * has the state as it is there, and that event comes one later.
 */
function judgeWithdrawn(events: readonly Event[], states: readonly JsonObject[], wrong: Wrong): void {
  for (const event of events) {
    if (event.kind !== "session" || event.data.type !== "withdrawn") continue;
    const after = events[event.offset + 1];
    if (after?.kind === "session" && after.data.type === "forked" && after.data.at === event.offset) continue;
    const { from } = event.data;
    const next = events.slice(event.offset + 1).find(({ kind }) => kind === "state");
    const own = next?.kind === "state" && next.data.writer.type === "withdrawal" && next.data.writer.from === from ? next : event;
    if (!isDeepStrictEqual(states[own.offset], states[from - 1]))
      wrong(`the withdrawal at offset ${event.offset} does not lead to the state at ${from - 1}`);
  }
}

/** The fields of a state that are not empty: a view has a list for one that nothing was written to. */
const fieldsOf = (state: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => !(Array.isArray(value) && value.length === 0)));

/** Nothing of a turn but its costs comes after its end, and nothing that it says or does before it has begun. */
function judgeSpans(events: readonly Event[], wrong: Wrong): void {
  const open = new Set<string>();
  const over = new Set<string>();
  for (const { kind, source, data, turn_id, offset } of events) {
    if (turn_id === undefined) continue;
    // A worker that has lost a turn still records what its models have cost.
    if (over.has(turn_id) && !(kind === "turn" && data.type === "spent")) wrong(`offset ${offset} is of turn ${turn_id}, which had ended`);
    if (kind === "turn" && data.type === "started") open.add(turn_id);
    if (kind === "message" && source === "ai_agent" && !open.has(turn_id)) wrong(`turn ${turn_id} spoke at offset ${offset} before it began`);
    if (kind === "turn" && data.type === "ended") over.add(turn_id);
  }
}

/** An event without what a fork shows otherwise. */
function factOf({ session_id: _session, id: _id, origin: _origin, turn_id: _turn, data: { ...data }, ...fact }: Event): unknown {
  return { ...fact, data };
}

/** A fork has the events of the session that it was forked from, up to there. */
function judgeOrigin({ events, origin }: Left, { sessions }: World, wrong: Wrong): void {
  const from = origin && sessions.find(({ id }) => id === origin.session);
  if (origin === undefined || from === undefined) return;
  for (let offset = 0; offset <= origin.at; offset++) {
    const [here, there] = [events[offset], from.events[offset]];
    if (here === undefined || there === undefined || !isDeepStrictEqual(factOf(here), factOf(there)))
      wrong(`offset ${offset} is not as in ${origin.session}, from which it was forked at ${origin.at}`);
  }
}

/** Judges one session by its log. */
export function judgeSession(left: Left, world: World, wrong: Wrong): TurnCounts {
  const { events, head, view, states } = left;
  const log = judgeLog(events, head, [], wrong);
  const turns = judgeTurns(events, wrong);
  judgeOrder(events, wrong);
  judgeSpans(events, wrong);
  const folded = statesOf(events);
  judgeWithdrawn(events, folded, wrong);
  for (const { at, state } of states)
    if (!isDeepStrictEqual(fieldsOf(state), fieldsOf(folded[at] ?? {}))) wrong(`the state at ${at} is not the fold of the events up to it`);
  const fromLog = evolveAll(events);
  if (!isDeepStrictEqual(fromLog, view)) wrong(`the fold of the log is ${JSON.stringify(fromLog)}, the row says ${JSON.stringify(view)}`);
  const open = view.turns.length + view.waiting.length;
  if (open > 0) wrong(`${view.turns.length} turns are open, ${view.waiting.length} messages wait`);
  judgeOrigin(left, world, wrong);
  return { ...turns, lost: turns.lost + log.lost, doubled: turns.doubled + log.doubled };
}
