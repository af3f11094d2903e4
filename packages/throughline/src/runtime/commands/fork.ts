import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { diff } from "../../kernel/json-diff.ts";
import { foldState } from "../../session/fold.ts";
import { type ForkPoint, forkedAt } from "../../session/fork-session.ts";
import { scopedVariables, versionsOf } from "../../session/session-variables.ts";
import { migrateDocument } from "../../state/migrate-state.ts";
import type { LoadedSession, SessionChange } from "../../store/port.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import type { WriterContext } from "../../extension/port.ts";
import type { RuntimeContext } from "../context.ts";
import { forkPointAt } from "./fork-point.ts";
import { variablesOfFork } from "./fork-variables.ts";
import { isIncognito, withIncognito } from "../../session/session-view.ts";
import { idempotencyOf, ofCreation, usedBefore, type Idempotency } from "./idempotency.ts";
import { checkTitleAndLabels, newHeader, openKeyOf } from "./session-header.ts";

/** The fork's offset, and the header of the new session. */
export interface ForkOptions {
  /** Any offset of the log, including a withdrawn one or one within a turn. Defaults to the head. */
  readonly at?: number;
  /** At most 200 characters. The fork has no title by default. */
  readonly title?: string;
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
  const { at } = options;
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
    const loaded = await loadSession(runtime, session_id, at === undefined ? {} : { at });
    const point = await forkPointAt(runtime, loaded, at ?? loaded.session.head);
    const fork = runtime.ids.next("session");
    const owner = await variablesOfFork(runtime, loaded, { at: point.at, fork });
    const session = forkOf(runtime, loaded, point, { ...options, idempotency, fork, owns: owner !== undefined });
    const result = await commitOnce(runtime, { session, ...(owner === undefined ? {} : { owner }) });
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
  const { title, key, idempotency, fork, owns } = options;
  const open_key = key === undefined ? idempotency && keyOfFork(session_id, idempotency) : openKeyOf(agent, customer_id, key);
  const { at, definition, episode } = point;
  const migration = migrationOf(runtime, loaded, definition);
  const variables = versionsOf({ ...scopedVariables(loaded), session: { ...loaded.session_variables, version: owns ? 1 : 0 } });
  const decided = forkedAt(point, { title, variables, migration, trace_id: runtime.ids.trace() });
  return {
    session_id: fork,
    create: {
      ...{ owner_id, agent, agent_version: definition, fork: { session_id, at } },
      ...(open_key === undefined ? {} : { open_key }),
    },
    ...decided,
    ...(idempotency === undefined ? {} : { idempotency: ofCreation(idempotency) }),
    header: {
      ...(episode === 1 ? {} : { episode }),
      ...(migration === undefined ? {} : { agent_version: migration.to }),
      ...withIncognito(newHeader(options), isIncognito(loaded.session)),
    },
  };
}

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
  sought: { readonly session_id: SessionId; readonly at: number | undefined },
): Promise<SessionId> {
  const origin = (await store.open({ session_id: found }))?.origin;
  if (origin?.session_id === sought.session_id && (sought.at === undefined || sought.at === origin.at)) return found;
  throw new ThroughlineError("session.exists", `The key belongs to another session: ${found}.`, { details: { session_id: found } });
}
