import type { Client, ClientConfig } from "pg";
import type { Logger } from "../../kernel/log.ts";
import type { SqlValue } from "../sql/driver.ts";
import type { Hear, Link, News } from "../sql/wake/link.ts";
import { answerWithin, boundedClient } from "./connections.ts";
import { Pump, unpackNews } from "./pump.ts";

/** The channel of all Throughline processes on a database. Channels are specific to the database. */
const channel = "throughline";
/** Interval of additional polls while readers wait, as a multiple of a call's limit. For a lost notification or a silent server. */
const safetyLimits = 3;
/** Milliseconds between polls while there is no listening connection. */
const deafMs = 500;
const longestBackoffMs = 5_000;

export interface ListenerOptions {
  readonly config: ClientConfig;
  /** Milliseconds for a statement. If the server takes longer, the connection is replaced. */
  readonly limitMs: number;
  readonly logger: Logger;
  /** Identifies this store in its notifications, so that it ignores its own. */
  readonly name: string;
  /** Runs the notifying statement in the background, on any connection. */
  readonly notify: (sql: string, values: readonly SqlValue[]) => Promise<unknown>;
  readonly onStatement?: ((sql: string) => void) | undefined;
}

const notify = `SELECT pg_notify('${channel}', payload) FROM json_array_elements_text($1::json) payload`;

/** Two methods of a client that its types lack. They set whether it keeps the process alive. */
interface Referable {
  ref(): void;
  unref(): void;
}
const referable = (client: Client | undefined): Referable | undefined => client as unknown as Referable | undefined;

/**
 * Receives news of other processes over one listening connection. It is opened for the first reader and reopened when it breaks. All readers then
 * check again, because notifications in between are lost.
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
    // The connection stays open without keeping the process alive.
    referable(this.#client)?.unref();
  }

  tell(news: News): void {
    this.#pump.tell(news);
  }

  /** Sends the waiting notifications, then closes the connection. */
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
    // Without waiting readers, the next reader connects.
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

  /** Sends a statement, because a connection whose other end has silently disappeared reports nothing by itself. */
  #probe(client: Client): void {
    answerWithin(client, this.#options.limitMs, client.query("SELECT 1")).catch(() => this.#lost(client, "the connection does not answer"));
  }
}
