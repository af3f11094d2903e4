/** Wakes sessions whose routines wait for a time. A record holds the time, and the commit that queues the turn removes it, so it fires once. */
import { commitOnce, refused } from "../extension/commit.ts";
import { itemsOf } from "../extension/lists.ts";
import type { BackgroundWorker, ExtensionContext, Restored } from "../extension/port.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";
import type { RecordChange, RecordRow } from "../store/port.ts";
import { type Position, topOf } from "./position.ts";
import { Schedules } from "./routine-schedule.ts";
import { lookAtRuns } from "./runs/run-work.ts";

/** Kind of the records that wake sessions. */
export const wakeKind = "routine.wake";

/** Returns the record that wakes a session. Keys sort by time. It is erased with its session. */
export const wakeAt = (session_id: SessionId, at: number): RecordChange => ({
  kind: wakeKind,
  key: `${String(Math.max(0, Math.floor(at))).padStart(16, "0")}/${session_id}`,
  data: { session_id, at },
  session_id,
});

/**
 * Returns the record that wakes a session at the position that it stands at, if its active routine waits for a time. A fork that is made after that
 * time does nothing before its first turn, so that its caller can take another way there.
 */
export function wakesOf(position: Position, { session_id, before, now }: Omit<Restored, "state">): readonly RecordChange[] {
  const { until, put_off, done } = topOf(position)?.at ?? {};
  if (done === true) return [];
  const at = put_off === undefined ? until : now;
  const isPassed = at !== undefined && at <= now;
  return at === undefined || (before === undefined && isPassed) ? [] : [wakeAt(session_id, at)];
}

/** Queues turns for sessions whose time has come, does what runs need, and starts what is scheduled. One per process. */
export class WakeWorker implements BackgroundWorker {
  readonly #context: ExtensionContext;
  readonly #schedules: Schedules;
  readonly #pollMs: number;
  readonly #work: boolean;
  readonly #closing = new AbortController();
  #polling: Promise<void> | undefined;

  constructor(context: ExtensionContext, { pollMs, work }: { readonly pollMs: number; readonly work: boolean }) {
    this.#context = context;
    this.#schedules = new Schedules(context);
    this.#pollMs = pollMs;
    this.#work = work;
  }

  start(): void {
    if (this.#work) this.#polling ??= this.#poll();
  }

  async look(): Promise<void> {
    const { store, clock, logger } = this.#context;
    for await (const row of itemsOf(store, { of: "records", kind: wakeKind })) {
      const { at } = row.data;
      if (typeof at !== "number" || at > clock.now() || this.#closing.signal.aborted) break;
      try {
        await wake(this.#context, row);
      } catch (error) {
        // The record stays for the next poll, and the other sessions do not wait for it.
        const session_id = row.data["session_id"] as SessionId;
        logger.warn("waking a session failed", { session_id, code: ThroughlineError.from(error).code }, error);
      }
    }
    await this.#schedules.look();
    await lookAtRuns(this.#context, this.#closing.signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new ThroughlineError("aborted", "The runtime is closing."));
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const { clock, logger } = this.#context;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.look();
      } catch (error) {
        if (!signal.aborted) logger.warn("waking sessions failed", { code: ThroughlineError.from(error).code }, error);
      }
      await clock.sleep(this.#pollMs, signal).catch(() => {});
    }
  }
}

/** Milliseconds after which the worker looks again at a session that an operator has. The longer it has, the later. */
const [firstLookMs, longestLookMs] = [1_000, 60_000];

/** Queues the turn and removes the record, in one commit. A session in manual mode stays with its operator, and keeps a record for later. */
async function wake(context: ExtensionContext, { key, version, data }: RecordRow): Promise<void> {
  const { store, clock, ids } = context;
  const session_id = data["session_id"] as SessionId;
  const session = await store.open({ session_id });
  const removed: RecordChange = { kind: wakeKind, key, data: null, depends: { version } };
  if (session?.mode === "manual") {
    const now = clock.now();
    const due = typeof data["due"] === "number" ? data["due"] : Number(data["at"]);
    const later = wakeAt(session_id, now + Math.min(longestLookMs, Math.max(firstLookMs, now - due)));
    await commitOnce(context, { records: [removed, { ...later, data: { ...later.data, due } }] });
    return;
  }
  const queue = { cause: "schedule", trace_id: ids.trace() } as const;
  // In manual mode no turn would be queued.
  const depends = session === undefined ? {} : { depends: { version: session.version } };
  const result = await commitOnce(context, { session: { session_id, queue, ...depends }, records: [removed] });
  if (result.outcome === "committed") return context.drive(session_id);
  // Another process was faster, the session was erased, or the next poll meets its new header.
  if (!["stale_record", "session_missing", "stale_version"].includes(result.reason)) throw refused(result, session_id);
}
