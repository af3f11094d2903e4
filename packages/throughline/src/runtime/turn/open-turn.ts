/**
 * An open turn, rebuilt from the log: the messages that it answers, and its state. The result is the same for the turn's worker, for a process that ends
 * the turn from outside, and for later readers.
 */
import { eventAt } from "../../extension/commit.ts";
import { lastTurn, ownEvents } from "../../extension/turn-events.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import type { Event, EventOf } from "../../session/event.ts";
import { decodeEvent, type foldState } from "../../session/fold.ts";
import { takenUpBy, viewOf } from "../../session/session-view.ts";
import { decodeState } from "../../state/document.ts";
import { beginTurn, replayTransient } from "../../state/state-turn.ts";
import type { Claim, LoadedSession, Store } from "../../store/port.ts";
import { type Agent, inputValues } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import type { AnyState } from "./journal.ts";

/** An event that a turn answers: a message, or a custom event in which the screen found danger. */
export type Cause = EventOf<"message"> | EventOf<"custom">;

/** Returns the event if a turn can answer it: a customer's message or custom event. */
export const causeOf = (event: Event | undefined): readonly Cause[] => (event?.kind === "message" || event?.kind === "custom" ? [event] : []);

/** Returns the events at these offsets. Most are among the last messages; older ones are read from the store. */
export async function causesAt(runtime: RuntimeContext, loaded: LoadedSession, offsets: readonly number[]): Promise<readonly Cause[]> {
  const events: Cause[] = [];
  for (const offset of offsets) {
    const stored = loaded.messages.find((message) => message.offset === offset);
    const event = stored === undefined ? await eventAt(runtime, loaded.session.session_id, offset) : decodeEvent(stored);
    events.push(...causeOf(event));
  }
  return events;
}

/** Returns the operations on turn fields, in the order of the turn's journal. */
export const transientOf = (journal: readonly Event[]): readonly PatchOperation[] =>
  journal.flatMap(({ kind, data }) => (kind === "turn" && (data.type === "stage" || data.type === "fields") ? (data.patch ?? []) : []));

/**
 * Returns the stored state with the input fields of the last answered message. The turn fields are reset, and the turn's own changes to them are
 * replayed. Throws the errors of `decodeState`, `beginTurn` and `replayTransient`.
 */
export function openState(
  agent: Agent,
  document: ReturnType<typeof foldState>["document"],
  { causes, patches }: { readonly causes: readonly Cause[]; readonly patches: readonly PatchOperation[] },
): AnyState {
  const input = inputValues(agent, causes.findLast((cause) => cause.kind === "message")?.data);
  return replayTransient(agent.state, beginTurn(agent.state, decodeState(agent.state, document), { input }).state, patches);
}

/** Returns the messages that a new turn answers: the waiting ones, and before them those of the previous turn if this is its retry. */
export async function takenUp(
  store: Store,
  { session_id, turn }: Claim,
  loaded: LoadedSession,
): Promise<{ readonly answers: readonly number[]; readonly retries?: readonly number[] }> {
  const waiting = takenUpBy(viewOf(loaded), turn.number);
  if (turn.cause !== "retry") return { answers: waiting };
  const before = await lastTurn(store, session_id, turn.number - 1);
  const started = before && (await ownEvents(store, before)).find((event) => event.kind === "turn" && event.data.type === "started");
  const retries = started?.kind === "turn" && started.data.type === "started" ? started.data.answers : [];
  return { answers: [...retries, ...waiting], ...(retries.length === 0 ? {} : { retries }) };
}

/**
 * Returns where the first attempt of a retried turn started, or undefined if it cannot be determined. Calls since then count as calls of this turn,
 * so that the model knows them and does not repeat them.
 */
export async function firstAttempt(store: Store, { session_id, turn }: Pick<Claim, "session_id" | "turn">): Promise<number | undefined> {
  let first: number | undefined;
  for (let number = turn.number - 1; number > 0;) {
    const before = await lastTurn(store, session_id, number);
    const started = before && (await ownEvents(store, before)).find((event) => event.kind === "turn" && event.data.type === "started");
    if (before === undefined || started?.kind !== "turn" || started.data.type !== "started") return first;
    first = started.offset;
    if (started.data.retries === undefined) return first;
    number = before.number - 1;
  }
  return first;
}

/** Returns the start of a turn that answers a message again, if that turn follows the end of the previous one at `ended`. */
export async function retriedFrom(store: Store, session_id: SessionId, message: number, ended: number): Promise<number | undefined> {
  const page = await store.read({ session_id, min_offset: ended + 1, kinds: ["turn"], limit: 1 });
  const [first] = (page?.events ?? []).map((stored) => decodeEvent(stored));
  const again = first?.kind === "turn" && first.data.type === "started" && first.data.retries?.includes(message) === true;
  return again ? first.offset : undefined;
}
