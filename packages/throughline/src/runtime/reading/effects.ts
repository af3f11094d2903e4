/** Calls with side effects after an offset: what a fork from there cannot undo. */
import { eventsOf } from "../../extension/lists.ts";
import { invalidAt } from "../../extension/failure.ts";
import { seen } from "../../kernel/error.ts";
import type { TurnId } from "../../kernel/id.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import type { ToolEffects, ToolResult } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Handle } from "../commands/handle.ts";
import { headerOf } from "../../extension/commit.ts";

/** A call of a tool with side effects. */
export interface CallEffect {
  /** Offset of the start of the call. */
  readonly offset: number;
  readonly turn_id: TurnId | undefined;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: JsonObject;
  /** `once` or `idempotent`. */
  readonly effects: Exclude<ToolEffects, "none">;
  /** Idempotency key that external services saw. */
  readonly key: string;
  /** Absent if no result is recorded: the call is running, or its process died. */
  readonly result?: ToolResult;
  /** Offset of the result. */
  readonly returned_at?: number;
}

/** A part of the calls with effects, and the offset to continue after. */
export interface EffectsPage {
  readonly items: readonly CallEffect[];
  /** Pass it as `after` for the calls that follow. Null at the end. */
  readonly next_after: number | null;
}

/** Selects calls with effects. */
export interface EffectsQuery {
  /** Only calls after this offset. Defaults to all. */
  readonly after?: number;
  /** 1 to 1,000; 100 by default. */
  readonly limit?: number;
}

/** Returns the calls with effects after an offset, in order, including those of withdrawn turns: what they did outside stands. */
export async function effectsAfter(
  { runtime, id }: Pick<Handle, "runtime" | "id">,
  { after = -1, limit = 100 }: EffectsQuery = {},
): Promise<EffectsPage> {
  if (!Number.isSafeInteger(after) || after < -1) throw invalidAt("input.invalid", "after", `after is an offset, got ${seen(after)}.`);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000)
    throw invalidAt("input.invalid", "limit", `limit is a whole number from 1 to 1,000, got ${seen(limit)}.`);
  await headerOf(runtime, id);
  const calls = new Map<string, CallEffect>();
  let open = 0;
  let more = false;
  for await (const stored of eventsOf(runtime.store, { session_id: id, min_offset: after + 1, kinds: ["tool"], withdrawn: true })) {
    const { kind, data, offset, turn_id } = decodeEvent(stored);
    if (kind !== "tool") continue;
    const key = `${turn_id} ${data.call_id}`;
    const known = calls.get(key);
    if (data.type === "called") more ||= data.effects !== "none" && known === undefined && calls.size === limit;
    // Results of the listed calls may come after the first call of the next page.
    if (more && open === 0) break;
    if (data.type === "called" && data.effects !== "none" && known === undefined && !more) {
      const { call_id, name, arguments: args, effects, key: sent } = data;
      calls.set(key, { offset, turn_id, call_id, name, arguments: args, effects, key: sent });
      open += 1;
    } else if (data.type === "returned" && known !== undefined && known.returned_at === undefined) {
      calls.set(key, { ...known, result: data.result, returned_at: offset });
      open -= 1;
    }
  }
  const items = [...calls.values()];
  const last = items.at(-1);
  return {
    items: items.map((call) => ({ ...call, ...present({ turn_id: call.turn_id }) })),
    next_after: more && last !== undefined ? last.offset : null,
  };
}
