/** Exports: a session, or a customer with all sessions, as lines of JSON. A redacted export masks texts and keeps their shape. */
import { refused } from "../../extension/commit.ts";
import { readMasks } from "../../extension/forgotten.ts";
import { entriesOf, findCustomer, getCustomer, itemsOf } from "../../extension/lists.ts";
import { type Clock, systemClock } from "../../kernel/clock.ts";
import { type ObjectShape, optionOf, type Shape } from "../../kernel/descriptor.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { type OwnerId, type SessionId, turnNumberOf } from "../../kernel/id.ts";
import { escapeSegment, type Json, type JsonObject, parsePointer, present } from "../../kernel/json.ts";
import { eventDeclarations } from "../../session/event.ts";
import { foldState } from "../../session/fold.ts";
import { maskWrites } from "../../session/masks.ts";
import type { CustomerRow, EventKind, Handover, SessionRow, Store, StoredEvent, TurnRow } from "../../store/port.ts";
import {
  bundleFormat,
  bundleHash,
  type BundleLine,
  type EndLine,
  type EntryLine,
  type EventLine,
  type OwnerLine,
  type SessionLine,
  type TurnLine,
} from "./bundle.ts";

/** Options of an export. */
export interface ExportOptions {
  /**
   * Whether to mask all texts and keep only their shape. Defaults to false. Session ids stay, the customer's id is masked. A redacted bundle cannot
   * be imported.
   */
  readonly redacted?: boolean;
  readonly clock?: Clock;
}

/** Yields a session with its owner, as lines. */
export async function* sessionBundle(store: Store, id: SessionId, options: ExportOptions): AsyncGenerator<string, void, undefined> {
  const row = await store.open({ session_id: id });
  if (row === undefined) throw refused({ reason: "session_missing" }, id);
  yield* written(ownerLines(store, row, options), options);
}

/** Yields a customer with all sessions, as lines. */
export async function* customerBundle(store: Store, id: string, options: ExportOptions): AsyncGenerator<string, void, undefined> {
  yield* written(customerLines(store, await getCustomer(store, id), options), options);
}

/** Yields the lines as text, between the first and the last line of a bundle. */
async function* written(
  lines: AsyncIterable<BundleLine>,
  { redacted = false, clock = systemClock }: ExportOptions,
): AsyncGenerator<string, void, undefined> {
  const hash = bundleHash();
  const counts = { lines: 0, sessions: 0, events: 0 };
  const text = (line: BundleLine): string => {
    const json = JSON.stringify(line);
    hash.update(`${json}\n`);
    counts.lines += 1;
    if (line.type === "session") counts.sessions += 1;
    if (line.type === "event") counts.events += 1;
    return json;
  };
  yield text({ type: "bundle", format: bundleFormat, exported_at: clock.now(), redacted });
  for await (const line of lines) yield text(line);
  yield JSON.stringify({ type: "end", ...counts, sha256: hash.digest("hex") } satisfies EndLine);
}

async function* ownerLines(store: Store, row: SessionRow, options: ExportOptions): AsyncGenerator<BundleLine> {
  const { customer_id, owner_id } = row;
  const customer = customer_id === undefined ? undefined : await findCustomer(store, customer_id);
  const loaded = await store.load({ session_id: row.session_id, messages: 0 });
  if (loaded === undefined) throw refused({ reason: "session_missing" }, row.session_id);
  yield ownerLine(customer, loaded.variables.values, options);
  yield* entryLines(store, owner_id, options);
  yield* sharedMasks(store, { row, owner_id }, options);
  yield* sessionLines(store, row.session_id, options);
}

async function* customerLines(store: Store, customer: CustomerRow, options: ExportOptions): AsyncGenerator<BundleLine> {
  yield ownerLine(customer, customer.variables.values, options);
  yield* entryLines(store, customer.owner_id, options);
  const { owner_id } = customer;
  for await (const row of itemsOf(store, { of: "sessions", owner_id })) yield* sharedMasks(store, { row, owner_id }, options);
  for await (const { session_id } of itemsOf(store, { of: "sessions", owner_id })) yield* sessionLines(store, session_id, options);
}

function ownerLine(customer: CustomerRow | undefined, variables: JsonObject, { redacted = false }: ExportOptions): OwnerLine {
  const text = (value: string | null): string | null => (value === null || !redacted ? value : maskText(value));
  const object = (value: JsonObject): JsonObject => (redacted ? maskObject(value) : value);
  return {
    type: "owner",
    customer_id: text(customer?.customer_id ?? null),
    name: text(customer?.name ?? null),
    metadata: object(customer?.metadata ?? {}),
    variables: object(variables),
    created_at: customer?.created_at ?? null,
  };
}

/** A bar is hashed with its owner's key. The export records that owner, so that forgotten content stays forgotten after an import. */
const carriedData = (owner_id: OwnerId, kind: string, data: JsonObject | null): JsonObject | null =>
  kind === "bar" && data !== null ? { owner_id, ...data } : data;

async function* entryLines(store: Store, owner_id: OwnerId, { redacted = false }: ExportOptions): AsyncGenerator<EntryLine> {
  for await (const { entry_id, kind, data, created_at } of entriesOf(store, { owner_id }))
    yield {
      type: "entry",
      entry_id: redacted ? maskText(entry_id) : entry_id,
      kind,
      data: redacted && data !== null ? maskObject(data) : carriedData(owner_id, kind, data),
      created_at,
    };
}

/** Returns the masks of a fork, including those of the sessions that wrote its shared messages. In a bundle these messages are its own. */
async function* sharedMasks(
  store: Store,
  { row, owner_id }: { readonly row: SessionRow; readonly owner_id: OwnerId },
  { redacted = false }: ExportOptions,
): AsyncGenerator<EntryLine> {
  if (redacted || row.origin === undefined) return;
  const masks = await readMasks(store, owner_id);
  const shared: number[] = [];
  let upto = row.head;
  let one: SessionRow | undefined = row;
  while (one?.origin !== undefined) {
    const parent: SessionId | null = one.origin.session_id;
    upto = Math.min(upto, one.origin.at);
    for (const mask of masks) if (mask.session_id === parent) shared.push(...mask.offsets.filter((offset) => offset <= upto));
    one = parent === null ? undefined : await store.open({ session_id: parent });
  }
  const now = Math.max(0, ...masks.map(({ recorded_at }) => recorded_at));
  const kept = masks.map((entry) => ({ entry }));
  for (const { entry_id, kind, data } of maskWrites(kept, new Map([[row.session_id, shared]]), now))
    yield { type: "entry", entry_id, kind, data, created_at: now };
}

const turnLine = ({ number, cause, status, trace_id, created_at, started_offset, ended_offset }: TurnRow): TurnLine => ({
  number,
  cause,
  status,
  trace_id,
  created_at,
  ...present({ started_offset, ended_offset }),
});

/** Masks the operator and the reason of a handover. */
const maskHandover = ({ operator, reason, ...handover }: Handover): Handover => ({
  ...handover,
  ...(operator === undefined ? {} : { operator: maskText(operator) }),
  ...(reason === undefined ? {} : { reason: maskText(reason) }),
});

async function* sessionLines(store: Store, session_id: SessionId, options: ExportOptions): AsyncGenerator<BundleLine> {
  const { redacted = false } = options;
  const loaded = await store.load({ session_id, messages: 0 });
  // The session was erased after it was listed.
  if (loaded === undefined) return;
  const { session, waiting } = loaded;
  const { first_offset, head } = session;
  const open = new Map(loaded.turns.map((turn) => [turn.number, turn]));
  // The log may have grown since it was loaded. A turn is exported as it was then.
  const turns = (await Array.fromAsync(itemsOf(store, { of: "turns", session_id })))
    .filter(({ number }) => number <= session.last_turn)
    .map((turn) => open.get(turn.number) ?? turn);
  // The state at the first offset is the base of the fold, plus at most one event.
  const first = first_offset === 0 ? undefined : await store.load({ session_id, messages: 0, at: first_offset });
  const base = first && foldState({ ...first, patches: [] }).document;
  const object = (value: JsonObject): JsonObject => (redacted ? maskObject(value) : value);
  const { agent, agent_version, mode, handover, title, metadata, labels, consumers, episode, created_at } = session;
  const own = loaded.session_variables.values;
  yield {
    type: "session",
    session_id,
    agent,
    agent_version,
    mode,
    ...(handover === undefined ? {} : { handover: redacted ? maskHandover(handover) : handover }),
    title: title === null || !redacted ? title : maskText(title),
    metadata: object(metadata),
    labels: redacted ? labels.map(maskText) : labels,
    consumers: redacted ? Object.fromEntries(Object.values(consumers).map((offset, index) => [`member_${index + 1}`, offset])) : consumers,
    ...(Object.keys(own).length === 0 ? {} : { variables: object(own) }),
    episode,
    created_at,
    first_offset,
    head,
    ...(first === undefined || base === undefined ? {} : { base: redacted ? maskState(base) : base, base_offset: first.base.offset }),
    waiting,
    turns: turns.map(turnLine),
  } satisfies SessionLine;
  for (let from = first_offset; from <= head;) {
    const window = { session_id, min_offset: from, max_offset: Math.min(head, from + 499), limit: 500 };
    const [all, visible] = await Promise.all([store.read({ ...window, withdrawn: true }), store.read(window)]);
    if (all === undefined || visible === undefined || all.events.length === 0)
      throw new ThroughlineError("session.conflict", `Session ${session_id} was removed or cut while it was exported.`);
    const shown = new Set(visible.events.map(({ offset }) => offset));
    for (const event of all.events) yield eventLine(event, !shown.has(event.offset), redacted);
    from = all.next_offset;
  }
}

function eventLine(event: StoredEvent, withdrawn: boolean, redacted: boolean): EventLine {
  const { offset, kind, source, trace_id, turn_id, created_at, version, data, metadata } = event;
  return {
    type: "event",
    offset,
    kind,
    source,
    trace_id,
    ...(turn_id === undefined ? {} : { turn: turnNumberOf(turn_id) }),
    created_at,
    version,
    data: redacted ? redactEvent(kind, data) : data,
    ...(metadata === undefined ? {} : { metadata: redacted ? maskObject(metadata) : metadata }),
    ...(withdrawn ? { withdrawn: true } : {}),
  };
}

const isObject = (value: Json): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a text of the same length. */
const maskText = (text: string): string => "x".repeat(text.length);

/** Returns a value of the same shape. Texts keep their length, numbers become 0, and member names become their position. */
function maskValue(value: Json): Json {
  if (typeof value === "string") return maskText(value);
  if (typeof value === "number") return 0;
  if (typeof value === "boolean") return false;
  if (value === null) return null;
  if (Array.isArray(value)) return (value as readonly Json[]).map(maskValue);
  return maskObject(value as JsonObject);
}

const maskObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.values(value).map((member, index) => [`member_${index + 1}`, maskValue(member)]));

/** Masks a state. Its fields keep their names, which come from the agent. */
const maskState = (state: JsonObject): JsonObject => Object.fromEntries(Object.entries(state).map(([field, value]) => [field, maskValue(value)]));

/** Masks a path into the state. The field and list indexes stay; other names are masked. */
const maskPath = (path: string): string =>
  parsePointer(path)
    .map((segment, index) => `/${index === 0 || /^(?:\d+|-)$/.test(segment) ? escapeSegment(segment) : maskText(segment)}`)
    .join("");

const maskPatch = (patch: Json | undefined): Json =>
  (Array.isArray(patch) ? (patch as readonly JsonObject[]) : []).map((operation) =>
    Object.fromEntries(
      Object.entries(operation).map(([name, value]) => {
        if (name === "op") return [name, value];
        if (name === "value" && operation["path"] === "" && isObject(value)) return [name, maskState(value)];
        return [name, (name === "path" || name === "from") && typeof value === "string" ? maskPath(value) : maskValue(value)];
      }),
    ),
  );

/** Masks a value by its declaration. Members declared as plain stay, and declared member names stay. */
function redacted(node: Shape, value: Json): Json {
  if (node.state === "patch") return maskPatch(value);
  if (node.state === "document") return isObject(value) ? maskState(value) : maskValue(value);
  switch (node.type) {
    case "list":
      return Array.isArray(value) ? (value as readonly Json[]).map((item) => redacted(node.of, item)) : maskValue(value);
    case "nullable":
    case "record":
    case "json":
      return maskValue(value);
    case "union":
      return isObject(value) ? redactedMembers(optionOf(node, value), value) : maskValue(value);
    case "object":
      return isObject(value) ? redactedMembers(node, value) : maskValue(value);
    default:
      return value;
  }
}

const redactedMembers = (node: ObjectShape | undefined, value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const declared = node !== undefined && Object.hasOwn(node.members, name) ? node.members[name] : undefined;
      return [name, declared?.plain === true ? redacted(declared, member) : maskValue(member)];
    }),
  );

/** Masks the data of an event. */
export const redactEvent = (kind: EventKind, data: JsonObject): JsonObject => redacted(eventDeclarations[kind].data.node, data) as JsonObject;
