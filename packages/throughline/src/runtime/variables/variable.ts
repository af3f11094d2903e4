/** Declaring a variable: what it is, and where its value comes from. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isVariableName, variableScopes, type VariableScope } from "../../session/session-variables.ts";
import type { Resources } from "../../extension/stage.ts";
import { freshnessOf, type Fresh, type Freshness } from "./fresh.ts";

/** The arguments of a refresh function. An agent's own variables are everybody's, so one of theirs is told of nobody. */
export interface RefreshContext<Scope extends VariableScope = VariableScope> {
  /** Whose session it is; undefined for an anonymous one. */
  readonly customer: Scope extends "agent" ? undefined : { readonly id: string; readonly name?: string } | undefined;
  readonly session_id: Scope extends "agent" ? undefined : SessionId;
  /** The values in force before the refresh, frozen; for a variable of the agent, those of the agent. */
  readonly variables: JsonObject;
  /** The runtime's clients and secrets. */
  readonly resources: Resources;
  /** Time at which the turn began, in milliseconds. */
  readonly now: number;
  /** Aborts when the refresh may take no longer, or the turn is stopped. */
  readonly signal: AbortSignal;
}

/** Options of {@link variable}. */
export interface VariableOptions<Scope extends VariableScope = VariableScope> {
  /** What the value is, told to the model: one line of at most 500 characters. */
  readonly description?: string;
  /** Whose value it is; the customer's by default, or an anonymous session's own. */
  readonly scope?: Scope;
  /**
   * Gets the value at the beginning of a turn, in force in that very turn; undefined takes the value away. What fails, takes too long, or returns no JSON or more than
   * 64 KiB of it leaves the last value, marked stale, and the turn goes on.
   */
  readonly refresh?: (context: RefreshContext<Scope>) => Json | undefined | Promise<Json | undefined>;
  /** How long a value holds; without, it is refreshed in every turn. One that is not there, or is stale, never holds. */
  readonly fresh?: Freshness;
  /** Milliseconds that a refresh may take, from 1; 5,000 by default. */
  readonly timeoutMs?: number;
}

/** A variable as the runtime uses it: checked and frozen. */
export interface Variable {
  readonly type: "variable";
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined for one that the integration sets. */
  readonly bound: Bound | undefined;
}

/** Where the value of a variable comes from. */
export interface Bound {
  readonly scope: VariableScope;
  readonly fresh: Fresh;
  readonly timeoutMs: number;
  /** Gets the value. What it returns is not checked yet. */
  refresh(context: RefreshContext): unknown;
}

const descriptionLimit = 500;
const longestTimeoutMs = 600_000;

/**
 * A variable that the agent knows of: described to the model, bound to a function that keeps it up to date, or both. A value that is set by hand holds until
 * the next refresh. `agent.invalid` says what is wrong.
 * @example variable("orders", { refresh: ({ customer }) => shop.ordersOf(customer?.id), fresh: { maxAgeMs: 60_000 } })
 */
export function variable<const Scope extends VariableScope = "customer">(name: string, options: VariableOptions<Scope>): Variable {
  if (!isVariableName(name)) throw new ThroughlineError("agent.invalid", `${seen(name)} cannot name a variable: a name has 1 to 200 characters.`);
  const wrong = (what: string): ThroughlineError => new ThroughlineError("agent.invalid", `Variable ${seen(name)} ${what}.`);
  const given: unknown = options;
  if (!isPlainObject(given)) throw wrong(`takes an object of options, got ${seen(given)}`);
  const { description, scope, refresh, fresh, timeoutMs, ...rest } = options;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(`has no option ${seen(unknown)}; it has description, scope, refresh, fresh and timeoutMs`);
  if (description !== undefined && !isLine(description))
    throw wrong(`needs a description of one line, at most ${descriptionLimit} characters, got ${seen(description)}`);
  if (refresh === undefined) {
    const idle = Object.entries({ scope, fresh, timeoutMs }).find(([, value]) => value !== undefined)?.[0];
    if (idle !== undefined) throw wrong(`has ${idle}, and no refresh that it is about`);
    if (description === undefined) throw wrong("needs a description or a refresh");
    return Object.freeze({ type: "variable", name, description, bound: undefined });
  }
  return Object.freeze({ type: "variable", name, description, bound: boundOf({ scope, refresh, fresh, timeoutMs }, wrong) });
}

function boundOf<Scope extends VariableScope>(
  { scope, refresh, fresh, timeoutMs }: { readonly [Key in "scope" | "refresh" | "fresh" | "timeoutMs"]: VariableOptions<Scope>[Key] | undefined },
  wrong: (what: string) => ThroughlineError,
): Bound {
  if (typeof refresh !== "function") throw wrong(`needs a function as its refresh, got ${seen(refresh)}`);
  if (scope !== undefined && !variableScopes.includes(scope)) throw wrong(`has the scope "customer", "session" or "agent", not ${seen(scope)}`);
  const limit = timeoutMs ?? 5_000;
  if (!Number.isInteger(limit) || limit < 1 || limit > longestTimeoutMs)
    throw wrong(`needs a timeoutMs from 1 to ${longestTimeoutMs}, got ${seen(timeoutMs)}`);
  // What is given is made for this scope: `contextFor` is the one that gives it.
  return Object.freeze({ scope: scope ?? "customer", fresh: freshnessOf(fresh, wrong), timeoutMs: limit, refresh });
}

const isLine = (text: unknown): boolean =>
  typeof text === "string" && text.trim() !== "" && text.length <= descriptionLimit && !/[\r\n\u2028\u2029]/.test(text);

/** The variables of an agent, checked against each other; `agent.invalid` for what is none, and for two of one name. */
export function checkVariables(agent: string, given: unknown): readonly Variable[] {
  const wrong = (what: string): ThroughlineError => new ThroughlineError("agent.invalid", `Agent "${agent}" ${what}.`);
  if (!Array.isArray(given)) throw wrong(`needs a list of variables, got ${seen(given)}`);
  const variables = given as readonly Variable[];
  const names = new Set<string>();
  for (const current of variables) {
    if (current?.type !== "variable") throw wrong(`has a variable that was not made by variable(...): ${seen(current)}`);
    if (names.has(current.name)) throw wrong(`has two variables named ${seen(current.name)}`);
    names.add(current.name);
  }
  return Object.freeze([...variables]);
}

/** What the agent's variables are, by name: those that say so. */
export const descriptionsOf = (variables: readonly Variable[]): Readonly<Record<string, string>> =>
  Object.fromEntries(variables.flatMap(({ name, description }) => (description === undefined ? [] : [[name, description]])));
