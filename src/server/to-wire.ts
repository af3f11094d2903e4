/** What the service shows of its values: of each one the members that are declared for the audience, and no other. Every event leaves through here. */
import { type Audience, type Descriptor, isShown, optionOf, shownTo } from "../kernel/descriptor.ts";
import type { PatchOperation } from "../kernel/json-patch.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ExportedMemory, ListedEntry } from "../memory/control/owner-memory.ts";
import { entries, type Fact, type Kept, type Rule, ruleEntry } from "../memory/entry.ts";
import type { WireEvent } from "../protocol/wire-event.ts";
import type { WireSession } from "../protocol/wire-session.ts";
import type { SessionInfo } from "../runtime/reading/session-info.ts";
import { type Event, eventDeclarations, outcome as declaredOutcome, type Outcome } from "../session/event.ts";
import type { StateDefinition } from "../state/define.ts";
import { fieldsOf, publicOperations } from "../state/views.ts";
import type { EventKind } from "../store/port.ts";
import { allows, audienceOf, customerOf, type Principal } from "./principal.ts";
import type { Service } from "./service.ts";

/** A value whose members may be written, all the way down. */
type Writable<Value> = Value extends string | number | boolean | null | undefined
  ? Value
  : { -readonly [Member in keyof Value]: Writable<Value[Member]> };

/** A copy of plain data that its reader may change. */
// The compiler cannot know that a copy is frozen nowhere.
export const writable = <Value>(value: Value): Writable<Value> => structuredClone(value) as Writable<Value>;

/** Plain data as JSON: members that are undefined are left out. */
export const jsonOf = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

/** Whether the principal is shown events of a kind. */
export function isShownKind(principal: Principal, kind: EventKind): boolean {
  const { shown, scope }: { readonly shown?: "key" | "customer"; readonly scope?: "safety:read" } = eventDeclarations[kind];
  return isShown({ audience: shown }, audienceOf(principal)) && (scope === undefined || allows(principal, scope));
}

/**
 * An event as the caller is shown it; undefined if they are not. Its declaration says what a key and a customer see; state that is not public, and metadata,
 * need scopes of their own. Of messages and custom events, a customer sees what was said to them or came from them.
 */
export function toWireEvent({ agents }: Pick<Service, "agents">, principal: Principal, agent: string, event: Event): WireEvent | undefined {
  if (!isShownKind(principal, event.kind)) return undefined;
  const isCustomer = audienceOf(principal) === "customer";
  if (isCustomer && !reachesCustomer(event)) return undefined;
  // Nobody knows which fields of an agent that is not here are public.
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
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(origin === undefined || isCustomer ? {} : { origin }),
    created_at,
    data: isCustomer && event.kind === "message" ? withOwnId(event, data) : data,
    ...(metadata === undefined || !allows(principal, "metadata:read") ? {} : { metadata }),
  };
  // Kind and data are those of one event.
  return wire as unknown as WireEvent;
}

/** Work on the way to an answer is not said to anybody, nor is what a system puts in for the model. */
function reachesCustomer(event: Event): boolean {
  if (event.kind === "custom") return event.source === "customer_ui" || event.source === "customer";
  if (event.kind !== "message") return true;
  const { role, origin } = event.data;
  return role !== "system" && event.source !== "system" && (origin?.is_trace !== true || origin.stands_in === true);
}

/** Only the customer's own id is the customer's to see. */
function withOwnId({ source, data: { participant } }: Extract<Event, { kind: "message" }>, shown: JsonObject): JsonObject {
  if (source !== "customer" || participant?.id === undefined) return shown;
  return { ...shown, participant: { id: participant.id, ...(shown["participant"] as JsonObject) } };
}

/** The data as its declaration shows it; of state, what is public, unless the principal may read all of it. */
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
  // A change of nothing that is public is no change to whoever sees what is public.
  return kind === "state" && Array.isArray(visible["patch"]) && visible["patch"].length === 0 ? undefined : visible;
}

/** How a turn ended, as it is told. */
export const toWireOutcome = (outcome: Outcome): Outcome => shownTo(declaredOutcome, outcome, "key") as unknown as Outcome;

const publicPatch = (definition: StateDefinition | undefined, patch: readonly PatchOperation[]): readonly PatchOperation[] =>
  definition === undefined ? [] : publicOperations(definition, patch);

function publicState(definition: StateDefinition | undefined, state: JsonObject): JsonObject {
  const shown = definition === undefined ? [] : fieldsOf(definition, "public");
  return Object.fromEntries(shown.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]])));
}

/** An entry as it is shown. */
// Its schema on the wire is made from the same declaration.
const shownEntry = <Entry extends object>(declared: Descriptor<Entry>, entry: Entry, to: Audience): Writable<Entry> =>
  shownTo(declared, entry, to) as Writable<Entry>;

const shownKept =
  <Entry extends object>(declared: Descriptor<Entry>, to: Audience) =>
  ({ entry_id, version, entry }: Kept<Entry>) => ({ entry_id, version, entry: shownEntry(declared, entry, to) });

/** A rule of how to talk with the person. */
export const toWireRule = (rule: Rule, to: Audience): Writable<Rule> => shownEntry(ruleEntry, rule, to);

/** A fact with its id. */
export const toWireFact = (fact: Kept<Fact>, to: Audience) => shownKept(entries.fact, to)(fact);

const listed: Readonly<Record<ListedEntry["kind"], Descriptor>> = { ...entries, rule: ruleEntry };

/** A thing that is remembered, as it is listed. */
export const toWireEntry = (entry: ListedEntry, to: Audience): Writable<ListedEntry> =>
  writable({ ...entry, entry: shownEntry(listed[entry.kind] as Descriptor<ListedEntry["entry"]>, entry.entry, to) });

/** All that is remembered. */
export const toWireExport = ({ facts, turns, arcs, profile, held, masks, ...rest }: ExportedMemory, to: Audience) => ({
  ...rest,
  facts: facts.map(shownKept(entries.fact, to)),
  turns: turns.map(shownKept(entries.turn, to)),
  arcs: arcs.map(shownKept(entries.arc, to)),
  profile: shownEntry(entries.profile, profile, to),
  held: held.map(({ entry_id, data }) => ({ entry_id, data: shownTo(entries.buffer, data as object, to) ?? {} })),
  masks: writable(masks),
});

/** A session on the wire: the public view for a customer, metadata only for whoever may read it. */
export function toWireSession(info: SessionInfo, principal: Principal): WireSession {
  const { id, agent, mode, title, head, episode, incognito, created_at, updated_at, version } = info;
  const shown = { id, agent, mode, title, ...(incognito === undefined ? {} : { incognito }), episode, head, created_at, updated_at, version };
  if (customerOf(principal) !== undefined) return shown;
  const { definition, customer_id, handover, labels, metadata, consumers, origin } = info;
  return {
    ...shown,
    definition,
    ...(customer_id === undefined ? {} : { customer_id }),
    ...(handover === undefined ? {} : { handover }),
    labels: [...labels],
    ...(allows(principal, "metadata:read") ? { metadata: metadata.values } : {}),
    consumers,
    ...(origin === undefined ? {} : { origin }),
  };
}
