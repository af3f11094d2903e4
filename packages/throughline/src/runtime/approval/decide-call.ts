import { invalidAt } from "../../extension/failure.ts";
import { changes, commitOnce, refused } from "../../extension/commit.ts";
import { eventsOf } from "../../extension/lists.ts";
import type { WriterContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId, TurnId } from "../../kernel/id.ts";
import { isPlainObject, type Json, jsonEqual, type JsonObject, present } from "../../kernel/json.ts";
import type { Decision, TurnData } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import { turnEvent } from "../../session/new-event.ts";
import { isLabelled } from "../../session/session-view.ts";
import { wakeParent } from "../subagent/parent-turn.ts";
import { checkShownName, checkText, checkValue } from "../turn/receive.ts";
import { type Looking, type Pending, pendingOf } from "./pending-approvals.ts";

/** A decision on a pending call. */
export interface DecideOptions {
  readonly call_id: string;
  /** Hash of the reviewed arguments, from `pending()`. */
  readonly arguments_hash: string;
  /** Index of the call's question, from `pending()`. Defaults to 0, the approval. */
  readonly index?: number;
  /**
   * `"approve"`: the call runs. `"edit"`: it runs with `arguments`. `"answer"`: `answer` is the answer to its question. All other values reject: the
   * call does not run, and the model reads the `feedback`.
   */
  readonly decision: "approve" | "edit" | "answer" | "reject" | (string & {});
  /** Arguments that replace those of the call. They are checked against the tool's parameters before the call runs. */
  readonly arguments?: JsonObject;
  readonly answer?: Json;
  /** Text that the model reads with a rejection. At most 100,000 characters. */
  readonly feedback?: string;
  /** Who decides, for the log. At most 200 characters. */
  readonly by?: string;
}

/** A call that waits for a decision, as `pending()` returns it. */
export type ReviewedCall = Pick<DecideOptions, "call_id" | "arguments_hash" | "index">;

/** The recorded decision. */
export interface DecisionMade {
  readonly offset: number;
  readonly turn_id: TurnId;
}

type Decided = Extract<TurnData, { type: "decided" }>;

/**
 * Records a decision. The commit depends on the log's head, so one of several concurrent decisions counts. The turn continues once all pending calls
 * are decided. Repeating a decision returns the place of the first one.
 */
export async function decideCall(runtime: WriterContext & Looking, session_id: SessionId, options: DecideOptions): Promise<DecisionMade> {
  const decided = decidedOf(options);
  for (let tries = 1; ; tries++) {
    const { loaded, pending } = await pendingOf(runtime, session_id);
    const call = pending.find(({ call_id, index }) => call_id === decided.call_id && index === decided.index);
    if (call === undefined) return madeBefore(runtime, session_id, decided);
    checkFits(call, decided);
    const running = loaded.turns.find(({ turn_id }) => turn_id === call.turn_id);
    if (running === undefined) throw notPending(decided);
    const result = await commitOnce(runtime, {
      session: {
        session_id,
        events: [turnEvent(running.number, decided)],
        depends: { head: loaded.session.head },
        ...(pending.length === 1 ? { wake: true } : {}),
      },
    });
    if (result.outcome === "committed") {
      if (isLabelled(loaded.session)) await wakeParent(runtime, session_id);
      return { offset: result.session?.head ?? loaded.session.head + 1, turn_id: call.turn_id };
    }
    if (result.reason !== "stale_head" || tries === changes) throw refused(result, session_id);
  }
}

const notPending = ({ call_id, index }: Decided): ThroughlineError =>
  new ThroughlineError("approval.not_pending", `Call ${seen(call_id)} does not wait for a decision.`, { details: { call_id, index } });

/** Returns the decision in the form for the log. */
function decidedOf(options: DecideOptions): Decided {
  const { call_id, arguments_hash, index = 0, by } = options;
  for (const [path, value] of Object.entries({ call_id, arguments_hash }))
    if (typeof value !== "string" || value === "")
      throw invalidAt("input.invalid", path, `A decision needs the ${path} that is pending, got ${seen(value)}.`);
  if (!Number.isSafeInteger(index) || index < 0)
    throw invalidAt("input.invalid", "index", `A decision's index is a whole number from 0, got ${seen(index)}.`);
  checkShownName("by", by);
  return { type: "decided", call_id, index, arguments_hash, decision: decisionOf(options), ...present({ by }) };
}

function decisionOf({ decision, arguments: args, answer, feedback }: DecideOptions): Decision {
  if (decision === "approve") return { type: "approve" };
  if (decision === "edit") {
    if (!isPlainObject(args) || Object.keys(args).length === 0)
      throw invalidAt(
        "input.invalid",
        "arguments",
        `An edit needs at least one argument to run with, got ${seen(args)}. Approve the call to run it as it is.`,
      );
    return { type: "edit", arguments: checkValue("arguments", args) as JsonObject };
  }
  if (decision === "answer") {
    if (answer === undefined) throw invalidAt("input.invalid", "answer", "An answer needs a value, got undefined.");
    return { type: "answer", answer: checkValue("answer", answer) };
  }
  if (feedback !== undefined) checkText(feedback);
  return { type: "reject", cause: "person", ...present({ feedback }) };
}

/** Throws for a decision on other arguments than the pending ones, or of another kind than requested. The caller can review the call again. */
function checkFits(call: Pending, { call_id, index, arguments_hash, decision }: Decided): void {
  if (call.arguments_hash !== arguments_hash)
    throw new ThroughlineError("approval.stale", `Call ${seen(call_id)} has other arguments than the reviewed ones. Review it again.`, {
      details: { call_id, index, arguments_hash: call.arguments_hash },
    });
  const fits = call.kind === "question" ? decision.type === "answer" : decision.type === "approve" || decision.type === "edit";
  if (fits || decision.type === "reject") return;
  throw invalidAt(
    "input.invalid",
    "decision",
    `Call ${seen(call_id)} waits for ${call.kind === "question" ? "an answer" : "an approval or an edit"}, got ${seen(decision.type)}.`,
  );
}

/** Number of recent turns that are searched for an earlier decision. */
const looksBack = 3;

/** Returns the place of the same earlier decision. Throws `approval.not_pending` if there is none, or if the first one differs. */
async function madeBefore(runtime: Looking, session_id: SessionId, decided: Decided): Promise<DecisionMade> {
  const turns = await runtime.store.list({ of: "turns", session_id, order: "desc", limit: looksBack });
  for (const { turn_id, started_offset, ended_offset } of turns.items) {
    if (started_offset === undefined) continue;
    const to = present({ max_offset: ended_offset });
    for await (const event of eventsOf(runtime.store, { session_id, min_offset: started_offset, kinds: ["turn"], ...to }))
      if (event.turn_id === turn_id && isSame(decodeEvent(event).data as unknown as JsonObject, decided)) return { offset: event.offset, turn_id };
  }
  throw notPending(decided);
}

/** Whether call, arguments and decision are the same. The operator may differ. */
const isSame = ({ by: _by, ...data }: JsonObject, { by: _also, ...decided }: Decided): boolean => jsonEqual(data, decided);
