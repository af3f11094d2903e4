/**
 * Converts the service's values to the wire. Each value shows only the members that its declaration shows to the audience. Every event leaves the
 * service through this module.
 */
import type { Event, ListedSession, Outcome, SessionInfo, StateDefinition, TurnResult } from "throughline";
import { entries, fieldsOf, outcome as declaredOutcome, present, publicOperations, reachesCustomer, ruleEntry } from "throughline/internal";
import {
  type Audience,
  type Descriptor,
  errorCatalogue,
  isShown,
  type JsonObject,
  type Logger,
  optionOf,
  type PatchOperation,
  shownTo,
  ThroughlineError,
} from "throughline/kernel";
import type { ExportedMemory, Fact, Kept, ListedEntry, Rule } from "throughline/memory";
import { eventDeclarations } from "throughline/session";
import type { EventKind } from "throughline/store";
import type { WireEvent } from "../protocol/wire-event.ts";
import { type Problem, problemMedia, statusOf } from "../protocol/wire-problem.ts";
import type { WireFoundSession, WireSession } from "../protocol/wire-session.ts";
import type { WireTurnResult } from "../protocol/wire-turn-stream.ts";
import { allows, audienceOf, customerOf, type Principal } from "./principal.ts";
import type { Service } from "./service.ts";

/** A deeply mutable version of a type. */
type Writable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { -readonly [Member in keyof Value]: Writable<Value[Member]> };

/** Copies plain data so that the receiver may change it. */
// The compiler cannot know that a copy is not frozen.
export const writable = <Value>(value: Value): Writable<Value> => structuredClone(value) as Writable<Value>;

/** Converts plain data to JSON. Undefined members are omitted. */
export const jsonOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** Whether the principal may see events of a kind. */
export function isShownKind(principal: Principal, kind: EventKind): boolean {
  const { shown, scope }: { readonly shown?: "key" | "customer"; readonly scope?: "safety:read" } = eventDeclarations[kind];
  return isShown({ audience: shown }, audienceOf(principal)) && (scope === undefined || allows(principal, scope));
}

/**
 * Converts an event for the caller; undefined if the caller may not see it. The event's declaration decides which members keys and customers see.
 * Non-public state and metadata need separate scopes. A customer sees only the messages and custom events that were addressed to or sent by the
 * customer.
 */
export function toWireEvent({ agents }: Pick<Service, "agents">, principal: Principal, agent: string, event: Event): WireEvent | undefined {
  if (!isShownKind(principal, event.kind)) return undefined;
  const isCustomer = audienceOf(principal) === "customer";
  if (isCustomer && !isForCustomer(event)) return undefined;
  // Without the agent's definition, no field is known to be public.
  const data = shownData(agents.get(agent)?.state, principal, event);
  if (data === undefined) return undefined;
  const { session_id, offset, id, kind, source, trace_id, turn_id, origin, created_at, metadata } = event;
  const wire = {
    session_id,
    offset,
    id,
    kind,
    source,
    trace_id,
    ...present({ turn_id }),
    ...(origin === undefined || isCustomer ? {} : { origin }),
    created_at,
    data: isCustomer && event.kind === "message" ? withOwnId(event, data) : data,
    ...(metadata === undefined || !allows(principal, "metadata:read") ? {} : { metadata }),
  };
  // Kind and data belong to the same event.
  return wire as unknown as WireEvent;
}

/** Whether an event is part of the conversation with the customer. */
function isForCustomer(event: Event): boolean {
  if (event.kind === "custom") return event.source === "customer_ui" || event.source === "customer";
  return event.kind !== "message" || reachesCustomer(event);
}

/** Adds the participant id to the customer's own messages. Customers see no other ids. */
function withOwnId({ source, data: { participant } }: Extract<Event, { kind: "message" }>, shown: JsonObject): JsonObject {
  if (source !== "customer" || participant?.id === undefined) return shown;
  return { ...shown, participant: { id: participant.id, ...(shown["participant"] as JsonObject) } };
}

/** The event data that its declaration shows. State is reduced to public fields unless the principal has `state:read`. */
function shownData(definition: StateDefinition | undefined, principal: Principal, { kind, data }: Event): JsonObject | undefined {
  const declared = eventDeclarations[kind].data;
  const shown = shownTo(declared, data, audienceOf(principal));
  if (shown === undefined || (audienceOf(principal) === "key" && allows(principal, "state:read"))) return shown;
  const node = declared.node.type === "union" ? optionOf(declared.node, shown) : declared.node;
  const members = node?.type === "object" ? node.members : {};
  const visible = Object.fromEntries(
    Object.entries(shown).map(([name, value]) => {
      if (members[name]?.state === "patch") return [name, publicPatch(definition, value as unknown as readonly PatchOperation[])] as const;
      return [name, members[name]?.state === "document" ? publicState(definition, value as JsonObject) : value] as const;
    }),
  );
  // A state change without public operations is hidden from readers of public state.
  return kind === "state" && Array.isArray(visible["patch"]) && visible["patch"].length === 0 ? undefined : visible;
}

/** Converts a turn outcome to the wire. */
export const toWireOutcome = (outcome: Outcome): Outcome => shownTo(declaredOutcome, outcome, "key") as unknown as Outcome;

/** Converts the result of a turn for the caller. A customer is shown what the events of the turn show, so no stop, pause or cause of a failure. */
export function toWireResult({ agents }: Pick<Service, "agents">, principal: Principal, agent: string, result: TurnResult): WireTurnResult {
  const { offset, turn_id, status, reply, pending, ended_by, reason, error, diagnostics } = result;
  const output = allows(principal, "state:read") ? result.output : publicState(agents.get(agent)?.state, result.output);
  const shown = { offset, ...present({ turn_id, reply }), output };
  if (audienceOf(principal) === "customer") return { ...shown, status: status === "stopped" || status === "paused" ? "completed" : status };
  return {
    ...shown,
    status,
    ...present({ pending: pending && [...pending], ended_by: ended_by && { ...ended_by }, reason }),
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message, hint: error.hint } }),
    diagnostics,
  };
}

const publicPatch = (definition: StateDefinition | undefined, patch: readonly PatchOperation[]): readonly PatchOperation[] =>
  definition === undefined ? [] : publicOperations(definition, patch);

function publicState(definition: StateDefinition | undefined, state: JsonObject): JsonObject {
  const shown = definition === undefined ? [] : fieldsOf(definition, "public");
  return Object.fromEntries(shown.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]])));
}

/** Converts a memory entry to the wire. */
// The wire schema of an entry is derived from the same declaration.
const shownEntry = <Entry extends object>(declared: Descriptor<Entry>, entry: Entry, to: Audience): Writable<Entry> =>
  shownTo(declared, entry, to) as Writable<Entry>;

const shownKept =
  <Entry extends object>(declared: Descriptor<Entry>, to: Audience) =>
  ({ entry_id, version, entry }: Kept<Entry>) => ({ entry_id, version, entry: shownEntry(declared, entry, to) });

/** Converts a conversation rule. */
export const toWireRule = (rule: Rule, to: Audience): Writable<Rule> => shownEntry(ruleEntry, rule, to);

/** Converts a fact with its id. */
export const toWireFact = (fact: Kept<Fact>, to: Audience) => shownKept(entries.fact, to)(fact);

const listed: Readonly<Record<ListedEntry["kind"], Descriptor>> = { ...entries, rule: ruleEntry };

/** Converts an entry of a memory list. */
export const toWireEntry = (entry: ListedEntry, to: Audience): Writable<ListedEntry> =>
  writable({ ...entry, entry: shownEntry(listed[entry.kind] as Descriptor<ListedEntry["entry"]>, entry.entry, to) });

/** Converts a memory export. */
export const toWireExport = ({ facts, turns, arcs, profile, held, masks, ...rest }: ExportedMemory, to: Audience) => ({
  ...rest,
  facts: facts.map(shownKept(entries.fact, to)),
  turns: turns.map(shownKept(entries.turn, to)),
  arcs: arcs.map(shownKept(entries.arc, to)),
  profile: shownEntry(entries.profile, profile, to),
  held: held.map(({ entry_id, data }) => ({ entry_id, data: shownTo(entries.buffer, data as object, to) ?? {} })),
  masks: writable(masks),
});

/** Converts a session. Customers receive the public view; metadata needs `metadata:read`. */
export function toWireSession(info: SessionInfo, principal: Principal): WireSession {
  const { id, agent, mode, title, head, episode, incognito, created_at, updated_at, version } = info;
  const shown = { id, agent, mode, title, ...present({ incognito }), episode, head, created_at, updated_at, version };
  if (customerOf(principal) !== undefined) return shown;
  const { definition, customer_id, handover, labels, metadata, consumers, origin, turns } = info;
  return {
    ...shown,
    turns,
    definition,
    ...present({ customer_id, handover }),
    labels: [...labels],
    ...(allows(principal, "metadata:read") ? { metadata: metadata.values } : {}),
    consumers,
    ...present({ origin }),
  };
}

/** Converts a session of a list. The last message is one that customers may see. They do not see what a turn waits for. */
export function toWireListed({ match, waits_for, last_message, ...info }: ListedSession, principal: Principal): WireFoundSession {
  const waits = customerOf(principal) === undefined && waits_for !== undefined ? { waits_for: [...waits_for] } : {};
  return { ...toWireSession(info, principal), ...present({ match, last_message }), ...waits };
}

/** Seconds for `Retry-After` on a temporary failure whose error names no delay. */
const retryAfter = 1;

/**
 * Converts an error to a problem response. Internal failures expose only their code and its catalogue text. Their messages go to the service log,
 * because they may name hosts, files and statements.
 */
export function problemOf(error: unknown, { request_id, logger }: { readonly request_id: string; readonly logger: Logger }): Response {
  const known = ThroughlineError.from(error);
  const { code, details } = known;
  const { kind, meaning, hint, retryable } = errorCatalogue[code];
  const status = statusOf(code);
  const inside = kind === "internal" || kind === "corrupt" || kind === "unavailable";
  if (status >= 500) logger.error("request failed", { request_id, code, cause: causeOf(known) });
  const { errors, retry_after: given, reply, saved, ...rest } = details;
  const retry_after = typeof given === "number" ? given : retryable || status === 503 ? retryAfter : undefined;
  const body: Problem = {
    type: `/errors/${code}`,
    title: meaning,
    status,
    detail: inside ? meaning : known.message,
    code,
    hint: inside ? hint : known.hint,
    request_id,
    ...(Array.isArray(errors) ? { errors: errors as NonNullable<Problem["errors"]> } : {}),
    ...(inside || Object.keys(rest).length === 0 ? {} : { details: rest }),
    ...present({ retry_after }),
    ...((saved === false || saved === "unknown") && typeof reply === "string" ? { saved, reply } : {}),
  };
  const headers = new Headers({ "content-type": problemMedia, "cache-control": "no-store" });
  if (retry_after !== undefined) headers.set("retry-after", String(Math.max(1, Math.ceil(retry_after))));
  if (status === 401) headers.set("www-authenticate", `Bearer realm="throughline"`);
  if (typeof rest["version"] === "number" && status === 412) headers.set("etag", `"${rest["version"]}"`);
  return new Response(JSON.stringify(body), { status, headers });
}

/** The cause of a failure as error codes and class names, never its message. */
function causeOf(error: ThroughlineError): string {
  const { cause } = error;
  if (ThroughlineError.is(cause)) return `${cause.code}: ${cause.name}`;
  const code = typeof cause === "object" && cause !== null && "code" in cause ? ` ${String(cause.code)}` : "";
  return cause instanceof Error ? `${cause.name}${code}` : "none";
}
