/** Checks of callers' inputs, the same for every store. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { TraceId } from "../kernel/id.ts";
import { isPlainObject, isStorableText } from "../kernel/json.ts";
import {
  type AppendsRequest,
  type ClaimRequest,
  type Commit,
  type EntriesRequest,
  type Handover,
  type HeaderChange,
  type ListQuery,
  type LoadRequest,
  type NewEvent,
  type NewSession,
  type OwnerChange,
  type ReadRequest,
  type RecordChange,
  type RecordQuery,
  type ReleaseRequest,
  type SessionChange,
  type SessionDepends,
  type SessionQuery,
  type Store,
  type OpenTurnQuery,
  type TailQuery,
  type TurnQuery,
  type VariablesQuery,
  eventKinds,
  eventSources,
  handoverStatuses,
  sessionModes,
  turnCauses,
  turnStatuses,
} from "./port.ts";

/** A year. A lease is for one turn, and times must stay safe integers. */
const longestLeaseMs = 31_536_000_000;

/** The latest time, in the year 2248, for which a time and the level of an alert fit into one number that orders handovers. */
const latest = 2 ** 43 - 1;
const highestAlert = 1_000;

/** Returns a session's place among those with the same handover status: alerts first, by level, then the oldest handover. Resolved ones are ordered by time. */
export const placeOfHandover = ({ status, since, alert = 0 }: Handover): number =>
  since + (status === "resolved" ? 0 : (highestAlert - alert) * (latest + 1));

function fail(path: string, value: unknown, expected: string): never {
  throw new ThroughlineError("input.invalid", `${path} is ${seen(value)}; expected ${expected}.`, { details: { path } });
}

/** Checks a value at a path. */
type Check = (path: string, value: unknown) => void;
type Checks<Value> = { readonly [Name in keyof Value]?: Check };

const largestInteger = 2_147_483_647;

const integer =
  (least: number, most = Number.MAX_SAFE_INTEGER): Check =>
  (path, value) => {
    if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
      fail(path, value, most === Number.MAX_SAFE_INTEGER ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`);
  };

/** Returns a check that passes what the test passes. */
const passing =
  (test: (value: unknown) => boolean, expected: string): Check =>
  (path, value) => {
    if (!test(value)) fail(path, value, expected);
  };

const isText = (value: unknown): value is string => typeof value === "string";

/** Whether a text can be a trace id. */
export const isTraceId = (text: string): text is TraceId => /^[0-9a-f]{32}$/.test(text);

const text = passing((value) => isText(value) && value !== "" && isStorableText(value), "a non-empty, well-formed text");
const trace = passing((value) => isText(value) && isTraceId(value), "32 lowercase hexadecimal digits");
const flag = passing((value) => value === true, "true, or nothing");
const oneOf = (allowed: readonly string[]): Check => passing((value) => isText(value) && allowed.includes(value), `one of ${allowed.join(", ")}`);

/**
 * These throw unless the value has the type that a store reads back: an object, a text or a list of texts. Any other value would be written and make
 * its row unreadable.
 */
const object = passing(isPlainObject, "an object");
const objectOrNull = passing((value) => value === null || isPlainObject(value), "an object");
const textOrNull = passing((value) => value === null || isText(value), "a text or null");
const texts = passing((value) => Array.isArray(value) && value.every(isText), "a list of texts");

/** Checks a text and its maximum length. */
const shortText =
  (most: number): Check =>
  (path, value) => {
    text(path, value);
    if ((value as string).length > most) fail(path, value, `a text of at most ${most} characters`);
  };

/** Checks the owner of a session. An owner with a derived id cannot own one. */
const person: Check = (path, value) => {
  text(path, value);
  if ((value as string).startsWith("own:")) fail(path, value, "an owner who can have sessions, not one of variables alone");
};

/** Returns a check of an object's members. The optional ones are checked if they are there. */
function shape<Value>(required: Checks<Value>, optional: Checks<Value> = {}): Check {
  const checks = [required, optional].map((some) => Object.entries<Check>(some as Readonly<Record<string, Check>>));
  return (path, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, value, "an object");
    for (const [index, some] of checks.entries())
      for (const [name, check] of some) {
        const member = (value as Readonly<Record<string, unknown>>)[name];
        if (index === 0 || member !== undefined) check(path === "" ? name : `${path}.${name}`, member);
      }
  };
}

const list =
  (item: Check, expected = "a list"): Check =>
  (path, value) => {
    if (!Array.isArray(value)) fail(path, value, expected);
    value.forEach((one, index) => item(`${path}[${index}]`, one));
  };

/** A turn by its number, or the turn that the commit queues. */
const turn: Check = (path, value) => {
  if (value !== "queued") integer(1)(path, value);
};

const event = shape<NewEvent>(
  { kind: oneOf(eventKinds), source: oneOf(eventSources), data: object },
  { version: integer(1, 32_767), trace_id: trace, metadata: object, turn },
);

const handover = shape<Handover>(
  { status: oneOf(handoverStatuses), since: integer(0, latest) },
  {
    operator: shortText(200),
    reason: passing((value) => isText(value) && value.length <= 500, "a text of at most 500 characters"),
    alert: integer(1, highestAlert),
  },
);

const session = shape<SessionChange>(
  { session_id: text },
  {
    queue: shape<NonNullable<SessionChange["queue"]>>({ cause: oneOf(turnCauses), trace_id: trace }, { limit: integer(0), urgent: flag }),
    events: list(event),
    create: shape<NewSession>(
      { owner_id: person, agent: text, agent_version: integer(0, largestInteger) },
      { fork: shape<NonNullable<NewSession["fork"]>>({ session_id: text, at: integer(0, largestInteger) }) },
    ),
    depends: shape<SessionDepends>(
      {},
      { epoch: integer(0), base: integer(0), head: integer(0), version: integer(0), episode: integer(0), owner_version: integer(0) },
    ),
    end_turns: list(turn),
    dequeue_turns: list(integer(1)),
    start_turn: shape<NonNullable<SessionChange["start_turn"]>>({ number: turn }),
    progress: integer(1),
    park: shape<NonNullable<SessionChange["park"]>>({ turn: integer(1) }, { until: integer(0) }),
    withdraw_from: integer(0),
    cut: shape<NonNullable<SessionChange["cut"]>>({ first_offset: integer(1, largestInteger), state: object }),
    redact: list(shape<NonNullable<SessionChange["redact"]>[number]>({ offset: integer(0), data: object })),
    owner_id: person,
    idempotency: shape<NonNullable<SessionChange["idempotency"]>>({ body_hash: text }),
    checkpoint: object,
    header: shape<HeaderChange>(
      {},
      {
        mode: oneOf(sessionModes),
        episode: integer(1, largestInteger),
        agent_version: integer(0, largestInteger),
        title: textOrNull,
        metadata: object,
        labels: texts,
        consumers: object,
        handover,
      },
    ),
  },
);

const named = shape<{ readonly name: string }>({ name: text });

const commit = shape<Commit>(
  { commit_id: text, at: integer(0) },
  {
    owner: shape<OwnerChange>(
      { owner_id: text },
      {
        depends: shape<NonNullable<OwnerChange["depends"]>>({}, { version: integer(0) }),
        name: textOrNull,
        metadata: object,
        variables: list(named),
        checked: list(named),
        entries: list(shape<NonNullable<OwnerChange["entries"]>[number]>({ entry_id: text, kind: text, data: objectOrNull })),
      },
    ),
    session,
    records: list(
      shape<RecordChange>(
        { kind: shortText(40), key: shortText(200), data: objectOrNull },
        {
          depends: shape<NonNullable<RecordChange["depends"]>>({ version: integer(0) }),
          expires_at: integer(0),
          keep_ms: integer(0),
          owner_id: text,
          session_id: text,
        },
      ),
    ),
  },
);

/** Checks that the parts of a session's change fit together. */
function checkTogether({ events = [], queue, create, start_turn, end_turns = [], cut, redact, owner_id }: SessionChange): void {
  const notQueued = "a turn number, because the commit queues no turn";
  if (queue === undefined) {
    events.forEach((one, index) => {
      const path = `session.events[${index}]`;
      if (one.turn === "queued") fail(`${path}.turn`, one.turn, notQueued);
      if (one.turn === undefined && one.trace_id === undefined)
        fail(`${path}.trace_id`, undefined, "a trace id, because the event belongs to no turn");
    });
    const queued = end_turns.indexOf("queued");
    if (queued >= 0) fail(`session.end_turns[${queued}]`, "queued", notQueued);
  }
  if (start_turn?.number === "queued" && !end_turns.includes("queued"))
    fail("session.start_turn.number", "queued", "a turn number, because the commit does not end the turn that it queues");
  if (start_turn !== undefined) integer(0, events.length - 1)("session.start_turn.event", start_turn.event);
  if (create === undefined) return;
  if (events[0]?.kind !== "session") fail("session.events[0].kind", events[0]?.kind, "session, because the commit creates the session");
  for (const [name, value] of Object.entries({ cut, redact, owner_id }))
    if (value !== undefined) fail(`session.${name}`, value, "nothing, because the commit creates the session");
}

/** Throws `input.invalid`, with the path and the actual value, for a commit that no store could write. */
export function checkCommit(given: Commit): void {
  commit("", given);
  const { owner, session: change, records = [] } = given;
  if (owner === undefined && change === undefined && records.length === 0) fail("commit", {}, "an owner part, a session part or records");
  if (owner?.create?.customer_id !== undefined) person("owner.owner_id", owner.owner_id);
  if (change !== undefined) checkTogether(change);
  const names = new Set<string>();
  records.forEach(({ kind, key }, index) => {
    const name = JSON.stringify([kind, key]);
    if (names.has(name)) fail(`records[${index}].key`, key, `another key, because the commit names the ${kind} already`);
    names.add(name);
  });
}

/**
 * Throws `input.invalid` for an event of a turn that the session never had. In a fork (`isOwn` false), also for an event of a turn whose trace it
 * does not know.
 */
export function checkTurn(event: NewEvent, index: number, lastTurn: number, isOwn = true): void {
  if (typeof event.turn !== "number") return;
  const path = `session.events[${index}].turn`;
  if (event.turn > lastTurn) fail(path, event.turn, `a turn of the session, which has had ${lastTurn}`);
  if (!isOwn && event.trace_id === undefined) fail(path, event.turn, "a turn that was queued in this fork, or a trace id");
}

const readRequest = shape<ReadRequest>(
  {},
  {
    min_offset: integer(0),
    max_offset: integer(0),
    limit: integer(1, 1000),
    kinds: list(oneOf(eventKinds), "a list of kinds"),
    source: oneOf(eventSources),
  },
);

/** Throws `input.invalid` for an invalid read. */
export const checkRead = (request: ReadRequest): void => readRequest("", request);

const appendsRequest = shape<AppendsRequest>({}, { after: integer(0), limit: integer(1, 1000) });

/** Throws `input.invalid` for an invalid read of appends. */
export const checkAppends = (request: AppendsRequest): void => appendsRequest("", request);

const loadRequest = shape<LoadRequest>({}, { messages: integer(0) });

/** Throws `input.invalid` for an invalid load. */
export const checkLoad = (request: LoadRequest): void => loadRequest("", request);

/** Throws `log.retained_from` if a requested offset precedes the kept ones. */
export function checkKept(offset: number | undefined, first_offset: number): void {
  if (offset === undefined || offset >= first_offset) return;
  throw new ThroughlineError("log.retained_from", `Offset ${offset} was removed; the log is kept from offset ${first_offset} on.`, {
    details: { offset, first_offset },
  });
}

/** Throws `log.offset_invalid` if `at` is not an offset of the log, and `log.retained_from` if it no longer is. */
export function checkAt(at: number | undefined, session: { readonly first_offset: number; readonly head: number }): void {
  if (at === undefined) return;
  if (Number.isSafeInteger(at) && at >= 0 && at <= session.head) return checkKept(at, session.first_offset);
  throw new ThroughlineError("log.offset_invalid", `at is ${seen(at)}; the log holds offsets ${session.first_offset} to ${session.head}.`, {
    details: { first_offset: session.first_offset, head: session.head },
  });
}

/** The checks of each list's own conditions. */
const lists: { readonly [Of in ListQuery["of"]]: Check } = {
  sessions: shape<SessionQuery>(
    {},
    {
      handover: oneOf(handoverStatuses),
      operator: passing(isText, "an operator's id"),
      by: oneOf(["handover"]),
      origin: text,
      updated_from: integer(0),
      updated_before: integer(0),
      running: flag,
      mode: oneOf(sessionModes),
      agent: passing(isText, "an agent's name"),
      external_id: passing(isText, "a text"),
      labels: texts,
      without_labels: texts,
    },
  ),
  customers: () => {},
  turns: shape<TurnQuery>({}, { status: oneOf(turnStatuses), number: integer(1), ended_before: integer(0) }),
  open_turns: shape<OpenTurnQuery>({}, { held: flag }),
  tails: shape<TailQuery>(
    {
      session_ids: passing((value) => Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(isText), "1 to 100 session ids"),
      messages: integer(1, 100),
    },
    { messages_only: flag },
  ),
  erasures: () => {},
  records: shape<RecordQuery>({ kind: text }, { key: text, session_id: text, prefix: passing(isText, "a text") }),
  variables: shape<VariablesQuery>({ owner_id: text }, { version: integer(0), at: integer(0) }),
};
const anyList = shape<ListQuery>({ of: oneOf(Object.keys(lists)) }, { limit: integer(1, 100), order: oneOf(["asc", "desc"]) });

/** Throws `input.invalid` for an invalid list query. */
export function checkList(query: ListQuery): void {
  anyList("", query);
  lists[query.of]("", query);
  if ((query.of === "variables" || query.of === "tails") && query.cursor !== undefined)
    throw new ThroughlineError("cursor.invalid", `cursor ${seen(query.cursor)} was not handed out for ${query.of}, which have no pages.`);
  if (query.of === "sessions" && query.by !== undefined && query.handover === undefined)
    fail("handover", query.handover, "a status, because the list is in the order of handovers");
}

const lease = integer(1, longestLeaseMs);

/** Throws `input.invalid` for an invalid claim. */
export function checkClaim(request: ClaimRequest): void {
  lease("lease_ms", request.lease_ms);
  if (request.kind === "renew") return integer(0)("epoch", request.epoch);
  text("worker", request.worker);
  if (request.kind === "next" && request.urgent !== undefined) flag("urgent", request.urgent);
  if (request.agents === undefined) return;
  if (!isPlainObject(request.agents)) fail("agents", request.agents, "versions by name of agent");
  for (const [name, version] of Object.entries(request.agents)) integer(1)(`agents.${name}`, version);
}

const releaseRequest = shape<ReleaseRequest>({ epoch: integer(0) }, { retry_in_ms: integer(0, longestLeaseMs) });

/** Throws `input.invalid` for an invalid release. */
export const checkRelease = (request: ReleaseRequest): void => releaseRequest("", request);

const erasure = shape<{ readonly head?: number; readonly keep_ms?: number }>({}, { head: integer(0), keep_ms: integer(0) });

/** Throws `input.invalid` for an erasure with an invalid `head` or `keep_ms`. */
export const checkErase = (target: Parameters<Store["erase"]>[0]): void => erasure("", target);

const entries = shape<EntriesRequest>(
  { owner_id: text },
  {
    min_version: integer(0),
    max_version: integer(0),
    entry_id: text,
    kinds: texts,
    limit: integer(1, 10_000),
    newest: passing((value) => typeof value === "boolean", "true, or nothing"),
  },
);

/** Throws `input.invalid` for an invalid read of entries. */
export const checkEntries = (request: EntriesRequest): void => entries("", request);
