/** Refreshes bound variables concurrently. A failed refresh is only logged and leaves the last value. */
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze, jsonEqual, type Json, type JsonObject } from "../../kernel/json.ts";
import { applied, joinVariables, namedChanges, type ScopedVariables, variableChanges, type VariableScope } from "../../session/session-variables.ts";
import { customerOf } from "../../session/session-view.ts";
import type { Claim, OwnerChange, SessionRow } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import type { Bound, RefreshContext } from "./variable.ts";

/** A starting turn, and the values that it has loaded. */
export interface Beginning {
  readonly runtime: RuntimeContext;
  readonly claim: Claim;
  readonly agent: Agent;
  readonly session: SessionRow;
  readonly scoped: ScopedVariables;
  /** Aborts when the turn is stopped or its lease is lost. */
  readonly signal: AbortSignal;
}

/** The result of a refresh. */
export interface Refreshed {
  readonly name: string;
  readonly scope: VariableScope;
  readonly ms: number;
  /** The write: a new value, a confirmation of the last one, or a failed refresh. */
  readonly change: Pick<OwnerChange, "variables" | "checked">;
}

/** A variable with a refresh function. */
interface BoundVariable {
  readonly name: string;
  readonly bound: Bound;
}

/** Returns the variables whose values are missing, stale, or too old by their rule. */
export const dueOf = (agent: Agent, scoped: ScopedVariables, now: number): readonly BoundVariable[] =>
  agent.variables.flatMap(({ name, bound }) => (bound === undefined || holds(name, bound, scoped, now) ? [] : [{ name, bound }]));

function holds(name: string, { scope, fresh }: Bound, scoped: ScopedVariables, now: number): boolean {
  const { values, checked, stale } = scoped[scope];
  return Object.hasOwn(values, name) && !stale.includes(name) && fresh(checked[name] ?? 0, now);
}

/** Refreshes all due variables. Throws the signal's reason if the turn is stopped meanwhile. */
export async function refreshAll(turn: Beginning, due: readonly BoundVariable[]): Promise<readonly Refreshed[]> {
  const refreshed = await Promise.all(due.map((variable) => refreshOne(turn, variable)));
  turn.signal.throwIfAborted();
  const values: Record<VariableScope, JsonObject> = {
    session: turn.scoped.session.values,
    customer: turn.scoped.customer.values,
    agent: turn.scoped.agent.values,
  };
  return refreshed.map((item) => withinTotal(turn, values, item));
}

/** Drops a refreshed value that would exceed a limit of its owner, like a failed refresh. */
function withinTotal({ runtime, claim }: Beginning, values: Record<VariableScope, JsonObject>, item: Refreshed): Refreshed {
  const { name, scope, change } = item;
  const [written] = change.variables ?? [];
  if (written === undefined) return item;
  const { value } = written;
  try {
    const changes = variableChanges(values[scope], value === undefined ? { unset: [name] } : { set: { [name]: value } });
    values[scope] = applied(values[scope], changes);
    return item;
  } catch (error) {
    runtime.logger.warn("variable not refreshed", { turn_id: claim.turn.turn_id, variable: name, code: ThroughlineError.from(error).code });
    return { ...item, change: { checked: Object.hasOwn(values[scope], name) ? [{ name, stale: true }] : [] } };
  }
}

async function refreshOne(turn: Beginning, { name, bound }: BoundVariable): Promise<Refreshed> {
  const { runtime, claim, scoped } = turn;
  const { turn_id } = claim.turn;
  const began = runtime.clock.monotonic();
  const { values } = scoped[bound.scope];
  const has = Object.hasOwn(values, name);
  let change: Refreshed["change"];
  try {
    const value = await runtime.tracer.span(`variable ${name}`, { turn_id, variable: name }, () => call(turn, name, bound));
    const same = value === undefined ? !has : has && jsonEqual(value, values[name] as Json);
    change = same ? { checked: has ? [{ name, stale: false }] : [] } : { variables: [{ name, value }] };
  } catch (error) {
    turn.signal.throwIfAborted();
    // The error may quote a customer's text, or a request with its API key.
    const code = ThroughlineError.is(error) ? error.code : "variable.refresh_failed";
    runtime.logger.warn("variable not refreshed", { turn_id, variable: name, code });
    change = { checked: has ? [{ name, stale: true }] : [] };
  }
  return { name, scope: bound.scope, ms: Math.round((runtime.clock.monotonic() - began) * 1000) / 1000, change };
}

/** Calls the function with its own signal and time limit. Returns the checked value. */
async function call(turn: Beginning, name: string, bound: Bound): Promise<Json | undefined> {
  const { clock } = turn.runtime;
  const own = new AbortController();
  const ended = new AbortController();
  const signal = AbortSignal.any([turn.signal, own.signal]);
  // The sleep rejects only when it is cancelled.
  clock.sleep(bound.timeoutMs, ended.signal).then(
    () => own.abort(new ThroughlineError("timeout", `Variable "${name}" took longer than ${bound.timeoutMs} ms.`)),
    () => {},
  );
  try {
    const value = await abortable(Promise.resolve(bound.refresh(contextFor(turn, bound.scope, signal))), signal);
    return value === undefined ? undefined : namedChanges({ set: { [name]: value as Json } }, "a variable")[0]?.value;
  } finally {
    ended.abort();
  }
}

/** Returns the inputs of a refresh function. An agent's value is shared by all customers, so its function receives no customer's data. */
function contextFor({ runtime, session, scoped, claim }: Beginning, scope: VariableScope, signal: AbortSignal): RefreshContext {
  const own = scope === "agent";
  const variables: JsonObject = own ? scoped.agent.values : joinVariables(scoped).values;
  const given = { customer: own ? undefined : customerOf(session), session_id: own ? undefined : claim.session_id, variables };
  return Object.freeze({ ...deepFreeze(given), resources: runtime.resources, now: runtime.clock.now(), signal });
}
