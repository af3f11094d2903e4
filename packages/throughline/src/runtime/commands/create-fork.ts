/** Forks a session: creates a session that continues its log at an offset. */
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { eventsOf } from "../../extension/lists.ts";
import { metadataWith, recordsFor, type WriterContext } from "../../extension/port.ts";
import { invalidAt } from "../../extension/failure.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { type SessionId, turnNumberOf } from "../../kernel/id.ts";
import { diff } from "../../kernel/json-diff.ts";
import { type JsonObject, present } from "../../kernel/json.ts";
import { isSuperseded } from "../../session/decide-command.ts";
import type { Event } from "../../session/event.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { forkedAt, type ForkPoint } from "../../session/fork-session.ts";
import { scopedVariables, versionsOf } from "../../session/session-variables.ts";
import { isIncognito, withIncognito } from "../../session/session-view.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import {
  type HeaderChange,
  type LoadedSession,
  type OwnerChange,
  type ReadRequest,
  type SessionChange,
  sessionOwnerId,
  type SessionRow,
  type VariablesRow,
} from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { definitionVersionOf } from "../reading/state-at.ts";
import { type Idempotency, idempotencyOf, ofCreation, usedBefore } from "./idempotency.ts";
import { checkTitleAndLabels, newHeader, openKeyOf } from "./session-header.ts";

/** The fork's offset, and the header of the new session. */
export interface ForkOptions {
  /** Any offset of the log, including a withdrawn one or one within a turn. Defaults to the head. */
  readonly at?: number;
  /** At most 200 characters. The fork has no title by default. */
  readonly title?: string;
  /**
   * Whether calls of tools return what the session has recorded after `at` for the same name and arguments, instead of running again. The fork then
   * runs no `once` tool and starts no child agent: a call without a recorded result is blocked. Defaults to false.
   */
  readonly reuse?: boolean;
  /** Labels and metadata of the fork. It does not inherit those of the session. */
  readonly labels?: readonly string[];
  readonly metadata?: JsonObject;
  /** Finds the fork again, like the key of `sessions.open`. Forking again with the key returns the same fork. */
  readonly key?: string;
  /** Unique in the session: the same key and options return the fork that was created first. 1 to 255 characters. */
  readonly idempotencyKey?: string;
}

/** Runtime dependencies of a fork. If the agent is not registered, the state stays unchanged and the next turn migrates it. */
type Forking = WriterContext & Pick<RuntimeContext, "agents">;

/** Creates a session that continues another session's log, and returns its id. */
export async function forkSession(runtime: Forking, session_id: SessionId, options: ForkOptions): Promise<SessionId> {
  checkTitleAndLabels(options);
  const { at, reuse } = options;
  if (reuse !== undefined && typeof reuse !== "boolean") throw invalidAt("input.invalid", "reuse", `reuse is true or false, got ${seen(reuse)}.`);
  const { idempotencyKey: _key, ...body } = options;
  const idempotency = idempotencyOf(options, "fork", body);
  const before = async (found: SessionId): Promise<SessionId> => {
    if (idempotency !== undefined) await usedBefore(runtime, found, ofCreation(idempotency));
    return forkedBefore(runtime, found, { session_id, at });
  };
  for (let tries = 1; ; tries++) {
    // Checked first, because the fork may exist even if its offset no longer does.
    const made = await madeBefore(runtime, session_id, { key: options.key, idempotency });
    if (made !== undefined) return before(made);
    const loaded = await loadSession(runtime, session_id, present({ at }));
    const point = await forkPointAt(runtime, loaded, at ?? loaded.session.head);
    const fork = runtime.ids.next("session");
    const owner = await variablesOfFork(runtime, loaded, { at: point.at, fork });
    const session = forkOf(runtime, loaded, point, { ...options, idempotency, fork, owns: owner !== undefined });
    const { extensions = [] } = runtime.agents.get(loaded.session.agent) ?? {};
    const records = recordsFor(extensions, { session_id: fork, state: foldState(loaded).document, now: runtime.clock.now() });
    const result = await commitOnce(runtime, { session, ...present({ owner }), ...(records.length === 0 ? {} : { records }) });
    if (result.outcome === "committed") return fork;
    if (result.reason === "session_exists") return before(result.session_id);
    const moved = result.reason === "stale_owner" || result.reason === "owner_missing" || result.reason === "origin_out_of_range";
    if (!moved || tries === changes) throw refused(result, session_id);
  }
}

function forkOf(
  runtime: Forking,
  loaded: LoadedSession,
  point: ForkPoint,
  options: ForkOptions & { readonly idempotency: Idempotency | undefined; readonly fork: SessionId; readonly owns: boolean },
): SessionChange {
  const { session_id, owner_id, agent, customer_id } = loaded.session;
  const { title, reuse = false, key, idempotency, fork, owns } = options;
  const open_key = key === undefined ? idempotency && keyOfFork(session_id, idempotency) : openKeyOf(agent, customer_id, key);
  const { at, definition, episode } = point;
  const migration = migrationOf(runtime, loaded, definition);
  const variables = versionsOf({ ...scopedVariables(loaded), session: { ...loaded.session_variables, version: owns ? 1 : 0 } });
  const { extensions = [] } = runtime.agents.get(agent) ?? {};
  const metadata = metadataWith(extensions, {}, foldState(loaded).document);
  const decided = forkedAt(point, { title, reuse: reuse ? loaded.session.head : undefined, variables, migration, trace_id: runtime.ids.trace() });
  return {
    session_id: fork,
    create: {
      ...{ owner_id, agent, agent_version: definition, fork: { session_id, at } },
      ...present({ open_key }),
    },
    ...decided,
    ...(idempotency === undefined ? {} : { idempotency: ofCreation(idempotency) }),
    header: {
      ...(episode === 1 ? {} : { episode }),
      ...(migration === undefined ? {} : { agent_version: migration.to }),
      ...withMetadata(withIncognito(newHeader(options), isIncognito(loaded.session)), metadata),
    },
  };
}

/** Adds the metadata that follows from the fork's state. */
const withMetadata = (header: HeaderChange, metadata: JsonObject | undefined): HeaderChange =>
  metadata === undefined ? header : { ...header, metadata: { ...header.metadata, ...metadata } };

/** Returns the migration of the state to the registered definition, if that is newer. */
function migrationOf(
  { agents }: Forking,
  loaded: LoadedSession,
  from: number,
): { readonly to: number; readonly patch: ReturnType<typeof diff> } | undefined {
  const agent = agents.get(loaded.session.agent);
  if (agent === undefined || agent.version <= from) return undefined;
  const { document } = foldState(loaded);
  return { to: agent.version, patch: diff(document, migrateDocument(document, from, agent.version, agent.migrations)) };
}

/** Returns the key of a fork that was requested with an idempotency key. */
const keyOfFork = (session_id: SessionId, { key }: Idempotency): string => JSON.stringify(["forked", [session_id, key]]);

/** Returns the session that was created with either key. */
async function madeBefore(
  runtime: Forking,
  session_id: SessionId,
  { key, idempotency }: { readonly key: string | undefined; readonly idempotency: Idempotency | undefined },
): Promise<SessionId | undefined> {
  if (key !== undefined) return madeWith(runtime, session_id, key);
  return idempotency && (await runtime.store.open({ open_key: keyOfFork(session_id, idempotency) }))?.session_id;
}

/** Returns the session that was created with the key, including one created before the customer was identified. */
async function madeWith({ store }: Forking, session_id: SessionId, key: string): Promise<SessionId | undefined> {
  const session = await store.open({ session_id });
  if (session === undefined) throw refused({ reason: "session_missing" }, session_id);
  const { agent, customer_id, owner_id } = session;
  const made = await store.open({ open_key: openKeyOf(agent, customer_id, key) });
  if (made !== undefined || customer_id === undefined) return made?.session_id;
  const earlier = await store.open({ open_key: openKeyOf(agent, undefined, key) });
  return earlier?.owner_id === owner_id ? earlier.session_id : undefined;
}

/** Returns the session that already has the key, if it is this fork. */
async function forkedBefore(
  { store }: Forking,
  found: SessionId,
  source: { readonly session_id: SessionId; readonly at: number | undefined },
): Promise<SessionId> {
  const origin = (await store.open({ session_id: found }))?.origin;
  if (origin?.session_id === source.session_id && (source.at === undefined || source.at === origin.at)) return found;
  throw new ThroughlineError("session.exists", `The key belongs to another session: ${found}.`, { details: { session_id: found } });
}

type Reading = Pick<RuntimeContext, "store">;

/** Returns the open work at `at`. The session must be loaded as of `at`. Later events show what was open there, so earlier ones need not be read. */
async function forkPointAt(runtime: Reading, loaded: LoadedSession, at: number): Promise<ForkPoint> {
  const { session, patches, base } = loaded;
  const { next, answered, withdrawnFrom, episode } = await readOn(runtime, loaded, at);
  const running = loaded.turns.find((turn) => turn.status === "running" && (turn.started_offset ?? at + 1) <= at);
  const open = next === undefined ? running && { number: running.number, trace_id: running.trace_id } : next.open;
  const unanswered = new Set([...answered, ...loaded.waiting.map((message) => message.offset)].filter((offset) => offset <= at));
  if (withdrawnFrom <= at) for (const offset of await leftUnanswered(runtime, session, withdrawnFrom, at)) unanswered.add(offset);
  // The messages of a turn wait until it has ended, and wait again if it was superseded. Here they belong to the open turn.
  if (open !== undefined && unanswered.size > 0) for (const offset of await answersOf(runtime, session, open.number, at)) unanswered.delete(offset);
  return {
    at,
    definition: await definitionVersionOf(runtime, loaded),
    state_offset: patches.at(-1)?.offset ?? base.offset,
    episode: episode ?? session.episode,
    open,
    unanswered: [...unanswered].toSorted((left, right) => left - right),
  };
}

/** Yields events of a log, including withdrawn ones. Pages are small, because most readers stop early. */
async function* allOf({ store }: Reading, request: ReadRequest): AsyncGenerator<Event> {
  for await (const stored of eventsOf(store, { ...request, withdrawn: true, limit: 200 })) yield decodeEvent(stored);
}

interface ReadOn {
  /** The turn of the first later event of a turn other than `spent`, if that turn had started before. Undefined if there is no such event. */
  next: { readonly open: ForkPoint["open"] } | undefined;
  /** Messages that later turns answered. */
  readonly answered: number[];
  /** The lowest offset that was withdrawn later. */
  withdrawnFrom: number;
  /** The episode, if a new one started later. */
  episode: number | undefined;
}

/** Reads events after `at`, until a turn that answers only later messages shows that no further event is relevant. */
async function readOn(runtime: Reading, { session }: LoadedSession, at: number): Promise<ReadOn> {
  const found: ReadOn = { next: undefined, answered: [], withdrawnFrom: Number.POSITIVE_INFINITY, episode: session.episode === 1 ? 1 : undefined };
  let settled = false;
  for await (const event of allOf(runtime, { session_id: session.session_id, min_offset: at + 1, kinds: ["turn", "session"] })) {
    if (event.kind === "session") {
      if (event.data.type === "episode") found.episode ??= event.data.closed;
      if (event.data.type === "withdrawn" && !settled) found.withdrawnFrom = Math.min(found.withdrawnFrom, event.data.from);
    } else if (event.kind === "turn" && event.data.type !== "spent" && event.turn_id !== undefined && !settled) {
      // What a call has spent may be on record after the turn's end, and says nothing about what was open.
      const begins = event.data.type === "started";
      found.next ??= { open: begins ? undefined : { number: turnNumberOf(event.turn_id), trace_id: event.trace_id } };
      if (event.data.type === "started") {
        const { answers, retries = [] } = event.data;
        found.answered.push(...answers.filter((offset) => !retries.includes(offset)));
        settled = answers.length > 0 && answers.every((offset) => offset > at);
      }
    }
    if (settled && found.episode !== undefined) return found;
  }
  return found;
}

/** Returns the messages that a turn answers which had started by `at`. */
async function answersOf(runtime: Reading, { session_id, first_offset }: SessionRow, number: number, at: number): Promise<readonly number[]> {
  // An open turn started recently, so the list is read from its end.
  const page = await runtime.store.list({ of: "turns", session_id, order: "desc", limit: 100 });
  const started = page.items.find((turn) => turn.number === number)?.started_offset ?? 0;
  for await (const event of allOf(runtime, { session_id, min_offset: Math.max(first_offset, started), max_offset: at, kinds: ["turn"] }))
    if (event.kind === "turn" && event.data.type === "started" && event.turn_id !== undefined && turnNumberOf(event.turn_id) === number)
      return event.data.answers;
  return [];
}

/**
 * Returns the visible messages from `from` to `at` that no turn had started to answer by `at`. A message that was withdrawn before its answer is in
 * no later turn.
 */
async function leftUnanswered(runtime: Reading, { session_id, first_offset }: SessionRow, from: number, at: number): Promise<readonly number[]> {
  let left: number[] = [];
  let begun: readonly number[] = [];
  for await (const event of allOf(runtime, {
    session_id,
    min_offset: Math.max(first_offset, from),
    max_offset: at,
    kinds: ["message", "custom", "turn", "session"],
  })) {
    // A custom event that queued a turn waits as a message does.
    if ((event.kind === "message" && event.source === "customer") || (event.kind === "custom" && event.turn_id !== undefined))
      left.push(event.offset);
    if (event.kind === "turn" && event.data.type === "started") {
      const { answers } = event.data;
      begun = answers;
      left = left.filter((offset) => !answers.includes(offset));
    }
    if (event.kind === "turn" && event.data.type === "ended" && isSuperseded(event.data.outcome)) left = [...begun, ...left];
    if (event.kind === "session" && event.data.type === "withdrawn") {
      const first = event.data.from;
      left = left.filter((offset) => offset < first);
    }
  }
  return left;
}

/** Returns the owner part of the commit that creates a fork at `at`. Undefined if the session had no variables of its own then. */
async function variablesOfFork(
  runtime: Pick<RuntimeContext, "store">,
  loaded: LoadedSession,
  { at, fork }: { readonly at: number; readonly fork: SessionId },
): Promise<OwnerChange | undefined> {
  const then = at === loaded.session.head ? loaded.session_variables : await variablesThen(runtime, loaded.session.session_id, at);
  if (then === undefined) return undefined;
  const variables = Object.entries(then.values).map(([name, value]) => ({ name, value }));
  if (variables.length === 0) return undefined;
  return { owner_id: sessionOwnerId(fork), create: {}, variables, checked: then.stale.map((name) => ({ name, stale: true })) };
}

/** Returns the variables of the session that wrote the event at `at`, as of the event's time. That session is this one or an ancestor. */
async function variablesThen({ store }: Pick<RuntimeContext, "store">, session_id: SessionId, at: number): Promise<VariablesRow | undefined> {
  const [event] = (await store.read({ session_id, min_offset: at, max_offset: at, withdrawn: true }))?.events ?? [];
  // The variables of a deleted session no longer exist.
  if (event === undefined || event.origin === null) return undefined;
  const page = await store.list({ of: "variables", owner_id: sessionOwnerId(event.origin ?? session_id), at: event.created_at });
  return page.items[0];
}
