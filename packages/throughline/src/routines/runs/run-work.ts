/** What runs need between turns: timeouts, lost runs, the end of throw-away sessions, and the end of results. Each step is one guarded commit. */
import { commitOnce } from "../../extension/commit.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { findRecord, itemsOf } from "../../extension/lists.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { present } from "../../kernel/json.ts";
import { decide } from "../../session/decide-command.ts";
import type { PendingCall, TurnData } from "../../session/event.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { newEvent, turnEvent } from "../../session/new-event.ts";
import { decisionsOf, isStageCall, undecided } from "../../session/pending-calls.ts";
import { runningTurn, takenUpBy, viewOf } from "../../session/session-view.ts";
import type { CommitResult, Erased, LoadedSession, RecordRow, SessionChange, Store } from "../../store/port.ts";
import { commandValue } from "../inbox.ts";
import { withoutCallback } from "./callback.ts";
import { activeRun, positionIn, runsIn } from "../position.ts";
import {
  callbackMs,
  endOf,
  findRun,
  goneRecords,
  guardedChangesOf,
  hints,
  isLate,
  isOpen,
  resultKinds,
  routinesOf,
  type RunEnd,
  type RunErasure,
  type RunRow,
  stubMs,
  withoutHint,
} from "./run-record.ts";
import { isWaiting } from "./run-turn.ts";

/** Milliseconds between two looks at an open run: from the first to the longest. */
const [firstLookMs, longestLookMs] = [5_000, 3_600_000];

/** When the worker looks at an open run again: ever less often, and at its deadline. */
export const nextLook = (
  now: number,
  { looks, deadline = Number.POSITIVE_INFINITY }: { readonly looks: number; readonly deadline?: number },
): number => Math.min(deadline, now + Math.min(longestLookMs, firstLookMs * 2 ** Math.min(looks, 12)));

/** Does what is due. */
export async function lookAtRuns(context: ExtensionContext, signal: AbortSignal): Promise<void> {
  for await (const hint of itemsOf(context.store, hints)) {
    const { id, at } = hint.data;
    if (typeof at !== "number" || typeof id !== "string" || at > context.clock.now() || signal.aborted) return;
    try {
      await follow(context, hint, id);
    } catch (error) {
      // One run must not hold up the others. Its hint stays.
      const { code } = ThroughlineError.from(error);
      if (code.startsWith("store.")) throw error;
      context.logger.warn("a run could not go on", { run: id, code }, error);
    }
  }
}

async function follow(context: ExtensionContext, hint: RecordRow, id: string): Promise<void> {
  const row = await findRun(context.store, id);
  const isDue = row !== undefined && (row.next_at <= context.clock.now() || (hint.data["isSooner"] === true && isOpen(row)));
  if (isDue && row.expired_at === undefined) {
    const done = isOpen(row) ? await lookAtOpen(context, row) : await lookAtFinished(context, row);
    // Somebody else changed the run. The hint stays for the next look.
    if (!done) return;
  }
  await commitOnce(context, { records: [withoutHint(hint)] });
}

async function lookAtOpen(context: ExtensionContext, row: RunRow): Promise<boolean> {
  const now = context.clock.now();
  if (isLate(row, now)) return endFromOutside(context, row, { status: "failed", code: "timeout" });
  const lost = await isLost(context, row);
  if (lost !== undefined) {
    const status = lost.code === "withdrawn" ? "cancelled" : "failed";
    return endFromOutside(context, row, { status, code: lost.code }, lost.loaded);
  }
  const looks = row.looks + 1;
  return isWritten(await commitOnce(context, { records: guardedChangesOf(row, { looks, next_at: nextLook(now, { ...row, looks }) }) }));
}

/** Tells why no turn will go on with a run, or returns undefined for one that goes on. */
async function isLost(
  { store, agents }: ExtensionContext,
  row: RunRow,
): Promise<{ readonly code: string; readonly loaded: LoadedSession | undefined } | undefined> {
  const loaded = await store.load({ session_id: row.session_id, messages: 0 });
  if (loaded === undefined) return { code: "session_deleted", loaded };
  if (loaded.turns.length > 0 || loaded.session.mode === "manual") return undefined;
  const routines = routinesOf({ agents }, row.agent);
  // Another process knows the agent.
  if (routines === undefined) return undefined;
  const position = positionIn(foldState(loaded).document);
  if (!runsIn(position).includes(row.id)) return { code: (await isEntered(store, row)) ? "step_not_registered" : "withdrawn", loaded };
  return isWaiting(position, row.id, routines) ? undefined : { code: row.lost ?? "turn_failed", loaded };
}

/** Whether the session's log still has the event that enters the run's routine. */
async function isEntered(store: Store, { session_id, trace_id }: RunRow): Promise<boolean> {
  const page = await store.read({ session_id, kinds: ["custom"], trace_id, limit: 1 });
  return page !== undefined && page.events.length > 0;
}

/**
 * Ends a run outside of a turn, in one commit: its result, the end of a turn that works or waits for nothing else, and the command by which the session
 * leaves the routine. Another turn goes on, without the approval that the run waits for. If it has entered the routine meanwhile, it leaves it before its next step, and its writes of the run are left out.
 * Returns false if the run or the session has changed.
 */
export async function endFromOutside(context: ExtensionContext, row: RunRow, end: RunEnd, known?: LoadedSession): Promise<boolean> {
  const loaded = known ?? (await context.store.load({ session_id: row.session_id, messages: 0 }));
  const { change, also } = endOf(row, end, context.clock.now());
  const records = [...guardedChangesOf(row, change), ...also];
  if (loaded === undefined) return isWritten(await commitOnce(context, { records }));
  const isEnded = isWritten(await commitOnce(context, { session: interruption(context, row, { loaded, end }), records }));
  if (isEnded) context.drive(row.session_id);
  return isEnded;
}

function interruption(
  context: ExtensionContext,
  row: RunRow,
  { loaded, end }: { readonly loaded: LoadedSession; readonly end: RunEnd },
): SessionChange {
  const view = viewOf(loaded);
  const { session_id, epoch, head } = loaded.session;
  const trace_id = context.ids.trace();
  const leave = newEvent("custom", "system", { value: commandValue({ type: "leave", run: row.id }) }, { trace_id });
  const running = runningTurn(view);
  // Only runs and routines have such turns. A message that came meanwhile is answered by the same turn.
  const isFree = (running?.cause === "trigger" || running?.cause === "schedule") && takenUpBy(view, running.number).length === 0;
  const isActive = activeRun(positionIn(foldState(loaded).document)) === row.id;
  const asked = isActive ? pendingIn(loaded, context.clock.now()) : [];
  // Otherwise a waiting run has no turn: the running one has taken its first step elsewhere, or none yet. A throw-away session has no turns of others.
  const works = row.owner_id !== undefined || (isActive && (row.status === "running" || asked.length > 0));
  const stopped = isFree && works ? decide(view, { type: "stop_turn", message: "The run is over.", turn: running.number }) : {};
  // A turn that also answers somebody goes on without the approval that the run waits for.
  const rejected = running === undefined || isFree ? [] : asked.map((call) => turnEvent(running.number, rejectionOf(call, end)));
  return {
    ...stopped,
    session_id,
    // A person may decide at the same time, which counts.
    depends: { epoch, ...(rejected.length === 0 ? {} : { head }) },
    events: [...(stopped.events ?? []), ...rejected, leave],
    ...(rejected.length === 0 ? {} : { wake: true }),
    queue: { cause: "trigger", trace_id },
  };
}

/** The approvals that the running turn waits for, without those of stages and child agents, which are not the routine's. */
const pendingIn = ({ journal }: LoadedSession, now: number): readonly PendingCall[] =>
  undecided(
    decisionsOf(
      journal.map((stored) => decodeEvent(stored)),
      { now },
    ),
  ).flatMap(({ call }) => (call.child === undefined && !isStageCall(call) ? [call] : []));

const rejectionOf = ({ call_id, index, arguments_hash }: PendingCall, { status }: RunEnd): TurnData => ({
  type: "decided",
  ...{ call_id, index, arguments_hash },
  decision: { type: "reject", feedback: "The run is over.", cause: status === "cancelled" ? "person" : "expiry" },
});

async function lookAtFinished(context: ExtensionContext, row: RunRow): Promise<boolean> {
  if (row.settled !== true) return settle(context, row);
  return expire(context, row);
}

/** Deletes the throw-away session with its owner, once the callback has settled. What is kept of it moves to an owner of its own first. */
async function settle(context: ExtensionContext, row: RunRow): Promise<boolean> {
  const { store, clock } = context;
  const now = clock.now();
  if (row.callback === "pending") {
    // Nobody could deliver it for too long.
    if ((row.finished_at ?? now) + callbackMs > now) return true;
    const changes = guardedChangesOf(row, { callback: "dead", call_error: "timeout", next_at: now });
    const isDead = isWritten(await commitOnce(context, { records: [...changes, withoutCallback(row.id)] }));
    if (isDead) context.logger.warn("a callback is given up", { run: row.id, routine: row.routine, attempts: row.calls ?? 0, error: "timeout" });
    return isDead;
  }
  const settled = { settled: true, next_at: Math.max(now, row.expires_at ?? now) } as const;
  if (row.owner_id === undefined) return isWritten(await commitOnce(context, { records: guardedChangesOf(row, settled) }));
  const found = row.kept_by === undefined ? await Promise.all(resultKinds.map((kind) => findRecord(store, kind, row.id))) : [];
  const kept = found.filter((record) => record !== undefined);
  if (kept.length > 0) {
    const kept_by = context.ids.next("owner");
    const moved = kept.map(({ kind, key, data }) => ({ kind, key, data, owner_id: kept_by }));
    const result = await commitOnce(context, {
      owner: { owner_id: kept_by, create: {} },
      records: [...guardedChangesOf(row, { kept_by }), ...moved],
    });
    if (!isWritten(result)) return false;
    const next = await findRun(store, row.id);
    return next !== undefined && settle(context, next);
  }
  // The receipt stays as long as the run's record, which has a copy.
  const erasure = receiptOf(await store.erase({ owner_id: row.owner_id, keep_ms: settled.next_at - now + stubMs }));
  return isWritten(await commitOnce(context, { records: guardedChangesOf(row, { ...settled, ...present({ erasure }) }) }));
}

/** Removes the result. The receipt stays. */
async function expire(context: ExtensionContext, row: RunRow): Promise<boolean> {
  if (row.kept_by !== undefined) await context.store.erase({ owner_id: row.kept_by, keep_ms: stubMs });
  const address = row.callback === "pending" ? [withoutCallback(row.id)] : [];
  const removed = row.kept_by === undefined ? resultKinds.map((kind) => ({ kind, key: row.id, data: null })) : [];
  return isWritten(await commitOnce(context, { records: [...goneRecords(row, context.clock.now()), ...removed, ...address] }));
}

const receiptOf = ({ erasure_id, requested_at, finished_at, sessions, events }: Erased): RunErasure | undefined =>
  erasure_id === undefined || requested_at === undefined
    ? undefined
    : { id: erasure_id, requested_at, ...present({ finished_at }), sessions, events };

const isWritten = ({ outcome }: CommitResult): boolean => outcome === "committed";
