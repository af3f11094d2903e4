import { ThroughlineError } from "../../kernel/error.ts";
import type { TurnId } from "../../kernel/id.ts";
import { textOf } from "../../session/result-text.ts";
import type { Event, Outcome } from "../../session/event.ts";
import type { Pending } from "../../runtime/approval/pending.ts";
import type { Draft } from "../../runtime/turn/drafts.ts";
import type { Session } from "../../runtime/session.ts";

/** Shows a reply as it comes. */
export interface ReplyView {
  /** Provisional text, in pieces. */
  delta(text: string): void;
  /** The provisional text does not hold. */
  takenBack(reason: string): void;
  /** The reply as it is on record. */
  final(text: string): void;
  /** What the person is told besides, such as that they talk with an AI. */
  told(text: string): void;
  /** The turn is over: whatever is shown now stays. */
  end(): void;
}

/** How a turn that was followed ended: what the log says, or that the session has it no more. */
export type TurnEnd =
  | { readonly type: "ended"; readonly outcome: Outcome; readonly offset: number }
  | { readonly type: "paused"; readonly pending: readonly Pending[] }
  /** It waits behind one that is paused. */
  | { readonly type: "behind" }
  | { readonly type: "withdrawn" }
  | { readonly type: "manual" };

/**
 * Follows one turn to its end. Rejects when the turn can neither be run nor ended here; its message is kept. `message` is the offset of the
 * message that waits for it, undefined for a turn without one.
 */
export async function followTurn(
  session: Session,
  turn: { readonly turn_id: TurnId; readonly from: number; readonly message: number | undefined },
  view: ReplyView,
): Promise<TurnEnd> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const failed = turn.message === undefined ? new Promise<never>(() => {}) : failureOf(session, turn.message, signal);
  const followed = follow(session, turn, view, signal);
  try {
    return await Promise.race([followed, failed]);
  } finally {
    leaving.abort(new ThroughlineError("aborted"));
    followed.catch(() => {});
    view.end();
  }
}

/** Rejects when the message's turn cannot be run, and tells when it waits behind another one; else it never resolves, since the log tells the rest. */
async function failureOf(session: Session, message: number, signal: AbortSignal): Promise<TurnEnd> {
  try {
    const { status } = await session.outcome(message, { signal });
    if (status === "waiting" && (await session.info()).mode === "auto") return { type: "behind" };
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return new Promise<never>(() => {});
}

async function follow(
  session: Session,
  turn: { readonly turn_id: TurnId; readonly from: number },
  view: ReplyView,
  signal: AbortSignal,
): Promise<TurnEnd> {
  for await (const item of session.stream({ minOffset: turn.from, kinds: ["message", "turn", "session"], signal })) {
    const end = "type" in item ? showDraft(item, turn.turn_id, view) : showEvent(item, turn.turn_id, view);
    if (end !== undefined) return end;
    if ("kind" in item && item.kind === "turn" && item.data.type === "paused" && item.turn_id === turn.turn_id) {
      // One that is decided already, such as by a message that came meanwhile, is followed on.
      const pending = (await session.pending()).calls.filter(({ turn_id }) => turn_id === turn.turn_id);
      if (pending.length > 0) return { type: "paused", pending };
    }
  }
  throw new ThroughlineError("aborted");
}

function showDraft(draft: Draft, turn: TurnId, view: ReplyView): undefined {
  if (draft.turn_id !== turn) return undefined;
  if (draft.type === "draft.delta") view.delta(draft.text);
  else if (draft.type === "draft.reset" && draft.reason !== "end") view.takenBack(draft.reason);
  return undefined;
}

function showEvent(event: Event, turn: TurnId, view: ReplyView): TurnEnd | undefined {
  if (event.kind === "session") {
    if (event.data.type === "withdrawn") return { type: "withdrawn" };
    if (event.data.type === "disclosure" && event.turn_id === turn) view.told(event.data.text);
    return event.data.type === "mode" && event.data.mode === "manual" ? { type: "manual" } : undefined;
  }
  if (event.turn_id !== turn) return undefined;
  const text = event.kind === "message" ? textOf(event.data.parts) : "";
  // A message that only calls tools says nothing.
  if (event.kind === "message" && event.data.role === "assistant" && (text.trim() !== "" || event.data.calls === undefined)) view.final(text);
  return event.kind === "turn" && event.data.type === "ended" ? { type: "ended", outcome: event.data.outcome, offset: event.offset } : undefined;
}
