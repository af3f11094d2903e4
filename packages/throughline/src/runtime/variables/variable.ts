/** Declares a variable: its description, the source of its value, and how long a value is valid. */
import { invalidAgent } from "../../extension/failure.ts";
import type { Resources } from "../../extension/stage.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isPlainObject, type Json, type JsonObject } from "../../kernel/json.ts";
import { isVariableName, type VariableScope, variableScopes } from "../../session/session-variables.ts";
import { instantsOf } from "./instants.ts";

/** The inputs of a refresh function. All customers share an agent's own variables, so a function of agent scope receives no customer. */
export interface RefreshContext<Scope extends VariableScope = VariableScope> {
  /** The session's customer. Undefined for an anonymous session. */
  readonly customer: Scope extends "agent" ? undefined : { readonly id: string; readonly name?: string } | undefined;
  readonly session_id: Scope extends "agent" ? undefined : SessionId;
  /** The values in force before the refresh, frozen. For an agent's variable, the values of the agent. */
  readonly variables: JsonObject;
  /** The runtime's clients and secrets. */
  readonly resources: Resources;
  /** Time at which the turn started, in milliseconds. */
  readonly now: number;
  /** Aborts when the refresh's time is over, or the turn is stopped. */
  readonly signal: AbortSignal;
}

/** Options of {@link variable}. */
export interface VariableOptions<Scope extends VariableScope = VariableScope> {
  /** Description for the model: one line of at most 500 characters. */
  readonly description?: string;
  /** Owner of the value. Defaults to the customer, or the anonymous owner. */
  readonly scope?: Scope;
  /**
   * Returns the value at the start of a turn, effective in the same turn. `undefined` removes the value. If it fails, times out, or returns invalid
   * JSON or more than 64 KiB, the last value stays and is marked stale. The turn continues.
   */
  readonly refresh?: (context: RefreshContext<Scope>) => Json | undefined | Promise<Json | undefined>;
  /** How long a value is valid. Without it, the value is refreshed in every turn. A missing or stale value is never valid. */
  readonly fresh?: Freshness;
  /** Milliseconds that a refresh may take, at least 1. Defaults to 5,000. */
  readonly timeoutMs?: number;
}

/** A variable as the runtime uses it: checked and frozen. */
export interface Variable {
  readonly type: "variable";
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined for a variable that the integration sets. */
  readonly bound: Bound | undefined;
}

/** The source of a variable's value. */
export interface Bound {
  readonly scope: VariableScope;
  readonly fresh: Fresh;
  readonly timeoutMs: number;
  /** Returns the value, still unchecked. */
  refresh(context: RefreshContext): unknown;
}

const descriptionLimit = 500;
const longestTimeoutMs = 600_000;

/**
 * Declares a variable of the agent: described to the model, refreshed by a function, or both. A manually set value is valid until the next refresh.
 * Throws `agent.invalid`.
 * @example variable("orders", { refresh: ({ customer }) => shop.ordersOf(customer?.id), fresh: { maxAgeMs: 60_000 } })
 */
export function variable<const Scope extends VariableScope = "customer">(name: string, options: VariableOptions<Scope>): Variable {
  if (!isVariableName(name)) throw invalidAgent(`${seen(name)} cannot name a variable: a name has 1 to 200 characters.`);
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
  // `contextFor` builds the function's input for this scope.
  return Object.freeze({ scope: scope ?? "customer", fresh: freshnessOf(fresh, wrong), timeoutMs: limit, refresh });
}

const isLine = (text: unknown): boolean =>
  typeof text === "string" && text.trim() !== "" && text.length <= descriptionLimit && !/[\r\n\u2028\u2029]/.test(text);

/** Checks the variables of an agent against each other. Throws `agent.invalid` for invalid ones and for two with the same name. */
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

/** Returns the descriptions of the agent's variables by name, without those that have none. */
export const descriptionsOf = (variables: readonly Variable[]): Readonly<Record<string, string>> =>
  Object.fromEntries(variables.flatMap(({ name, description }) => (description === undefined ? [] : [[name, description]])));

/**
 * How long a value is valid: a number of milliseconds, or until the next instant of a cron expression (five fields: minute, hour, day, month,
 * weekday). The time zone is UTC unless one is named.
 */
export type Freshness =
  | { readonly maxAgeMs: number; readonly cron?: never; readonly timezone?: never }
  | { readonly cron: string; readonly timezone?: string; readonly maxAgeMs?: never };

/** Whether a value of one time is still fresh at a later one. */
export type Fresh = (checked: number, now: number) => boolean;

/** Converts the rule to a function. Throws `wrong` for an invalid rule. */
function freshnessOf(given: unknown, wrong: (what: string) => ThroughlineError): Fresh {
  if (given === undefined) return () => false;
  if (!isPlainObject(given)) throw wrong(`needs { maxAgeMs } or { cron } as fresh, got ${seen(given)}`);
  const { maxAgeMs, cron, timezone, ...rest } = given;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) throw wrong(`has fresh with ${seen(unknown)}; it has maxAgeMs, or cron and timezone`);
  if ((maxAgeMs === undefined) === (cron === undefined)) throw wrong(`needs either maxAgeMs or cron as fresh, got ${seen(given)}`);
  if (cron !== undefined) return untilInstant(cron, timezone, wrong);
  if (timezone !== undefined) throw wrong("has a timezone, and no cron that it is about");
  if (!Number.isSafeInteger(maxAgeMs) || Number(maxAgeMs) < 0) throw wrong(`needs a maxAgeMs that is a whole number from 0, got ${seen(maxAgeMs)}`);
  return (checked, now) => now - checked < Number(maxAgeMs);
}

/** A value is valid until the expression has an instant after the value's time and not after now. */
function untilInstant(cron: unknown, timezone: unknown, wrong: (what: string) => ThroughlineError): Fresh {
  const next = instantsOf(cron, timezone, wrong);
  return (checked, now) => (next(checked) ?? Number.POSITIVE_INFINITY) > now;
}
