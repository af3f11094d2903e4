/** The outcome of a message or a turn, read from the log. */
import { eventAt, headerOf, loadSession, refused } from "../../extension/commit.ts";
import { type ErrorInfo, seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId, TurnId } from "../../kernel/id.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import { isSuperseded } from "../../session/decide-command.ts";
import type { Diagnostics, EndedBy, Event, EventOf, TurnData } from "../../session/event.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { textOf } from "../../session/session-messages.ts";
import { project, type View } from "../../state/views.ts";
import type { Agent } from "../agent/agent.ts";
import { type Pending, pendingOf } from "../approval/pending-approvals.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { type Cause, causesAt, openState, retriedFrom } from "../turn/open-turn.ts";
import { turnOf } from "./turns.ts";

/** Whether a message is stored although the store failed: it is not (`false`), or the store confirmed neither (`"unknown"`). */
export type Unsaved = false | "unknown";

/** The outcome of a message. */
export interface TurnResult<Output = JsonObject> {
  /** Offset of the message. For a turn without a message, offset of the turn's first event. */
  readonly offset: number;
  /** The turn that answered it. Undefined while it waits. */
  readonly turn_id: TurnId | undefined;
  /**
   * `paused`: the turn waits for decisions on `pending` and continues with them. `waiting`: an operator handles the session, or an earlier turn is
   * paused. `withdrawn`: the message was withdrawn before its answer.
   */
  readonly status: "completed" | "stopped" | "failed" | "paused" | "waiting" | "withdrawn";
  /** The calls that a paused turn waits for. */
  readonly pending?: readonly Pending[];
  /**
   * Present if the store failed. The reply was then produced without the store and is not in the log. `false`: the message is not stored either.
   * `"unknown"`: the store did not confirm, so the message may be stored and may be answered in the log later.
   */
  readonly saved?: Unsaved;
  /** The reply to the customer. */
  readonly reply: string | undefined;
  /** The output view of the state at the end of the turn. */
  readonly output: Output;
  readonly diagnostics: Diagnostics;
  /** The call that ended the turn. Its output is the reply. */
  readonly ended_by?: EndedBy;
  /** Why the turn stopped. */
  readonly reason?: string;
  /**
   * Why the turn failed. `cause` is what the turn's code threw, if the turn failed in this process lately. It is not enumerable, so it is never
   * serialized.
   */
  readonly error?: ErrorInfo & { readonly cause?: unknown };
}

/** The message or turn whose outcome is awaited. */
export interface OutcomeTarget {
  readonly offset: number;
  readonly turn_id?: TurnId | undefined;
  /** Whether a message is at the offset. If false, the turn was queued without one. */
  readonly message: boolean;
  /** Offset at which to start reading, if not at `offset`. */
  readonly from?: number;
  /** Resolves when this process has nothing more to run in the session. */
  readonly idle?: Promise<void> | undefined;
  /** Called when the log has been read to its head without finding the outcome. */
  readonly looked?: () => void;
}

/** What the log has shown so far about the message and its turn. */
interface TurnProgress {
  turn: TurnId | undefined;
  reply: EventOf<"message"> | undefined;
  answers: readonly number[];
  begun: boolean;
  /** Whether the message may be in no turn, because its turn is unknown or an operator has taken over since. */
  unsure: boolean;
  /** Whether the turn has paused at least once. */
  paused: boolean;
  /** Whether the turn may wait behind a paused one: another turn has paused since, or this process has nothing more to run. */
  behind: boolean;
  readonly patches: PatchOperation[];
}

/** Returns the initial value, before any event of a message or its turn. */
export const noProgress = (turn: TurnId | undefined): TurnProgress => ({
  ...{ turn, reply: undefined, answers: [], begun: false, unsure: turn === undefined, paused: false, behind: false, patches: [] },
});

/** Follows the log, from the offset or a later one, until the message or the queued turn has its outcome, or pauses. */
export async function outcomeOf(runtime: RuntimeContext, session_id: SessionId, target: OutcomeTarget, signal: AbortSignal): Promise<TurnResult> {
  const { offset, message, turn_id: turn } = target;
  const progress = noProgress(turn);
  let { from: next = offset, idle } = target;
  const targetAgain = (): OutcomeTarget => ({ offset, message: true, idle, ...present({ looked: target.looked }) });
  void idle?.then(() => ([progress.behind, idle] = [true, undefined]));
  for (;;) {
    const page = await runtime.store.read({ session_id, min_offset: next, withdrawn: true, limit: 500 }).catch((error: unknown) => {
      throw ThroughlineError.is(error, "log.retained_from") ? outcomeRemoved(session_id, target, error) : error;
    });
    if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
    for (const stored of page.events) {
      const event = decodeEvent(stored);
      const ended = observe(progress, event, offset);
      if (ended === "withdrawn") return withoutTurn(offset, "withdrawn");
      if (ended === undefined) continue;
      // Another turn answers it, together with the message that arrived in between.
      if (message && isSuperseded(ended.outcome)) return outcomeOf(runtime, session_id, { ...targetAgain(), from: event.offset + 1 }, signal);
      const again = message && ended.outcome.status !== "completed" ? await retriedFrom(runtime.store, session_id, offset, event.offset) : undefined;
      if (again !== undefined) return outcomeOf(runtime, session_id, { ...targetAgain(), from: again }, signal);
      const { answers, patches } = progress;
      return resultOf(progress, { offset, ended, output: await viewAt(runtime, session_id, { at: event.offset, answers, patches }) });
    }
    next = page.next_offset;
    if (next <= page.head) continue;
    target.looked?.();
    const held =
      progress.paused || (!progress.begun && progress.behind) ? await heldUp(runtime, progress, { session_id, offset, head: page.head }) : undefined;
    if (held === "grown") continue;
    if (held !== undefined) return held;
    if (!progress.begun && (progress.unsure || !message) && (await isLeftWaiting(runtime, session_id, target, page.head)))
      return withoutTurn(offset, "waiting");
    const grown = runtime.store.watch(session_id, page.head, signal);
    grown.catch(() => {});
    await (idle === undefined ? grown : Promise.race([grown, idle]));
  }
}

/** Retention deletes only events of ended turns, so the message must not be sent again. */
const outcomeRemoved = (session_id: SessionId, { offset, turn_id }: OutcomeTarget, cause: unknown): ThroughlineError =>
  new ThroughlineError("log.retained_from", `The message at offset ${offset} has been answered, and retention has deleted its outcome.`, {
    hint: "Do not send it again.",
    details: { session_id, offset, ...present({ turn_id }) },
    cause,
  });

type Ended = Extract<TurnData, { type: "ended" }>;

/** Processes an event. Returns how the turn ended, if the event is its end. */
export function observe(progress: TurnProgress, event: Event, offset: number): Ended | "withdrawn" | undefined {
  if (event.kind === "session" && event.data.type === "withdrawn" && event.data.from <= offset) return "withdrawn";
  if (event.kind === "session" && event.data.type === "mode") progress.unsure = true;
  if (event.kind === "turn" && event.data.type === "paused") progress.behind = true;
  if (event.kind === "turn" && event.data.type === "started" && (event.data.answers.includes(offset) || event.turn_id === progress.turn))
    Object.assign(progress, { turn: event.turn_id, answers: event.data.answers, begun: true });
  if (progress.turn === undefined || event.turn_id !== progress.turn) return undefined;
  // A message with calls is intermediate work, not the reply.
  if (event.kind === "message" && event.data.role === "assistant" && event.data.calls === undefined && !isBeside(progress, event))
    progress.reply = event;
  if (event.kind !== "turn") return undefined;
  if (event.data.type === "paused") progress.paused = true;
  if (event.data.type === "stage" || event.data.type === "fields") progress.patches.push(...(event.data.patch ?? []));
  return event.data.type === "ended" ? event.data : undefined;
}

/** Whether a message was added by a hook after the reply. */
const isBeside = ({ reply }: TurnProgress, { data }: EventOf<"message">): boolean => data.origin === undefined && reply?.data.origin !== undefined;

/** Returns the result of a turn for the message or turn at `offset`. */
export function resultOf(
  { turn, reply }: Pick<TurnProgress, "turn" | "reply">,
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

/** Returns the preliminary outcome of a paused turn, or of a message behind one. Undefined if neither applies, `grown` if the log has grown since. */
async function heldUp(
  runtime: RuntimeContext,
  progress: TurnProgress,
  { session_id, offset, head }: { readonly session_id: SessionId; readonly offset: number; readonly head: number },
): Promise<TurnResult | "grown" | undefined> {
  const { loaded, pending } = await pendingOf(runtime, session_id);
  if (loaded.session.head !== head) return "grown";
  progress.behind = false;
  if (pending.length === 0) return undefined;
  if (!pending.some(({ turn_id }) => turn_id === progress.turn)) return withoutTurn(offset, "waiting");
  const output = await viewAt(runtime, session_id, { at: head, answers: progress.answers, patches: progress.patches });
  return { ...withoutTurn(offset, "paused"), turn_id: progress.turn, output, pending };
}

/** Returns the outcome of a message that no turn has answered. */
const withoutTurn = (offset: number, status: "paused" | "waiting" | "withdrawn"): TurnResult => ({
  offset,
  turn_id: undefined,
  status,
  reply: undefined,
  output: {},
  diagnostics: {},
});

/**
 * Whether no turn will answer for now. A message waits while an operator has the session. If it is in no turn, it then waits until the session is
 * resumed or gets another message. A turn that was queued without a message is cancelled if an operator takes over before it starts.
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

/** The end of a turn, and the other inputs of its state. */
interface TurnEnd {
  readonly at: number;
  readonly answers: readonly number[];
  readonly patches: readonly PatchOperation[];
  /** Defaults to `output`. */
  readonly view?: View;
}

/** Returns a view of the state at the end of a turn, from the log alone. All processes compute the same result. */
export async function viewAt(
  runtime: RuntimeContext,
  session_id: SessionId,
  { at, answers, patches, view = "output" }: TurnEnd,
): Promise<JsonObject> {
  const loaded = await loadSession(runtime, session_id, { at });
  const agent = agentOf(runtime, loaded.session.agent);
  const { document, definition } = foldState(loaded);
  // A state of another version, or one that failed the turn because it does not decode, has no view in this version.
  if ((definition ?? agent.version) !== agent.version) return {};
  return viewOf(agent, document, { causes: await causesAt(runtime, loaded, answers), patches, view });
}

/** Returns a view of the stored state with the turn's changes. It is empty if the state cannot be read. */
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

/** Resolves the offset of a customer's message or of a turn's start, or the id of a turn. Throws if it does not exist. */
export async function targetOf(runtime: Pick<RuntimeContext, "store">, id: SessionId, of: number | string): Promise<Omit<OutcomeTarget, "idle">> {
  if (typeof of === "string") {
    // Read before the turn: if the turn has not started, all its events come after this head.
    const { head } = await headerOf(runtime, id);
    const { turn_id, started_offset } = await turnOf(runtime.store, id, of);
    return { offset: started_offset ?? head, turn_id, message: false };
  }
  const event = Number.isSafeInteger(of) && of >= 0 ? await eventAt(runtime, id, of) : undefined;
  if (event?.kind === "message" && event.source === "customer") return { offset: of, turn_id: undefined, message: true };
  // The offset in a result of a turn that was followed by its id.
  if (event?.kind === "turn" && event.data.type === "started" && event.turn_id !== undefined) return targetOf(runtime, id, event.turn_id);
  throw noMessage(id, of);
}

const noMessage = (id: SessionId, offset: number): ThroughlineError =>
  new ThroughlineError("log.offset_invalid", `There is no customer's message at offset ${seen(offset)} of session ${id}.`, { details: { offset } });
