import { present } from "../../kernel/json.ts";
import { changes, commitOnce, loadSession, refused } from "../../extension/commit.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { type Command, decide, restsOnHeader } from "../../session/decide-command.ts";
import type { Decided } from "../../session/new-event.ts";
import { scopedVariables, versionsOf } from "../../session/session-variables.ts";
import { type SessionView, viewOf } from "../../session/session-view.ts";
import type { Committed, LoadedSession, OwnerChange, RecordChange, Refusal, SessionRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";
import { firstUse, type FirstUse, type Idempotency, ofNothing, usedBefore } from "./idempotency.ts";

/** Result of a decision: it was committed, or its idempotency key had been used before. */
export type Executed =
  | {
      readonly committed: NonNullable<Committed["session"]>;
      /** The session's epoch before the commit, and whether the commit has raised it. */
      readonly epoch: number;
      readonly fenced: boolean;
      readonly first?: undefined;
    }
  | { readonly committed?: undefined; readonly fenced?: undefined; readonly first: FirstUse };

/**
 * Whether a decision depends on the header's version. It does if it changes the header, or if it queues a turn without a message, because an operator may take over meanwhile.
 */
function restsOnVersion({ header = {}, queue }: Decided): boolean {
  const { episode: _episode, agent_version: _version, ...given } = header;
  return Object.keys(given).length > 0 || (queue !== undefined && queue.cause !== "message");
}

const isStale = ({ reason }: Refusal): boolean =>
  ["stale_base", "stale_head", "stale_episode", "stale_version", "stale_owner", "fenced"].includes(reason);

/** Options for the execution of a command. */
export interface ExecuteOptions {
  readonly idempotency?: Idempotency | undefined;
  /**
   * Returns writes outside the session for the same commit. Called again each time the session is loaded. For commands that are built from the loaded
   * session.
   */
  readonly alongside?: ((loaded: LoadedSession, command: Command) => Promise<Alongside | undefined>) | undefined;
}

/** Writes of a commit outside the session. */
export interface Alongside {
  readonly owner?: OwnerChange;
  readonly records?: readonly RecordChange[];
}

/**
 * Decides a command on the current session and commits the decision. Decides again if the data it depends on has changed. Returns undefined if the
 * command changes nothing. A command with an already used idempotency key is not repeated, whatever has happened to the session since.
 */
export async function execute(
  runtime: RuntimeContext,
  session_id: SessionId,
  command: Command | ((loaded: LoadedSession) => Command | Promise<Command>),
  { idempotency, alongside }: ExecuteOptions = {},
): Promise<Executed | undefined> {
  for (let tries = 1; ; tries++) {
    let prepared: { readonly session: SessionRow; readonly decided: Decided; readonly beside: Alongside | undefined };
    try {
      const { session, view, given, loaded } = await loadView(runtime, session_id, command);
      const decided = await withLeftOver(runtime, { loaded, command: given, decided: decide(view, given) });
      prepared = { session, decided, beside: loaded === undefined ? undefined : await alongside?.(loaded, given) };
    } catch (error) {
      const first = idempotency === undefined ? undefined : await usedBefore(runtime, session_id, idempotency);
      if (first !== undefined) return { first };
      throw error;
    }
    const { decided } = prepared;
    const nothing = decided.events === undefined && decided.queue === undefined && decided.header === undefined;
    if (nothing && idempotency === undefined) return undefined;
    const { epoch, head, version } = prepared.session;
    // A commit that ends a turn must fail if the turn has started or ended since, or if a message has joined it.
    // The turn's answered messages are recorded.
    const ends = decided.fence === true || (decided.end_turns ?? []).length > 0;
    const result = await commitOnce(runtime, {
      ...prepared.beside,
      session: {
        session_id,
        ...decided,
        depends: { ...decided.depends, ...(ends ? { epoch, head } : {}), ...(restsOnVersion(decided) ? { version } : {}) },
        ...(idempotency === undefined ? {} : { idempotency: nothing ? ofNothing(idempotency) : idempotency }),
      },
    });
    if (result.outcome === "committed") {
      if (result.session === undefined) throw new ThroughlineError("internal", "The store returned no session for a commit of one.");
      return nothing ? undefined : { committed: result.session, epoch, fenced: decided.fence === true };
    }
    if (result.reason === "key_used" && idempotency !== undefined) return { first: firstUse(session_id, idempotency, result) };
    if (!isStale(result)) throw refused(result, session_id);
    if (tries === changes) throw refused(result.reason === "fenced" ? { reason: "stale_version", version } : result, session_id);
  }
}

/**
 * Adds to a decision that ends the running turn the recorded results of its calls that are not in the state yet. A withdrawal withdraws them with the
 * turn. The turn ends even if its results cannot be read; they stay in the log.
 */
async function withLeftOver(
  runtime: RuntimeContext,
  { loaded, command, decided }: { readonly loaded: LoadedSession | undefined; readonly command: Command; readonly decided: Decided },
): Promise<Decided> {
  const running = loaded?.turns.find(({ status }) => status === "running");
  const ends = decided.fence === true && command.type !== "withdraw";
  if (loaded === undefined || running === undefined || !ends) return decided;
  try {
    // A turn that has not called a model has no results, so the code of the loop is not loaded for it.
    if (!loaded.journal.some(({ data }) => data["type"] === "step")) return decided;
    const left = await (await import("../loop/merge.ts")).leftOver(runtime, loaded, running);
    if (left === undefined) return decided;
    const { events, base, checkpoint } = left;
    const { start_turn } = decided;
    return {
      ...decided,
      events: [...events, ...(decided.events ?? [])],
      ...(start_turn === undefined ? {} : { start_turn: { ...start_turn, event: start_turn.event + events.length } }),
      depends: { ...decided.depends, ...present({ base }) },
      ...present({ checkpoint }),
    };
  } catch (error) {
    runtime.logger.error("results of an ended turn not stored", { turn_id: running.turn_id, code: ThroughlineError.from(error).code }, error);
    return decided;
  }
}

/** Loads the data that a command is decided on. If the header is enough, that is one small read. */
async function loadView(
  runtime: RuntimeContext,
  session_id: SessionId,
  command: Command | ((loaded: LoadedSession) => Command | Promise<Command>),
): Promise<{ readonly session: SessionRow; readonly view: SessionView; readonly given: Command; readonly loaded?: LoadedSession }> {
  if (typeof command !== "function" && restsOnHeader.has(command.type)) {
    const session = await runtime.store.open({ session_id });
    if (session === undefined) throw refused({ reason: "session_missing" }, session_id);
    return { session, view: viewOf({ session, waiting: [], turns: [] }), given: command };
  }
  const loaded = await loadSession(runtime, session_id);
  const view = { ...viewOf(loaded), variables: versionsOf(scopedVariables(loaded)) };
  return { session: loaded.session, loaded, view, given: typeof command === "function" ? await command(loaded) : command };
}
