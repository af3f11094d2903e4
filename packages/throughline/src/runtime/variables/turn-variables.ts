/** The variables of a turn. They are refreshed at its start, and stay as they were then, whatever is written meanwhile and however often the turn is resumed. */
import { commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { observed } from "../../extension/observe.ts";
import type { ObservedWork } from "../../extension/port.ts";
import { abortable } from "../../kernel/deadline.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze, type Json, jsonEqual, type JsonObject, present } from "../../kernel/json.ts";
import type { TurnData } from "../../session/event.ts";
import {
  applied,
  joinVariables,
  namedChanges,
  scopedVariables,
  type ScopedVariables,
  variableChanges,
  type Variables,
  type VariableScope,
  variableScopes,
  type VariableVersions,
  versionsOf,
} from "../../session/session-variables.ts";
import { customerOf } from "../../session/session-view.ts";
import { fieldsOf } from "../turn/thrown.ts";
import type { Claim, LoadedSession, OwnerChange, SessionRow, VariablesRow } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import type { RuntimeContext } from "../context.ts";
import { poisonedAt } from "../turn/lease.ts";
import { noVariables, ownerOf, variablesAt, writeOwned } from "./stored-variables.ts";
import { type Bound, descriptionsOf, type RefreshContext } from "./variable.ts";

type Started = Extract<TurnData, { type: "started" }>;

/** The variables of a turn, and their origin. */
interface Snapshot {
  readonly variables: Variables;
  /** The data for the turn's first event. */
  readonly seen: Pick<Started, "stale" | "refreshed"> & { readonly versions: VariableVersions };
}

/** A starting turn, with its loaded session. */
type Loading = Omit<Beginning, "session" | "scoped"> & { readonly loaded: LoadedSession };

/** Returns the variables of a starting turn, after refreshing the due ones. */
export async function takeVariables(turn: Loading): Promise<Snapshot> {
  const { loaded, agent, claim, runtime } = turn;
  const found = scopedVariables(loaded);
  const due = dueOf(agent, found, runtime.clock.now());
  // A turn that will not run needs no refresh, and a refresh that crashes the process must not be retried forever.
  const runs = loaded.session.mode === "auto" && claim.turn.attempts < poisonedAt;
  if (due.length === 0 || !runs) return snapshot(turn, found, []);
  const beginning = { ...turn, session: loaded.session, scoped: found };
  const refreshed = await refreshAll(beginning, due);
  return snapshot(turn, await keep(beginning, refreshed), refreshed);
}

/** Returns the variables of a turn that has already started, as of its start. */
export async function variablesSeen(turn: Loading, started: Started, offset: number): Promise<Snapshot> {
  const { loaded, runtime } = turn;
  const now = scopedVariables(loaded);
  const { variables, session_variables = 0, agent_variables = 0 } = started.versions;
  const versions: Readonly<Record<VariableScope, number>> = { customer: variables, session: session_variables, agent: agent_variables };
  const moved = variables < now.customer.version && (await wasIdentified(turn, offset));
  const then: Partial<Record<VariableScope, VariablesRow>> = {};
  for (const scope of variableScopes) {
    const version = versions[scope];
    // An imported session starts with the first version of its variables.
    if (version >= now[scope].version || (scope === "customer" && moved)) then[scope] = now[scope];
    else if (version === 0) then[scope] = noVariables;
    else then[scope] = await variablesAt(runtime.store, ownerOf(scope, loaded.session), { version });
  }
  const { stale = [] } = started;
  const joined = joinVariables({ ...now, ...then }, descriptionsOf(turn.agent.variables));
  const { refreshed } = started;
  return {
    variables: deepFreeze({ ...joined, stale: stale.filter((name) => Object.hasOwn(joined.values, name)) }),
    seen: { versions: started.versions, stale, ...present({ refreshed }) },
  };
}

/** Whether the session was anonymous when the turn started and has been identified since. Its data then moved to the customer, or was deleted. */
async function wasIdentified({ runtime, claim, loaded }: Loading, began: number): Promise<boolean> {
  if (loaded.session.customer_id === undefined) return false;
  const page = await runtime.store.read({ session_id: claim.session_id, min_offset: began, kinds: ["session"], limit: 1000 });
  return page?.events.some(({ data }) => data["type"] === "identified") === true;
}

function snapshot({ agent }: Loading, scoped: ScopedVariables, refreshed: readonly Refreshed[]): Snapshot {
  const variables = joinVariables(scoped, descriptionsOf(agent.variables));
  const { stale } = variables;
  return {
    variables,
    seen: {
      versions: versionsOf(scoped),
      ...(stale.length === 0 ? {} : { stale }),
      ...(refreshed.length === 0 ? {} : { refreshed: Object.fromEntries(refreshed.map(({ name, ms }) => [name, ms])) }),
    },
  };
}

/**
 * Writes the results of refreshes, and returns the current variables. Another turn may have refreshed the same ones; the last write counts. A turn
 * that another worker has taken writes nothing.
 */
async function keep(turn: Beginning, refreshed: readonly Refreshed[]): Promise<ScopedVariables> {
  const { runtime, claim } = turn;
  const { session_id, epoch } = claim;
  const now: Partial<Record<VariableScope, VariablesRow>> = {};
  for (const scope of variableScopes) {
    const changes = refreshed.flatMap((item) => (item.scope === scope ? [item.change] : []));
    const variables = changes.flatMap((change) => change.variables ?? []);
    const checked = changes.flatMap((change) => change.checked ?? []);
    if (variables.length + checked.length === 0) continue;
    const owner = { owner_id: ownerOf(scope, turn.session), variables, checked };
    const session = { session_id, depends: { epoch } };
    const result = scope === "customer" ? await commitOnce(runtime, { owner, session }) : await writeOwned(runtime, owner, { session });
    if (result.outcome === "committed") now[scope] = await variablesAt(runtime.store, owner.owner_id);
    // The session was identified meanwhile. Values that were refreshed for the anonymous owner are not the customer's.
    else if (result.reason === "owner_missing") now[scope] = (await loadSession(runtime, session_id)).variables;
    else throw refused(result, session_id);
  }
  return { ...turn.scoped, ...now };
}

/** A starting turn, and the values that it has loaded. */
interface Beginning {
  readonly runtime: RuntimeContext;
  readonly claim: Claim;
  readonly agent: Agent;
  readonly session: SessionRow;
  readonly scoped: ScopedVariables;
  /** Aborts when the turn is stopped or its lease is lost. */
  readonly signal: AbortSignal;
}

/** The result of a refresh. */
interface Refreshed {
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
const dueOf = (agent: Agent, scoped: ScopedVariables, now: number): readonly BoundVariable[] =>
  agent.variables.flatMap(({ name, bound }) => (bound === undefined || holds(name, bound, scoped, now) ? [] : [{ name, bound }]));

function holds(name: string, { scope, fresh }: Bound, scoped: ScopedVariables, now: number): boolean {
  const { values, checked, stale } = scoped[scope];
  return Object.hasOwn(values, name) && !stale.includes(name) && fresh(checked[name] ?? 0, now);
}

/** Refreshes all due variables. Throws the signal's reason if the turn is stopped meanwhile. */
async function refreshAll(turn: Beginning, due: readonly BoundVariable[]): Promise<readonly Refreshed[]> {
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
    runtime.logger.warn("variable not refreshed", { ...fieldsOf({ claim }), variable: name, code: ThroughlineError.from(error).code }, error);
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
    const observing = {
      context: runtime,
      extensions: turn.agent.extensions,
      span: [`variable ${name}`, { turn_id, variable: name }],
      work: (): ObservedWork => ({ kind: "variable", context: runtime, claim, name }),
    } as const;
    const value = await observed(observing, () => call(turn, name, bound));
    const same = value === undefined ? !has : has && jsonEqual(value, values[name] as Json);
    change = same ? { checked: has ? [{ name, stale: false }] : [] } : { variables: [{ name, value }] };
  } catch (error) {
    turn.signal.throwIfAborted();
    // The error may quote a customer's text, or a request with its API key.
    const code = ThroughlineError.is(error) ? error.code : "variable.refresh_failed";
    runtime.logger.warn("variable not refreshed", { ...fieldsOf(turn), variable: name, code }, error);
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
