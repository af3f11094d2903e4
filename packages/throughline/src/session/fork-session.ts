import type { TraceId } from "../kernel/id.ts";
import { present } from "../kernel/json.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import type { NewEvent } from "../store/port.ts";
import type { Outcome } from "./event.ts";
import { type Decided, newEvent } from "./new-event.ts";
import type { VariableVersions } from "./session-variables.ts";

/** Open work at an offset of a log. A fork from there must settle it. */
export interface ForkPoint {
  readonly at: number;
  /** Version of the agent's definition that wrote the state at this offset. `state_offset` is the offset of the state's last change. */
  readonly definition: number;
  readonly state_offset: number;
  readonly episode: number;
  /** The turn that had started and not ended. */
  readonly open: { readonly number: number; readonly trace_id: TraceId } | undefined;
  /** Offsets of customer messages that no turn had started to answer. */
  readonly unanswered: readonly number[];
}

/** Options of a fork. */
export interface ForkExtras {
  readonly title?: string | null | undefined;
  /** The last offset of the session whose recorded results the fork reuses. */
  readonly reuse?: number | undefined;
  /** Versions of the variables that the fork starts with. */
  readonly variables: VariableVersions;
  /** Migrates the state to a newer definition. */
  readonly migration?: { readonly to: number; readonly patch: readonly PatchOperation[] } | undefined;
  readonly trace_id: TraceId;
}

const outcome: Outcome = { status: "stopped", reason: "forked" };
const cancelled = { status: "cancelled" } as const;

/**
 * Returns the first commit of a forked session. It ends the turn that was open at the fork point. A second turn takes the unanswered messages and
 * ends in the same commit. So in the fork, too, each message is among the answers of one finished turn.
 */
export function forkedAt(point: ForkPoint, { title, reuse, variables, migration, trace_id }: ForkExtras): Decided {
  const { at, definition, state_offset, open, unanswered } = point;
  const events: NewEvent[] = [newEvent("session", "system", { type: "forked", at, ...present({ reuse }) }, { trace_id })];
  if (title !== undefined && title !== null) events.push(newEvent("session", "system", { type: "title", title }, { trace_id }));
  if (open !== undefined) {
    const place = { turn: open.number, trace_id: open.trace_id };
    events.push(newEvent("status", "system", cancelled, place), newEvent("turn", "system", { type: "ended", outcome, diagnostics: {} }, place));
  }
  const versions = { agent: definition, state: state_offset, ...variables };
  const place = { turn: "queued", trace_id } as const;
  const begun = events.length;
  if (unanswered.length > 0)
    events.push(
      newEvent("turn", "system", { type: "started", cause: "message", answers: unanswered, versions }, place),
      newEvent("status", "system", cancelled, place),
      newEvent("turn", "system", { type: "ended", outcome, diagnostics: {} }, place),
    );
  if (migration !== undefined) {
    const writer = { type: "migration", from: definition, to: migration.to } as const;
    events.push(newEvent("state", "system", { patch: migration.patch, writer, definition: migration.to }, { trace_id }));
  }
  return {
    events,
    ...(unanswered.length === 0
      ? {}
      : { queue: { cause: "message", trace_id }, start_turn: { number: "queued", event: begun }, end_turns: ["queued"] }),
  };
}
