/** Checks of callers' inputs, the same for every store. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { TraceId } from "../kernel/id.ts";
import { isPlainObject, isStorableText } from "../kernel/json.ts";
import {
  type ClaimRequest,
  type Commit,
  type EntriesRequest,
  type Handover,
  type HeaderChange,
  type ListQuery,
  type LoadRequest,
  type NewEvent,
  type OwnerChange,
  type ReadRequest,
  type RecordChange,
  type ReleaseRequest,
  type SessionChange,
  type Store,
  eventKinds,
  eventSources,
  handoverStatuses,
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

function checkInteger(path: string, value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most) {
    fail(path, value, most === Number.MAX_SAFE_INTEGER ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`);
  }
}

function checkText(path: string, value: unknown): void {
  if (typeof value !== "string" || value === "" || !isStorableText(value)) fail(path, value, "a non-empty, well-formed text");
}

function checkOneOf(path: string, value: unknown, allowed: readonly string[]): void {
  if (typeof value !== "string" || !allowed.includes(value)) fail(path, value, `one of ${allowed.join(", ")}`);
}

/** Whether a text can be a trace id. */
export const isTraceId = (text: string): text is TraceId => /^[0-9a-f]{32}$/.test(text);

function checkFlag(path: string, value: unknown): void {
  if (value !== undefined && value !== true) fail(path, value, "true, or nothing");
}

function checkTrace(path: string, value: unknown): void {
  if (typeof value !== "string" || !isTraceId(value)) fail(path, value, "32 lowercase hexadecimal digits");
}

/**
 * Throws unless the value has the type that a store reads back: an object, a text or a list of texts. Any other value would be written and make its
 * row unreadable.
 */
function checkObject(path: string, value: unknown): void {
  if (!isPlainObject(value)) fail(path, value, "an object");
}

function checkNullableText(path: string, value: unknown): void {
  if (value !== null && typeof value !== "string") fail(path, value, "a text or null");
}

/** Checks a text and its maximum length. */
function checkShortText(path: string, value: unknown, most: number): void {
  checkText(path, value);
  if ((value as string).length > most) fail(path, value, `a text of at most ${most} characters`);
}

/** Checks the owner of a session. An owner with a derived id cannot own one. */
function checkPerson(path: string, value: unknown): void {
  checkText(path, value);
  if ((value as string).startsWith("own:")) fail(path, value, "an owner who can have sessions, not one of variables alone");
}

function checkTexts(path: string, value: unknown): void {
  if (!Array.isArray(value) || value.some((text: unknown) => typeof text !== "string")) fail(path, value, "a list of texts");
}

function checkEvent(event: NewEvent, path: string, queue: SessionChange["queue"]): void {
  checkOneOf(`${path}.kind`, event.kind, eventKinds);
  checkOneOf(`${path}.source`, event.source, eventSources);
  if (event.version !== undefined) checkInteger(`${path}.version`, event.version, 1, 32_767);
  if (event.trace_id !== undefined) checkTrace(`${path}.trace_id`, event.trace_id);
  checkObject(`${path}.data`, event.data);
  if (event.metadata !== undefined) checkObject(`${path}.metadata`, event.metadata);
  if (event.turn === "queued" && queue === undefined) fail(`${path}.turn`, event.turn, "a turn number, because the commit queues no turn");
  if (typeof event.turn === "number") checkInteger(`${path}.turn`, event.turn, 1);
  else if (event.trace_id === undefined && queue === undefined)
    fail(`${path}.trace_id`, undefined, "a trace id, because the event belongs to no turn");
}

function checkSession(change: SessionChange): void {
  checkText("session.session_id", change.session_id);
  const events = change.events ?? [];
  if (change.queue !== undefined) {
    checkOneOf("session.queue.cause", change.queue.cause, turnCauses);
    checkTrace("session.queue.trace_id", change.queue.trace_id);
    if (change.queue.limit !== undefined) checkInteger("session.queue.limit", change.queue.limit, 0);
    checkFlag("session.queue.urgent", change.queue.urgent);
  }
  events.forEach((event, index) => checkEvent(event, `session.events[${index}]`, change.queue));
  if (change.create !== undefined) {
    checkPerson("session.create.owner_id", change.create.owner_id);
    checkText("session.create.agent", change.create.agent);
    checkInteger("session.create.agent_version", change.create.agent_version, 0, 2_147_483_647);
    if (change.create.fork !== undefined) {
      checkText("session.create.fork.session_id", change.create.fork.session_id);
      checkInteger("session.create.fork.at", change.create.fork.at, 0, 2_147_483_647);
    }
    if (events[0]?.kind !== "session") fail("session.events[0].kind", events[0]?.kind, "session, because the commit creates the session");
  }
  for (const [name, value] of Object.entries(change.depends ?? {})) if (value !== undefined) checkInteger(`session.depends.${name}`, value, 0);
  change.end_turns?.forEach((number, index) => {
    if (number !== "queued") checkInteger(`session.end_turns[${index}]`, number, 1);
    else if (change.queue === undefined) fail(`session.end_turns[${index}]`, number, "a turn number, because the commit queues no turn");
  });
  change.dequeue_turns?.forEach((number, index) => checkInteger(`session.dequeue_turns[${index}]`, number, 1));
  if (change.start_turn?.number === "queued") {
    if (change.end_turns?.includes("queued") !== true)
      fail("session.start_turn.number", "queued", "a turn number, because the commit does not end the turn that it queues");
  } else if (change.start_turn !== undefined) checkInteger("session.start_turn.number", change.start_turn.number, 1);
  if (change.start_turn !== undefined) checkInteger("session.start_turn.event", change.start_turn.event, 0, events.length - 1);
  if (change.progress !== undefined) checkInteger("session.progress", change.progress, 1);
  if (change.park !== undefined) checkInteger("session.park.turn", change.park.turn, 1);
  if (change.park?.until !== undefined) checkInteger("session.park.until", change.park.until, 0);
  if (change.withdraw_from !== undefined) checkInteger("session.withdraw_from", change.withdraw_from, 0);
  if (change.cut !== undefined) checkCut(change);
  if (change.redact !== undefined) checkRedactions(change);
  if (change.owner_id !== undefined) checkPerson("session.owner_id", change.owner_id);
  if (change.owner_id !== undefined && change.create !== undefined)
    fail("session.owner_id", change.owner_id, "nothing, because the commit creates the session");
  if (change.idempotency !== undefined) checkText("session.idempotency.body_hash", change.idempotency.body_hash);
  if (change.checkpoint !== undefined) checkObject("session.checkpoint", change.checkpoint);
  if (change.header !== undefined) checkHeader(change.header);
}

function checkRedactions({ redact = [], create }: SessionChange): void {
  if (create !== undefined) fail("session.redact", redact, "nothing, because the commit creates the session");
  redact.forEach(({ offset, data }, index) => {
    checkInteger(`session.redact[${index}].offset`, offset, 0);
    checkObject(`session.redact[${index}].data`, data);
  });
}

function checkCut({ cut, create }: SessionChange): void {
  if (create !== undefined) fail("session.cut", cut, "nothing, because the commit creates the session");
  checkInteger("session.cut.first_offset", cut?.first_offset, 1, 2_147_483_647);
  checkObject("session.cut.state", cut?.state);
}

function checkHeader({ mode, episode, agent_version, title, metadata, labels, consumers, handover }: HeaderChange): void {
  if (mode !== undefined) checkOneOf("session.header.mode", mode, ["auto", "manual"]);
  if (episode !== undefined) checkInteger("session.header.episode", episode, 1, 2_147_483_647);
  if (agent_version !== undefined) checkInteger("session.header.agent_version", agent_version, 0, 2_147_483_647);
  if (title !== undefined) checkNullableText("session.header.title", title);
  if (metadata !== undefined) checkObject("session.header.metadata", metadata);
  if (labels !== undefined) checkTexts("session.header.labels", labels);
  if (consumers !== undefined) checkObject("session.header.consumers", consumers);
  if (handover !== undefined) checkHandover(handover);
}

function checkHandover(handover: NonNullable<HeaderChange["handover"]>): void {
  const path = "session.header.handover";
  checkObject(path, handover);
  const { status, since, operator, reason, alert } = handover;
  checkOneOf(`${path}.status`, status, handoverStatuses);
  checkInteger(`${path}.since`, since, 0, latest);
  if (operator !== undefined) checkShortText(`${path}.operator`, operator, 200);
  if (reason !== undefined && (typeof reason !== "string" || reason.length > 500)) fail(`${path}.reason`, reason, "a text of at most 500 characters");
  if (alert !== undefined) checkInteger(`${path}.alert`, alert, 1, highestAlert);
}

function checkOwner(change: OwnerChange): void {
  checkText("owner.owner_id", change.owner_id);
  if (change.create?.customer_id !== undefined) checkPerson("owner.owner_id", change.owner_id);
  if (change.depends?.version !== undefined) checkInteger("owner.depends.version", change.depends.version, 0);
  if (change.name !== undefined) checkNullableText("owner.name", change.name);
  if (change.metadata !== undefined) checkObject("owner.metadata", change.metadata);
  change.variables?.forEach((variable, index) => checkText(`owner.variables[${index}].name`, variable.name));
  change.checked?.forEach((variable, index) => checkText(`owner.checked[${index}].name`, variable.name));
  change.entries?.forEach((entry, index) => {
    checkText(`owner.entries[${index}].entry_id`, entry.entry_id);
    checkText(`owner.entries[${index}].kind`, entry.kind);
    if (entry.data !== null) checkObject(`owner.entries[${index}].data`, entry.data);
  });
}

function checkRecords(records: readonly RecordChange[]): void {
  const names = new Set<string>();
  records.forEach(({ kind, key, depends, data, expires_at, keep_ms, owner_id, session_id }, index) => {
    const path = `records[${index}]`;
    checkShortText(`${path}.kind`, kind, 40);
    checkShortText(`${path}.key`, key, 200);
    if (depends !== undefined) checkInteger(`${path}.depends.version`, depends.version, 0);
    if (data !== null) checkObject(`${path}.data`, data);
    if (expires_at !== undefined) checkInteger(`${path}.expires_at`, expires_at, 0);
    if (keep_ms !== undefined) checkInteger(`${path}.keep_ms`, keep_ms, 0);
    if (owner_id !== undefined) checkText(`${path}.owner_id`, owner_id);
    if (session_id !== undefined) checkText(`${path}.session_id`, session_id);
    const name = JSON.stringify([kind, key]);
    if (names.has(name)) fail(`${path}.key`, key, `another key, because the commit names the ${kind} already`);
    names.add(name);
  });
}

/** Throws `input.invalid`, with the path and the actual value, for a commit that no store could write. */
export function checkCommit(commit: Commit): void {
  checkText("commit_id", commit.commit_id);
  checkInteger("at", commit.at, 0);
  const { records = [] } = commit;
  if (commit.owner === undefined && commit.session === undefined && records.length === 0)
    fail("commit", {}, "an owner part, a session part or records");
  if (commit.owner !== undefined) checkOwner(commit.owner);
  if (commit.session !== undefined) checkSession(commit.session);
  checkRecords(records);
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

/** Throws `input.invalid` for an invalid read. */
export function checkRead(request: ReadRequest): void {
  if (request.min_offset !== undefined) checkInteger("min_offset", request.min_offset, 0);
  if (request.max_offset !== undefined) checkInteger("max_offset", request.max_offset, 0);
  if (request.limit !== undefined) checkInteger("limit", request.limit, 1, 1000);
  if (request.kinds !== undefined && !Array.isArray(request.kinds)) fail("kinds", request.kinds, "a list of kinds");
  request.kinds?.forEach((kind, index) => checkOneOf(`kinds[${index}]`, kind, eventKinds));
  if (request.source !== undefined) checkOneOf("source", request.source, eventSources);
}

/** Throws `input.invalid` for an invalid load. */
export function checkLoad(request: LoadRequest): void {
  if (request.messages !== undefined) checkInteger("messages", request.messages, 0);
}

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

function checkVariables({ owner_id, version, at, cursor }: Extract<ListQuery, { of: "variables" }>): void {
  checkText("owner_id", owner_id);
  if (version !== undefined) checkInteger("version", version, 0);
  if (at !== undefined) checkInteger("at", at, 0);
  if (cursor !== undefined)
    throw new ThroughlineError("cursor.invalid", `cursor ${seen(cursor)} was not handed out for variables, which are one item.`);
}

/** Throws `input.invalid` for an invalid list query. */
export function checkList(query: ListQuery): void {
  checkOneOf("of", query.of, ["sessions", "customers", "turns", "erasures", "records", "variables"]);
  if (query.limit !== undefined) checkInteger("limit", query.limit, 1, 100);
  if (query.order !== undefined) checkOneOf("order", query.order, ["asc", "desc"]);
  if (query.of === "turns" && query.status !== undefined) checkOneOf("status", query.status, turnStatuses);
  if (query.of === "turns" && query.number !== undefined) checkInteger("number", query.number, 1);
  if (query.of === "turns" && query.ended_before !== undefined) checkInteger("ended_before", query.ended_before, 0);
  if (query.of === "variables") checkVariables(query);
  if (query.of === "records") checkText("kind", query.kind);
  if (query.of === "records" && query.key !== undefined) checkText("key", query.key);
  if (query.of === "records" && query.session_id !== undefined) checkText("session_id", query.session_id);
  if (query.of === "records" && query.prefix !== undefined && typeof query.prefix !== "string") fail("prefix", query.prefix, "a text");
  if (query.of !== "sessions") return;
  const { mode, agent, external_id, labels, without_labels, origin, handover, operator, by } = query;
  if (handover !== undefined) checkOneOf("handover", handover, handoverStatuses);
  if (operator !== undefined && typeof operator !== "string") fail("operator", operator, "an operator's id");
  if (by !== undefined) checkOneOf("by", by, ["handover"]);
  if (by !== undefined && handover === undefined) fail("handover", handover, "a status, because the list is in the order of hand-overs");
  if (origin !== undefined) checkText("origin", origin);
  if (mode !== undefined) checkOneOf("mode", mode, ["auto", "manual"]);
  if (agent !== undefined && typeof agent !== "string") fail("agent", agent, "an agent's name");
  if (external_id !== undefined && typeof external_id !== "string") fail("external_id", external_id, "a text");
  if (labels !== undefined) checkTexts("labels", labels);
  if (without_labels !== undefined) checkTexts("without_labels", without_labels);
}

/** Throws `input.invalid` for an invalid claim. */
export function checkClaim(request: ClaimRequest): void {
  checkInteger("lease_ms", request.lease_ms, 1, longestLeaseMs);
  if (request.kind === "renew") return checkInteger("epoch", request.epoch, 0);
  checkText("worker", request.worker);
  if (request.kind === "next") checkFlag("urgent", request.urgent);
  if (request.agents === undefined) return;
  if (!isPlainObject(request.agents)) fail("agents", request.agents, "versions by name of agent");
  for (const [name, version] of Object.entries(request.agents)) checkInteger(`agents.${name}`, version, 1);
}

/** Throws `input.invalid` for an invalid release. */
export function checkRelease(request: ReleaseRequest): void {
  checkInteger("epoch", request.epoch, 0);
  if (request.retry_in_ms !== undefined) checkInteger("retry_in_ms", request.retry_in_ms, 0, longestLeaseMs);
}

/** Throws `input.invalid` for an erasure with an invalid `head`. */
export function checkErase(target: Parameters<Store["erase"]>[0]): void {
  if ("head" in target && target.head !== undefined) checkInteger("head", target.head, 0);
}

/** Throws `input.invalid` for an invalid read of entries. */
export function checkEntries({ owner_id, min_version, max_version, entry_id, kinds, limit, newest }: EntriesRequest): void {
  checkText("owner_id", owner_id);
  if (min_version !== undefined) checkInteger("min_version", min_version, 0);
  if (max_version !== undefined) checkInteger("max_version", max_version, 0);
  if (entry_id !== undefined) checkText("entry_id", entry_id);
  if (kinds !== undefined) checkTexts("kinds", kinds);
  if (limit !== undefined) checkInteger("limit", limit, 1, 10_000);
  if (newest !== undefined && typeof newest !== "boolean") fail("newest", newest, "true, or nothing");
}
