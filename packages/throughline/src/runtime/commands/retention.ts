/** Deletes data: retention truncates logs and deletes sessions that have been unused for long. Receipts record erasures. */
import { invalidAt } from "../../extension/failure.ts";
import { commitOnce, refused } from "../../extension/commit.ts";
import { getCustomer, itemsOf } from "../../extension/lists.ts";
import type { WriterContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { deepFreeze, present } from "../../kernel/json.ts";
import type { Event } from "../../session/event.ts";
import { decodeEvent, foldState } from "../../session/fold.ts";
import { isLabelled } from "../../session/session-view.ts";
import type { Erased, LoadedSession, Page, Refusal, SessionRow, Store } from "../../store/port.ts";
import { eraseFamily } from "../subagent/child-sessions.ts";

/** Limits of retention. With both limits a log starts at the later of the two offsets. */
export interface RetentionOptions {
  /** Deletes events older than this many milliseconds. */
  readonly olderThanMs?: number;
  /** Maximum number of events that stay in each log. The turn of the first of them stays whole. */
  readonly keepEvents?: number;
  /** Only sessions of this agent. */
  readonly agent?: string;
  /** Only sessions of this customer. */
  readonly customer?: string;
  /** Whether to delete sessions whose last event is older than `olderThanMs`, unless something waits there. Defaults to false. */
  readonly deleteSessions?: boolean;
  /** Only reports what would happen. Defaults to false. */
  readonly dryRun?: boolean;
}

/** Result of retention, or of its dry run. */
export interface RetentionReport {
  /** Number of examined sessions. */
  readonly sessions: number;
  /** Number of truncated logs. */
  readonly cut: number;
  /** Number of deleted sessions. */
  readonly deleted: number;
  /** Number of events deleted by both. Events that forks share stay in the database. */
  readonly events: number;
}

function checkOptions({ olderThanMs, keepEvents, deleteSessions = false }: RetentionOptions): void {
  const limits: readonly (readonly [string, number | undefined, number])[] = [
    ["olderThanMs", olderThanMs, 0],
    ["keepEvents", keepEvents, 1],
  ];
  for (const [path, value, least] of limits) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw invalidAt("input.invalid", path, `${path} is a whole number from ${least}, got ${seen(value)}.`);
  }
  if (olderThanMs === undefined && (keepEvents === undefined || deleteSessions))
    throw new ThroughlineError(
      "filter.required",
      deleteSessions ? "deleteSessions needs olderThanMs." : "Retention needs olderThanMs or keepEvents.",
      { hint: "Set the age of deleted events, or the number that stays." },
    );
}

/** Applies retention to all selected sessions, one after the other. */
export async function retain(writer: WriterContext, options: RetentionOptions): Promise<RetentionReport> {
  checkOptions(options);
  const { store, clock } = writer;
  const before = options.olderThanMs === undefined ? undefined : clock.now() - options.olderThanMs;
  const report = { sessions: 0, cut: 0, deleted: 0, events: 0 };
  for await (const row of sessionsOf(writer, options)) {
    report.sessions += 1;
    // The log of a child agent is one call. It is deleted as a whole when all of it is old, and keeps its owner until then.
    const whole = isLabelled(row);
    const isOld = (whole || options.deleteSessions === true) && before !== undefined && row.updated_at < before;
    const removed = isOld ? await remove(store, row, before, options.dryRun === true) : undefined;
    if (removed !== undefined) {
      report.deleted += 1;
      report.events += removed;
      continue;
    }
    if (whole) continue;
    const first = await cut(writer, row, { before, keepEvents: options.keepEvents, dryRun: options.dryRun === true });
    report.cut += first === row.first_offset ? 0 : 1;
    report.events += first - row.first_offset;
  }
  return report;
}

async function* sessionsOf({ store, logger }: WriterContext, { agent, customer }: RetentionOptions): AsyncGenerator<SessionRow> {
  const ofAgent = present({ agent });
  const ofCustomer = customer === undefined ? {} : { owner_id: (await getCustomer(store, customer)).owner_id };
  yield* itemsOf(store, { of: "sessions", ...ofAgent, ...ofCustomer }, (place) => logger.error("retention passed over a damaged row", { place }));
}

/**
 * Deletes a session in which nothing waits and nothing runs. Returns the number of deleted events, or undefined if the session stays. Events since
 * the listing, or between the check and the erasure, keep it.
 */
async function remove(store: Store, { session_id }: SessionRow, before: number, dryRun: boolean): Promise<number | undefined> {
  const loaded = await store.load({ session_id, messages: 0 });
  if (loaded === undefined || loaded.turns.length > 0 || loaded.waiting.length > 0 || loaded.session.updated_at >= before) return undefined;
  const { head, first_offset } = loaded.session;
  if (dryRun) return head + 1 - first_offset;
  const { erasure_id, events } = await eraseFamily(store, { session_id, head });
  return erasure_id === undefined ? undefined : events;
}

interface Limits {
  readonly before: number | undefined;
  readonly keepEvents: number | undefined;
  readonly dryRun: boolean;
}

/** Maximum number of tries if other work on the session interferes, such as a message, a turn or another retention. */
const tries = 5;

/** Truncates a log as far as allowed. Returns its new first offset. A log that is too short and too recent to be cut is not read. */
async function cut(writer: WriterContext, row: SessionRow, limits: Limits): Promise<number> {
  const { session_id, first_offset } = row;
  const tooLong = limits.keepEvents !== undefined && row.head + 1 - limits.keepEvents > first_offset;
  const tooOld = limits.before !== undefined && row.created_at < limits.before;
  if (!tooLong && !tooOld) return first_offset;
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await tryCut(writer, row, limits);
      if (typeof result === "number") return result;
      if (result.reason !== "cut_out_of_range" || attempt === tries) throw refused(result, session_id);
    } catch (error) {
      // Another retention has cut the log between two reads.
      if (!ThroughlineError.is(error, "log.retained_from") || attempt === tries) throw error;
    }
  }
}

/** Makes one attempt. Returns the log's first offset, or the reason why the cut was rejected. */
async function tryCut(
  writer: WriterContext,
  { session_id, first_offset }: SessionRow,
  { before, keepEvents, dryRun }: Limits,
): Promise<number | Refusal> {
  const now = await writer.store.load({ session_id, messages: 0 });
  if (now === undefined) return first_offset;
  const bySize = keepEvents === undefined ? 0 : now.session.head + 1 - keepEvents;
  const byAge = before === undefined ? 0 : await firstSince(writer.store, now.session, before);
  const target = await turnBoundary(writer.store, now.session, Math.min(Math.max(bySize, byAge), latestCut(now)));
  if (target <= now.session.first_offset) return first_offset;
  if (dryRun) return target;
  const past = await writer.store.load({ session_id, messages: 0, at: target - 1 });
  if (past === undefined) return first_offset;
  const result = await commitOnce(writer, { session: { session_id, cut: { first_offset: target, state: foldState(past).document } } });
  if (result.outcome === "committed") return target;
  return result.reason === "session_missing" ? first_offset : result;
}

/** Returns the maximum first offset of a log. Waiting messages, open turns and the last event stay. */
const latestCut = ({ session, waiting, turns }: LoadedSession): number =>
  Math.min(
    session.head,
    ...waiting.map(({ offset }) => offset),
    ...turns.flatMap(({ started_offset }) => (started_offset === undefined ? [] : [started_offset])),
  );

/** Number of events per read of the search. */
const searched = 64;

/** Finds the first event that is not older than `before`, by bisection down to one page, because times ascend along a log. */
async function firstSince(store: Store, { session_id, first_offset, head }: SessionRow, before: number): Promise<number> {
  for (let [low, high] = [first_offset, head]; ;) {
    const from = high - low < searched ? low : low + Math.floor((high - low - searched) / 2);
    const page = await store.read({
      session_id,
      min_offset: from,
      max_offset: Math.min(from + searched - 1, high),
      limit: searched,
      withdrawn: true,
    });
    const events = (page?.events ?? []).map((stored) => decodeEvent(stored));
    const younger = events.find(({ created_at }) => created_at >= before);
    if (younger !== undefined && (younger !== events[0] || from === low)) return younger.offset;
    if (younger !== undefined) high = from;
    else if (from + searched > high) return high;
    else low = from + searched;
  }
}

/**
 * Returns the last offset up to `target` that is not within a turn. A turn stays whole, with the messages that it answers. Turns of a session run one
 * after the other, so the first `turn` event from an offset on shows whether a turn was running there.
 */
async function turnBoundary(store: Store, row: SessionRow, target: number): Promise<number> {
  const { session_id, first_offset } = row;
  for (let boundary = target; ;) {
    if (boundary <= first_offset) return first_offset;
    const page = await store.read({ session_id, min_offset: boundary, kinds: ["turn"], limit: 1, withdrawn: true });
    const [next] = (page?.events ?? []).map((stored) => decodeEvent(stored));
    const started = next?.kind === "turn" && next.data.type !== "started" ? await startOf(store, row, next) : next;
    if (started?.kind !== "turn" || started.data.type !== "started") return boundary;
    const begin = Math.min(boundary, started.offset, ...started.data.answers);
    if (begin === boundary) return boundary;
    boundary = begin;
  }
}

/** Searches backwards for the event that started the turn of another event. A turn has about ten events. */
async function startOf(store: Store, { session_id, first_offset }: SessionRow, { offset, turn_id }: Event): Promise<Event | undefined> {
  for (let window = 64; ; window *= 4) {
    const min_offset = Math.max(first_offset, offset - window);
    for (let from = min_offset; from < offset;) {
      const page = await store.read({ session_id, min_offset: from, max_offset: offset - 1, kinds: ["turn"], limit: 1000, withdrawn: true });
      const events = (page?.events ?? []).map((stored) => decodeEvent(stored));
      const started = events.find((event) => event.kind === "turn" && event.data.type === "started" && event.turn_id === turn_id);
      if (started !== undefined || page === undefined) return started;
      from = page.next_offset;
    }
    if (min_offset === first_offset) return undefined;
  }
}

/** The receipt of an erasure: when it was requested and finished, and how much it deleted. It contains no ids of customers or sessions. */
export interface Erasure {
  readonly id: string;
  readonly requested_at: number;
  /** Absent while the erasure is running. The next process that opens the database finishes it. */
  readonly finished_at?: number;
  /** Number of erased sessions. */
  readonly sessions: number;
  /** Number of deleted events. Events that living forks share are deleted with the last of these forks. */
  readonly events: number;
}

/** Receipts of erasures. */
export interface Erasures {
  /** Oldest first. */
  list(page?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<Erasure>>;
}

/** Converts the store's record of an erasure to a receipt. */
export function toErasure({ erasure_id, requested_at, finished_at, sessions, events }: Erased): Erasure {
  if (erasure_id === undefined || requested_at === undefined) throw new ThroughlineError("internal", "The store returned no receipt.");
  return deepFreeze({ id: erasure_id, requested_at, ...present({ finished_at }), sessions, events });
}

export const createErasures = (store: Store): Erasures => ({
  list: async (page = {}) => {
    const found = await store.list({ of: "erasures", ...page });
    return { ...found, items: found.items.map(toErasure) };
  },
});
