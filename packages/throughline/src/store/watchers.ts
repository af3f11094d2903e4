import { ThroughlineError } from "../kernel/error.ts";
import type { SessionId } from "../kernel/id.ts";

interface Waiter {
  readonly after: number;
  readonly resolve: (head: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Callers within one process that wait for a session's log to grow. */
export class Watchers {
  readonly #waiters = new Map<SessionId, Set<Waiter>>();
  #closed = false;

  /** Sessions with waiting callers. */
  get sessions(): readonly SessionId[] {
    return [...this.#waiters.keys()];
  }

  /** Resolves with a head greater than `after`. It registers first, then checks, then waits, so that no commit is missed in between. */
  async wait(session: SessionId, after: number, signal: AbortSignal, readHead: () => Promise<number | undefined>): Promise<number> {
    signal.throwIfAborted();
    if (this.#closed) throw new ThroughlineError("store.closed");
    return new Promise<number>((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener("abort", abort);
        const waiters = this.#waiters.get(session);
        waiters?.delete(waiter);
        if (waiters?.size === 0) this.#waiters.delete(session);
      };
      const waiter: Waiter = {
        after,
        resolve: (head) => (leave(), resolve(head)),
        reject: (error) => (leave(), reject(error)),
      };
      const abort = (): void => waiter.reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      this.#waiters.set(session, (this.#waiters.get(session) ?? new Set()).add(waiter));
      readHead().then((head) => {
        if (head !== undefined && head > after) waiter.resolve(head);
        // A reader that has seen events waits for an erased session, not for a future one.
        if (head === undefined && after >= 0) waiter.resolve(-1);
      }, waiter.reject);
    });
  }

  /** Tells the callers that wait for `session` its new head. */
  notify(session: SessionId, head: number): void {
    for (const waiter of [...(this.#waiters.get(session) ?? [])]) if (head > waiter.after) waiter.resolve(head);
  }

  /** Ends the wait of readers that have seen events of an erased session. Readers that wait for its first event keep waiting. */
  erased(session: SessionId): void {
    for (const waiter of [...(this.#waiters.get(session) ?? [])]) if (waiter.after >= 0) waiter.resolve(-1);
  }

  /** Rejects all waiting callers, now and later, with `store.closed`. */
  close(): void {
    this.#closed = true;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter.reject(new ThroughlineError("store.closed"));
  }
}
