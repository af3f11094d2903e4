import { eventAt, loadSession } from "../../extension/commit.ts";
import { eventsOf, itemsOf } from "../../extension/lists.ts";
import { keepersWith, metadataWith, type OwnerWrite, recordsFor } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { diff } from "../../kernel/json-diff.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { Command } from "../../session/decide-command.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import type { LoadedSession, OwnerChange, TurnRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { appendEnding, type Done, drive, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";

/** Options of a withdrawal. */
export interface WithdrawOptions extends IdempotencyOptions {
  /** The first offset of a turn. */
  readonly from: number;
}

/** Withdraws everything from an offset on. */
export async function withdrawFrom(handle: Handle, options: WithdrawOptions): Promise<Done> {
  const { from } = options;
  let restored: Withdrawal["restored"];
  const commandOn = async (loaded: LoadedSession): Promise<Command> => {
    const decided = await withdrawal(handle.runtime, loaded, from);
    restored = decided.restored;
    return decided.command;
  };
  const done = await appendEnding(handle, commandOn, {
    idempotency: idempotencyOf(options, "withdraw", { from }),
    alongside: async (loaded, command) => {
      const owner = await retraction(handle.runtime, loaded, command);
      const { agents, clock } = handle.runtime;
      const { agent, session_id } = loaded.session;
      const { extensions = [] } = agents.get(agent) ?? {};
      const records = restored === undefined ? [] : recordsFor(extensions, { session_id, ...restored, now: clock.now() });
      return { ...present({ owner }), ...(records.length === 0 ? {} : { records }) };
    },
    reason: new ThroughlineError("turn.fenced", "The turn was withdrawn."),
  });
  if (done.changed) drive(handle);
  return done;
}

/** Returns the deletion of the owner's data that came from the withdrawn events, whether or not the agent still declares the extension that stored it. */
async function retraction(context: RuntimeContext, { session }: LoadedSession, command: Command): Promise<OwnerChange | undefined> {
  const { owner_id, owner_version, agent } = session;
  if (command.type !== "withdraw" || owner_version === 0) return undefined;
  const entries: OwnerWrite[] = [];
  for (const extension of await keepersWith(context.agents.get(agent)?.extensions ?? [], context.kept, "retracted"))
    entries.push(...(await extension.retracted({ context, session, from: command.from })));
  return entries.length === 0 ? undefined : { owner_id, depends: { version: owner_version }, entries };
}

interface Withdrawal {
  readonly command: Command;
  /** The state after it and the one before it. Absent if there is nothing to withdraw. */
  readonly restored?: { readonly state: JsonObject; readonly before: JsonObject } | undefined;
}

/** Returns the command that withdraws everything from `from` on and restores the earlier state. Throws for an offset within a turn. */
async function withdrawal(runtime: RuntimeContext, loaded: LoadedSession, requested: number): Promise<Withdrawal> {
  const { session_id, head } = loaded.session;
  if (!Number.isInteger(requested) || requested < 1)
    throw new ThroughlineError("log.offset_invalid", `A session can be withdrawn from offset 1 on, not from ${seen(requested)}.`, {
      details: { from: requested },
    });
  const trace_id = runtime.ids.trace();
  if (requested > head) return { command: { type: "withdraw", from: requested, patch: [], effects: [], trace_id } };
  const first = await turnAround(runtime, session_id, requested);
  if (first !== undefined) {
    throw new ThroughlineError("session.withdraw_splits_turn", `Offset ${requested} is in the middle of a turn that begins at offset ${first}.`, {
      details: { from: requested, first },
    });
  }
  const from = await withEarlierWithdrawal(runtime, session_id, requested);
  const now = foldState(loaded).document;
  const { extensions = [] } = runtime.agents.get(loaded.session.agent) ?? {};
  const before = extensions.reduce(
    (state, extension) => extension.withdrawn?.({ before: state, now }) ?? state,
    await stateBefore(runtime, loaded, from),
  );
  const effects = await effectsFrom(runtime, session_id, from);
  const metadata = metadataWith(extensions, loaded.session.metadata, before);
  return {
    command: { type: "withdraw", from, patch: diff(now, before), effects, trace_id, ...present({ metadata }) },
    restored: { state: before, before: now },
  };
}

/**
 * Returns the start of a withdrawal from `asked`, extended to an earlier withdrawal that covers it. Otherwise the state would be that of hidden
 * messages, and a late reader would see only the second withdrawal.
 */
async function withEarlierWithdrawal(runtime: RuntimeContext, session_id: SessionId, requested: number): Promise<number> {
  let from = requested;
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset: requested, kinds: ["session"], withdrawn: true })) {
    const event = decodeEvent(stored);
    if (event.kind === "session" && event.data.type === "withdrawn") from = Math.min(from, event.data.from);
  }
  return from;
}

/** Returns the state before an offset. The start of the log contains the state of the events that retention cut away. */
async function stateBefore(runtime: RuntimeContext, { session }: LoadedSession, from: number): Promise<JsonObject> {
  const { session_id, first_offset } = session;
  if (from > first_offset) return foldState(await loadSession(runtime, session_id, { at: from - 1 })).document;
  const first = await loadSession(runtime, session_id, { at: from });
  if (first.base.offset >= from)
    throw new ThroughlineError("log.retained_from", `Retention has deleted the events before offset ${from}.`, { details: { from } });
  return foldState({ ...first, patches: first.patches.filter(({ offset }) => offset < from) }).document;
}

/** Returns the first offset of a turn with events on both sides of `from`, or undefined if there is none. Checks only turns that extend past `from`. */
async function turnAround(runtime: RuntimeContext, session_id: SessionId, from: number): Promise<number | undefined> {
  for await (const turn of itemsOf(runtime.store, { of: "turns", session_id, order: "desc", limit: 20 })) {
    if (turn.ended_offset !== undefined && turn.ended_offset < from) return undefined;
    const first = await firstOffset(runtime, turn);
    if (first !== undefined && first < from) return first;
  }
  return undefined;
}

/** Returns the offset of the first message that a turn answers, or of its own first event. */
async function firstOffset(runtime: RuntimeContext, turn: TurnRow): Promise<number | undefined> {
  if (turn.started_offset === undefined) {
    const loaded = await loadSession(runtime, turn.session_id);
    return loaded.waiting.find((message) => message.turn === turn.number)?.offset;
  }
  const event = await eventAt(runtime, turn.session_id, turn.started_offset);
  const { answers = [], retries = [] } = event?.kind === "turn" && event.data.type === "started" ? event.data : {};
  // Messages that an earlier turn had answered stay with that turn, whatever the outcome of the retry.
  return Math.min(turn.started_offset, ...answers.filter((offset) => !retries.includes(offset)));
}

/** Lists the effects of tools from `from` on that cannot be undone, for the withdrawal. */
async function effectsFrom(runtime: RuntimeContext, session_id: SessionId, from: number): Promise<readonly string[]> {
  const effects: string[] = [];
  for await (const stored of eventsOf(runtime.store, { session_id, min_offset: from, kinds: ["tool"] })) {
    const event = decodeEvent(stored);
    if (event.kind === "tool" && event.data.type === "called" && event.data.effects !== "none") effects.push(event.data.name);
  }
  return effects;
}
