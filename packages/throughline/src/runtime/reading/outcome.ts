import type { JsonObject } from "../../kernel/json.ts";
import type { SessionId, TurnId } from "../../kernel/id.ts";
import { ThroughlineError, type ErrorInfo } from "../../kernel/error.ts";
import { isSuperseded } from "../../session/decide.ts";
import type { Diagnostics, EndedBy, Event, EventOf, TurnData } from "../../session/event.ts";
import { foldState } from "../../session/fold.ts";
import { textOf } from "../../session/session-messages.ts";
import { decodeEvent } from "../../session/upcast.ts";
import { project, type View } from "../../state/views.ts";
import { loadSession, refused } from "../../extension/commit.ts";
import type { Agent } from "../agent/agent.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import { pendingOf, type Pending } from "../approval/pending.ts";
import { causesAt, openState, type Cause } from "../turn/open-state.ts";
import { retriedFrom } from "../turn/retried.ts";

/** Whether a message that the store failed on is kept: it is not, or the store did not confirm either way. */
export type Unsaved = false | "unknown";

/** What became of a message. */
export interface TurnResult {
  /** Offset of the message; of the turn's first event for a turn without one. */
  readonly offset: number;
  /** The turn that answered it; undefined while it waits. */
  readonly turn_id: TurnId | undefined;
  /**
   * `paused`: the turn waits for somebody's word on what is `pending`, and goes on when it is there; `waiting`: the session is in manual mode, so a person
   * answers, or a turn before it is paused; `withdrawn`: it was taken back before it was answered.
   */
  readonly status: "completed" | "stopped" | "failed" | "paused" | "waiting" | "withdrawn";
  /** What a paused turn waits for. */
  readonly pending?: readonly Pending[];
  /**
   * Present when the store failed, so that the reply is one that needs no store and is not in the log. `false`: the message is not kept either. `"unknown"`: the
   * store did not confirm, so the message may be kept and may be answered in the log later.
   */
  readonly saved?: Unsaved;
  /** What the customer reads. */
  readonly reply: string | undefined;
  /** The output view of the state at the end of the turn. */
  readonly output: JsonObject;
  readonly diagnostics: Diagnostics;
  /** The call that ended the turn: what it returned is the reply. */
  readonly ended_by?: EndedBy;
  /** Why the turn stopped. */
  readonly reason?: string;
  /** Why the turn failed. */
  readonly error?: ErrorInfo;
}

/** What an outcome is sought of. */
export interface Sought {
  readonly offset: number;
  readonly turn_id?: TurnId | undefined;
  /** Whether there is a message at the offset; else it is about a turn that was queued without one. */
  readonly message: boolean;
  /** Where to begin to read, if not at the offset. */
  readonly from?: number;
  /** Resolves when this process has nothing more to run in the session. */
  readonly idle?: Promise<void> | undefined;
  /** Told when the log has been read to its head, and the outcome is not in it yet. */
  readonly looked?: () => void;
}

/** What the log has told so far of the message and its turn. */
export interface Heard {
  turn: TurnId | undefined;
  reply: EventOf<"message"> | undefined;
  answers: readonly number[];
  begun: boolean;
  /** Whether the message may be in no turn: its turn is not known, or a person has taken over since. */
  unsure: boolean;
  /** The turn has paused at least once. */
  paused: boolean;
  /** Whether the turn may wait behind one that is paused: that has paused since, or nobody here has anything to run any more. */
  behind: boolean;
  readonly patches: PatchOperation[];
}

/** Before anything was heard of a message, or of its turn. */
export const nothingHeard = (turn: TurnId | undefined): Heard => ({
  ...{ turn, reply: undefined, answers: [], begun: false, unsure: turn === undefined, paused: false, behind: false, patches: [] },
});

/** Follows the log, from the offset or a later one, until the message at `offset` (or the turn that was queued) has its outcome, or pauses. */
export async function outcomeOf(runtime: RuntimeContext, session_id: SessionId, sought: Sought, signal: AbortSignal): Promise<TurnResult> {
  const { offset, message, turn_id: turn } = sought;
  const heard = nothingHeard(turn);
  let { from: next = offset, idle } = sought;
  const soughtAnew = (): Sought => ({ offset, message: true, idle, ...(sought.looked === undefined ? {} : { looked: sought.looked }) });
  void idle?.then(() => ([heard.behind, idle] = [true, undefined]));
  for (;;) {
    const page = await runtime.store.read({ session_id, min_offset: next, withdrawn: true, limit: 500 }).catch((error: unknown) => {
      throw ThroughlineError.is(error, "log.retained_from") ? outcomeRemoved(session_id, sought, error) : error;
    });
    if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
    for (const stored of page.events) {
      const event = decodeEvent(stored);
      const ended = hear(heard, event, offset);
      if (ended === "withdrawn") return withoutTurn(offset, "withdrawn");
      if (ended === undefined) continue;
      // Another turn answers it, together with the message that has come in between.
      if (message && isSuperseded(ended.outcome)) return outcomeOf(runtime, session_id, { ...soughtAnew(), from: event.offset + 1 }, signal);
      const again = message && ended.outcome.status !== "completed" ? await retriedFrom(runtime.store, session_id, offset, event.offset) : undefined;
      if (again !== undefined) return outcomeOf(runtime, session_id, { ...soughtAnew(), from: again }, signal);
      const { answers, patches } = heard;
      return resultOf(heard, { offset, ended, output: await viewAt(runtime, session_id, { at: event.offset, answers, patches }) });
    }
    next = page.next_offset;
    if (next <= page.head) continue;
    sought.looked?.();
    const held = heard.paused || (!heard.begun && heard.behind) ? await heldUp(runtime, heard, { session_id, offset, head: page.head }) : undefined;
    if (held === "grown") continue;
    if (held !== undefined) return held;
    if (!heard.begun && (heard.unsure || !message) && (await isLeftWaiting(runtime, session_id, sought, page.head)))
      return withoutTurn(offset, "waiting");
    const grown = runtime.store.watch(session_id, page.head, signal);
    grown.catch(() => {});
    await (idle === undefined ? grown : Promise.race([grown, idle]));
  }
}

/** Retention removes only what belongs to turns that have ended, so the message must not be sent again. */
const outcomeRemoved = (session_id: SessionId, { offset, turn_id }: Sought, cause: unknown): ThroughlineError =>
  new ThroughlineError("log.retained_from", `What was accepted at offset ${offset} has been answered, and retention has removed its outcome.`, {
    hint: "Do not send it again.",
    details: { session_id, offset, ...(turn_id === undefined ? {} : { turn_id }) },
    cause,
  });

type Ended = Extract<TurnData, { type: "ended" }>;

/** Takes an event in; how the turn ended, if it is its end. */
export function hear(heard: Heard, event: Event, offset: number): Ended | "withdrawn" | undefined {
  if (event.kind === "session" && event.data.type === "withdrawn" && event.data.from <= offset) return "withdrawn";
  if (event.kind === "session" && event.data.type === "mode") heard.unsure = true;
  if (event.kind === "turn" && event.data.type === "paused") heard.behind = true;
  if (event.kind === "turn" && event.data.type === "started" && (event.data.answers.includes(offset) || event.turn_id === heard.turn))
    Object.assign(heard, { turn: event.turn_id, answers: event.data.answers, begun: true });
  if (heard.turn === undefined || event.turn_id !== heard.turn) return undefined;
  // What was said on the way to a call is no reply.
  if (event.kind === "message" && event.data.role === "assistant" && event.data.calls === undefined && !isBeside(heard, event)) heard.reply = event;
  if (event.kind !== "turn") return undefined;
  if (event.data.type === "paused") heard.paused = true;
  if (event.data.type === "stage" || event.data.type === "fields") heard.patches.push(...(event.data.patch ?? []));
  return event.data.type === "ended" ? event.data : undefined;
}

/** Whether a message is what a hook has added after the reply. */
const isBeside = ({ reply }: Heard, { data }: EventOf<"message">): boolean => data.origin === undefined && reply?.data.origin !== undefined;

/** What a turn has come to, for whoever asked at `offset`. */
export function resultOf(
  { turn, reply }: Pick<Heard, "turn" | "reply">,
  { offset, ended, output }: { readonly offset: number; readonly ended: Ended; readonly output: JsonObject },
): TurnResult {
  const { outcome, diagnostics } = ended;
  return {
    offset,
    turn_id: turn,
    status: outcome.status,
    reply: reply === undefined ? undefined : textOf(reply.data.parts),
    output,
    diagnostics,
    ...("ended_by" in outcome ? { ended_by: outcome.ended_by } : {}),
    ...(outcome.status === "stopped" ? { reason: outcome.reason } : {}),
    ...(outcome.status === "failed" ? { error: outcome.error } : {}),
  };
}

/** The outcome for now of a turn that is paused, or of a message behind one; undefined if neither is so, `grown` if the log has got further since. */
async function heldUp(
  runtime: RuntimeContext,
  heard: Heard,
  { session_id, offset, head }: { readonly session_id: SessionId; readonly offset: number; readonly head: number },
): Promise<TurnResult | "grown" | undefined> {
  const { loaded, pending } = await pendingOf(runtime, session_id);
  if (loaded.session.head !== head) return "grown";
  heard.behind = false;
  if (pending.length === 0) return undefined;
  if (!pending.some(({ turn_id }) => turn_id === heard.turn)) return withoutTurn(offset, "waiting");
  const output = await viewAt(runtime, session_id, { at: head, answers: heard.answers, patches: heard.patches });
  return { ...withoutTurn(offset, "paused"), turn_id: heard.turn, output, pending };
}

/** The outcome of a message that no turn has answered. */
const withoutTurn = (offset: number, status: "paused" | "waiting" | "withdrawn"): TurnResult => ({
  offset,
  turn_id: undefined,
  status,
  reply: undefined,
  output: {},
  diagnostics: {},
});

/**
 * Whether nothing will come of it for now: a message waits as long as a person has the session, and then, if it is in no turn, until the
 * session is resumed or sent another; a turn that was queued without one is gone when a person took over before it began.
 */
async function isLeftWaiting(
  runtime: RuntimeContext,
  session_id: SessionId,
  { offset, turn_id, message }: { readonly offset: number; readonly turn_id?: TurnId | undefined; readonly message: boolean },
  head: number,
): Promise<boolean> {
  const { session, turns, waiting } = await loadSession(runtime, session_id);
  if (message) return session.mode === "manual" || waiting.some((one) => one.offset === offset && one.turn === undefined);
  return session.head === head && !turns.some((turn) => turn.turn_id === turn_id);
}

/** Where a turn ended, and what its state is made of besides the log up to there. */
interface TurnEnd {
  readonly at: number;
  readonly answers: readonly number[];
  readonly patches: readonly PatchOperation[];
  /** `output` by default. */
  readonly view?: View;
}

/** A view of the state at the end of a turn, from the log alone: any process computes the same. */
export async function viewAt(
  runtime: RuntimeContext,
  session_id: SessionId,
  { at, answers, patches, view = "output" }: TurnEnd,
): Promise<JsonObject> {
  const loaded = await loadSession(runtime, session_id, { at });
  const agent = agentOf(runtime, loaded.session.agent);
  const { document, definition } = foldState(loaded);
  // What another version wrote, or what failed the turn because it does not decode, is in no view of this version.
  if ((definition ?? agent.version) !== agent.version) return {};
  return viewOf(agent, document, { causes: await causesAt(runtime, loaded, answers), patches, view });
}

/** A view of what is stored and of what a turn made of it; empty if that cannot be read. */
export function viewOf(
  agent: Agent,
  document: JsonObject,
  { causes, patches, view }: { readonly causes: readonly Cause[]; readonly patches: readonly PatchOperation[]; readonly view: View },
): JsonObject {
  try {
    return project(agent.state, openState(agent, document, { causes, patches }), view);
  } catch (error) {
    if (ThroughlineError.is(error, "state.corrupt", "state.invalid_value")) return {};
    throw error;
  }
}
