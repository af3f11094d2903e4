import type { Client, ClientConfig } from "pg";
import type { Logger } from "../../kernel/log.ts";
import type { SqlValue } from "../sql/driver.ts";
import type { Hear, Link, News } from "../sql/wake/link.ts";
import { answerWithin, boundedClient } from "./connections.ts";
import { Pump, unpackNews } from "./pump.ts";

/** Every Throughline on a database listens to the same channel; it is the database's own. */
const channel = "throughline";
/** How often to poll anyway while readers wait, for a notification that was lost or a server that fell silent: this many times the limit of a call. */
const safetyLimits = 3;
/** How often to look while there is no connection to listen on. */
const deafMs = 500;
const longestBackoffMs = 5_000;

export interface ListenerOptions {
  readonly config: ClientConfig;
  /** Milliseconds within which the server answers a statement; after them the connection is replaced. */
  readonly limitMs: number;
  readonly logger: Logger;
  /** Names this store in its notifications, so that it passes over its own. */
  readonly name: string;
  /** Runs the one statement that notifies, in the background, on any connection. */
  readonly notify: (sql: string, values: readonly SqlValue[]) => Promise<unknown>;
  readonly onStatement?: ((sql: string) => void) | undefined;
}

const notify = `SELECT pg_notify('${channel}', payload) FROM json_array_elements_text($1::json) payload`;

/** A client has these two, and its types do not say so: whether it keeps the process alive. */
interface Referable {
  ref(): void;
  unref(): void;
}
const referable = (client: Client | undefined): Referable | undefined => client as unknown as Referable | undefined;

/**
 * Hears of other processes over one connection that listens: opened for the first reader, reopened when it breaks, and then
 * whatever is waited for is looked at, since what was told in between is lost.
 */
export class Listener implements Link {
  readonly #options: ListenerOptions;
  readonly #pump: Pump;
  #hear: Hear | undefined;
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #listens = false;
  #waits = false;
  #failures = 0;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #safety: NodeJS.Timeout | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#pump = new Pump(options.name, (payloads) => options.notify(notify, [JSON.stringify(payloads)]));
  }

  async attend(hear: Hear): Promise<void> {
    this.#hear = hear;
    if (!this.#waits) {
      this.#waits = true;
      referable(this.#client)?.ref();
      this.#schedule();
    }
    if (this.#listens || this.#closed) return;
    // Until the next try, readers poll more often.
    if (this.#retry === undefined) this.#connecting ??= this.#connect();
    await this.#connecting;
  }

  rest(): void {
    this.#waits = false;
    clearTimeout(this.#safety);
    // The connection stays, and does not keep the process alive.
    referable(this.#client)?.unref();
  }

  tell(news: News): void {
    this.#pump.tell(news);
  }

  /** Tells what is waiting to be told, then lets go of the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#safety);
    clearTimeout(this.#retry);
    await this.#pump.close();
    await this.#connecting;
    const client = this.#client;
    this.#client = undefined;
    this.#listens = false;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    const client = boundedClient({ ...this.#options.config, application_name: "throughline listen" });
    this.#client = client;
    client.on("error", (error) => this.#lost(client, error.message));
    client.on("end", () => this.#lost(client, "the connection was ended"));
    client.on("notification", ({ payload = "" }) => {
      for (const news of unpackNews(this.#options.name, payload)) this.#hear?.(news);
    });
    const again = this.#failures > 0;
    try {
      await client.connect();
      this.#options.onStatement?.(`LISTEN ${channel}`);
      await answerWithin(client, this.#options.limitMs, client.query(`LISTEN ${channel}`));
    } catch (error) {
      return this.#lost(client, error instanceof Error ? error.message : "unknown");
    } finally {
      this.#connecting = undefined;
    }
    if (this.#client !== client) return;
    this.#listens = true;
    this.#failures = 0;
    if (!this.#waits) referable(client)?.unref();
    this.#schedule();
    if (!again) return;
    this.#options.logger.info("store.listening", {});
    this.#hear?.({ of: "anything" });
  }

  #lost(client: Client, reason: string): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#listens = false;
    this.#failures += 1;
    client.end().catch(() => {});
    if (this.#failures === 1) this.#options.logger.warn("store.listen_lost", { reason });
    // Without anybody who waits the next one who does connects.
    if (!this.#waits) return;
    const pause = Math.min(longestBackoffMs, 25 * 2 ** Math.min(this.#failures, 10));
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#waits && !this.#closed) this.#connecting ??= this.#connect();
    }, pause);
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#safety);
    if (!this.#waits || this.#closed) return;
    this.#safety = setTimeout(
      () => {
        this.#hear?.({ of: "anything" });
        const client = this.#client;
        if (this.#listens && client !== undefined) this.#probe(client);
        this.#schedule();
      },
      this.#listens ? safetyLimits * this.#options.limitMs : deafMs,
    );
  }

  /** Asks for an answer: a connection whose other end is gone without a word does not tell of it by itself. */
  #probe(client: Client): void {
    answerWithin(client, this.#options.limitMs, client.query("SELECT 1")).catch(() => this.#lost(client, "the connection does not answer"));
  }
}
