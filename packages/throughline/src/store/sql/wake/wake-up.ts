import { ThroughlineError } from "../../../kernel/error.ts";
import type { SessionId } from "../../../kernel/id.ts";
import { Watchers } from "../../watchers.ts";
import type { Hear, News, SqlDriver } from "../sql-driver.ts";
import * as queries from "../queries.ts";
import { numberOf } from "../rows.ts";

/** Milliseconds until the retry of a failed poll. */
const repeatMs = 250;

const tellAll = (listeners: ReadonlySet<() => void>): void => [...listeners].forEach((listen) => listen());

/**
 * The waiting readers of this process: for a log to grow, for a queued turn, for drafts. Commits of this process wake them immediately. Commits of
 * other processes wake them through the driver's link, which listens only while readers wait.
 */
export class WakeUp {
  readonly #driver: SqlDriver;
  readonly #watchers = new Watchers();
  readonly #turns = new Set<() => void>();
  readonly #appends = new Set<() => void>();
  readonly #hearDrafts: Hear;
  readonly #now: () => number;
  #held = 0;
  #closed = false;
  #polls = false;
  #pollAgain = false;
  #repeat: NodeJS.Timeout | undefined;

  /** `hearDrafts` is called for drafts, and when anything may have happened. `now` is the store's clock. */
  constructor(driver: SqlDriver, options: { readonly hearDrafts: Hear; readonly now: () => number }) {
    this.#driver = driver;
    this.#hearDrafts = options.hearDrafts;
    this.#now = options.now;
  }

  /** Resolves with the session's head when it is greater than `after`. It registers first, then listens, then checks, then waits. */
  async wait(session: SessionId, after: number, signal: AbortSignal): Promise<number> {
    const attended = this.#hold();
    try {
      return await this.#watchers.wait(session, after, signal, async () => {
        await attended;
        const [row] = (await this.#driver.read(queries.headOf, [session])).session;
        return row && numberOf(row, "head");
      });
    } finally {
      this.#letGo();
    }
  }

  /** Calls `listen` when another process may have queued a turn, from the return on. */
  watchTurns(listen: () => void): Promise<() => void> {
    return this.#attend(this.#turns, listen);
  }

  /** Calls `listen` when the log of any session may have grown, from the return on. */
  watchAppends(listen: () => void): Promise<() => void> {
    return this.#attend(this.#appends, listen);
  }

  async #attend(listeners: Set<() => void>, listen: () => void): Promise<() => void> {
    const own = (): void => listen();
    listeners.add(own);
    const letGo = await this.holdOpen();
    return () => {
      listeners.delete(own);
      letGo();
    };
  }

  /** Wakes the readers of a commit of this process, and notifies the other processes. */
  committed(session: SessionId, { head, queued_turn }: { readonly head: number; readonly queued_turn?: number }): void {
    this.#watchers.notify(session, head);
    tellAll(this.#appends);
    this.#driver.link.tell({ of: "head", session_id: session, head });
    if (queued_turn !== undefined) this.#driver.link.tell({ of: "turns" });
  }

  /** Notifies the other processes that a turn can be claimed again. */
  turnGivenBack(): void {
    this.#driver.link.tell({ of: "turns" });
  }

  /** Wakes the readers of erased sessions, in this process and others. */
  erased(sessions: readonly SessionId[]): void {
    for (const session of sessions) this.#watchers.erased(session);
    this.#driver.link.tell({ of: "anything" });
  }

  /** Listens on the link until the returned function is called. */
  async holdOpen(): Promise<() => void> {
    await this.#hold();
    let held = true;
    return () => {
      if (held) this.#letGo();
      held = false;
    };
  }

  #hold(): Promise<void> {
    this.#held += 1;
    return this.#driver.link.attend((news) => this.#hear(news));
  }

  #letGo(): void {
    this.#held -= 1;
    if (this.#held > 0) return;
    clearTimeout(this.#repeat);
    if (!this.#closed) this.#driver.link.rest();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#repeat);
    this.#turns.clear();
    this.#appends.clear();
    this.#watchers.close();
  }

  #hear(news: News): void {
    if (this.#closed) return;
    if (news.of === "head" || news.of === "anything") tellAll(this.#appends);
    if (news.of === "head") this.#watchers.notify(news.session_id, news.head);
    else if (news.of === "turns") tellAll(this.#turns);
    else this.#hearDrafts(news);
    if (news.of === "anything") this.#poll();
  }

  /** Checks once more after the check in progress. */
  #poll(): void {
    this.#pollAgain = true;
    if (this.#polls) return;
    this.#polls = true;
    void this.#pollAll().finally(() => (this.#polls = false));
  }

  async #pollAll(): Promise<void> {
    try {
      while (this.#pollAgain && !this.#closed) {
        this.#pollAgain = false;
        await this.#pollHeads();
        if (this.#turns.size > 0 && (await this.#turnWaits())) tellAll(this.#turns);
      }
    } catch (error) {
      if (this.#closed || this.#held === 0 || ThroughlineError.is(error, "store.closed")) return;
      clearTimeout(this.#repeat);
      this.#repeat = setTimeout(() => this.#poll(), repeatMs);
    }
  }

  async #pollHeads(): Promise<void> {
    const { sessions } = this.#watchers;
    for (let from = 0; from < sessions.length; from += queries.headsAtOnce) {
      const some = sessions.slice(from, from + queries.headsAtOnce);
      const { heads } = await this.#driver.read(queries.heads, queries.filledUp(some, queries.headsAtOnce));
      const found = new Map(heads.map((row) => [String(row["session_id"]), numberOf(row, "head")]));
      for (const session of some) {
        const head = found.get(session);
        if (head === undefined) this.#watchers.erased(session);
        else this.#watchers.notify(session, head);
      }
      // On SQLite a read blocks the event loop, so it yields to other work between two reads.
      if (from + queries.headsAtOnce < sessions.length) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Whether a turn can be claimed. A claim writes, so it is not tried after every commit of another process. */
  async #turnWaits(): Promise<boolean> {
    return (await this.#driver.read(queries.freeTurn, [this.#now()])).turn.length > 0;
  }
}
