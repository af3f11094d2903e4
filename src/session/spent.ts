import type { Event, SpentData, UsageData } from "./event.ts";

const tokenKinds = ["input", "output", "cache_write", "cache_read", "reasoning"] as const;

/**
 * What a turn has spent, from its own events: model calls that were answered and that failed, tokens, the time in which something was under way, and
 * what child agents cost. Each is counted once, however often the turn was resumed. The time of child agents is that of the calls which waited for
 * them, so it is not added again.
 */
export function spentOf(events: readonly Event[]): SpentData {
  const seen = new Set<string>();
  const first = (event: Event, id: string): boolean => {
    const key = `${event.turn_id ?? ""} ${id}`;
    return !seen.has(key) && seen.add(key).size > 0;
  };
  let spent: SpentData = {};
  for (const event of events) {
    const { kind, data } = event;
    if (kind === "turn" && data.type === "step" && first(event, data.step_id))
      spent = addSpent(spent, { steps: 1, tokens: data.usage, active_ms: data.ms, ...(data.cost === undefined ? {} : { cost: data.cost }) });
    else if (kind === "turn" && data.type === "attempt" && first(event, event.id)) spent = addSpent(spent, { attempts: 1, active_ms: data.ms });
    else if (kind === "turn" && data.type === "merged" && first(event, event.id)) spent = addSpent(spent, { active_ms: data.ms });
    else if (kind === "tool" && data.type === "returned" && data.spent !== undefined && first(event, data.call_id)) {
      const { active_ms: _within, ...rest } = data.spent;
      spent = addSpent(spent, rest);
    }
  }
  return spent;
}

/** The sum of what two things cost; what there was none of stays left out. */
export function addSpent(left: SpentData, right: SpentData): SpentData {
  const counts = { steps: sum(left.steps, right.steps), attempts: sum(left.attempts, right.attempts) };
  const measures = {
    tokens: addTokens(left.tokens, right.tokens),
    active_ms: sum(left.active_ms, right.active_ms),
    cost: sum(left.cost, right.cost),
  };
  return present({ ...counts, ...measures });
}

const sum = (left = 0, right = 0): number | undefined => (left + right === 0 ? undefined : left + right);

function addTokens(left: UsageData = {}, right: UsageData = {}): UsageData | undefined {
  const tokens = present<UsageData>(Object.fromEntries(tokenKinds.map((kind) => [kind, sum(left[kind], right[kind])])));
  return Object.keys(tokens).length === 0 ? undefined : tokens;
}

/** Without the members that are undefined. */
const present = <T extends object>(members: { readonly [Name in keyof T]?: T[Name] | undefined }): T =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
