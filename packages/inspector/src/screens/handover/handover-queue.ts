/** A queue of sessions that are, or were, with people. It is read again every few seconds and after each action. */
import { signal } from "@preact/signals";
import type { RequestError, ResultOf } from "@throughline/client";
import { failureOf } from "../../base/page-actions.ts";
import { client, lost } from "../../base/page-service.ts";

export type QueuedSession = ResultOf<"listHandovers">["items"][number];

/** The queues, in the order of their keys. */
export const queueNames = ["waiting", "mine", "assigned", "resolved"] as const;
export type QueueName = (typeof queueNames)[number];

/** Milliseconds between two reads. */
const refreshMs = 2_000;

export class HandoverQueue {
  readonly items = signal<readonly QueuedSession[]>([]);
  readonly more = signal(false);
  readonly ready = signal(false);
  readonly error = signal<RequestError | undefined>(undefined);
  readonly #name: QueueName;
  readonly #operator: string;
  #reads = 0;

  constructor(name: QueueName, operator: string) {
    this.#name = name;
    this.#operator = operator;
  }

  /** Reads the queue, and reads it again until the signal aborts. */
  start(left: AbortSignal): void {
    void this.read(left);
    const timer = setInterval(() => {
      // A key that may not read the queue will not be allowed to a moment later.
      if (!document.hidden && lost.peek() === undefined && this.error.peek()?.status !== 403) void this.read(left);
    }, refreshMs);
    left.addEventListener("abort", () => clearInterval(timer), { once: true });
  }

  /** Reads the queue. Of several reads the last one counts. */
  async read(signal?: AbortSignal): Promise<void> {
    const read = (this.#reads += 1);
    const isLast = (): boolean => signal?.aborted !== true && read === this.#reads;
    try {
      if (this.#name === "mine" && this.#operator === "") return void (this.ready.value = true);
      const query = { queue: this.#name, limit: 100, ...(this.#name === "mine" ? { operator: this.#operator } : {}) };
      const page = await client().handovers.list(query, signal === undefined ? {} : { signal });
      if (!isLast()) return;
      this.items.value = page.items;
      this.more.value = page.next_cursor !== null;
      this.error.value = undefined;
      this.ready.value = true;
    } catch (error) {
      if (isLast()) this.error.value = failureOf(error);
    }
  }
}
