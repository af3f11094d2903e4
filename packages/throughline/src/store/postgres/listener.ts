/** News between the processes on one PostgreSQL database: notifications are sent in groups, and received over one listening connection. */
import type { Client } from "pg";
import type { SessionId } from "../../kernel/id.ts";
import type { Logger } from "../../kernel/log.ts";
import type { Hear, Link, News, SqlValue } from "../sql/sql-driver.ts";
import { answerWithin, boundedClient, type Hosts } from "./connections.ts";
import { quotedName, quotedText } from "./location.ts";

/** Notifications within this many milliseconds are sent together. */
const coalesceMs = 5;
/** Maximum milliseconds before the retry of a failed notification. */
const longestPauseMs = 5_000;
/** PostgreSQL accepts payloads of less than 8,000 bytes. */
const payloadBytes = 7_900;

const tokenOf: { readonly [Of in News["of"]]: (news: Extract<News, { of: Of }>) => string } = {
  head: ({ session_id, head }) => `h:${encodeURIComponent(session_id)}:${head}`,
  turns: () => "t",
  anything: () => "a",
  draft: ({ session_id }) => `d:${encodeURIComponent(session_id)}`,
  draft_end: ({ piece }) =>
    `e:${encodeURIComponent(piece.session_id)}:${piece.epoch}:${piece.turn}:${piece.message}:${piece.at}:${/^\w{1,40}$/.test(piece.ended) ? piece.ended : "ended"}`,
};

/** Packs news into payloads: the sender's name, then one word for each item. */
export function packNews(sender: string, news: readonly News[]): readonly string[] {
  const payloads: string[] = [];
  let payload = sender;
  for (const one of news) {
    const token = (tokenOf[one.of] as (news: News) => string)(one);
    if (payload.length + 1 + token.length > payloadBytes) {
      payloads.push(payload);
      payload = sender;
    }
    payload += ` ${token}`;
  }
  return payload === sender ? payloads : [...payloads, payload];
}

/** Unpacks a payload. Returns nothing for this process's own payloads, and skips unknown words of later versions and malformed ones. */
export function unpackNews(receiver: string, payload: string): readonly News[] {
  const [sender, ...tokens] = payload.split(" ");
  return sender === receiver ? [] : tokens.flatMap((token) => newsOf(token) ?? []);
}

function newsOf(token: string): News | undefined {
  const [of, session = "", ...rest] = token.split(":");
  const session_id = decoded(session) as SessionId | undefined;
  if (session_id === undefined) return undefined;
  const [first = NaN, turn = NaN, message = NaN, at = NaN] = rest.map(Number);
  switch (of) {
    case "h":
      return { of: "head", session_id, head: first };
    case "t":
      return { of: "turns" };
    case "a":
      return { of: "anything" };
    case "d":
      return { of: "draft", session_id };
    case "e":
      // The earlier pieces have the draft's position.
      return { of: "draft_end", piece: { session_id, epoch: first, turn, message, after: 0, at, text: "", ended: rest[4] ?? "ended" } };
    default:
      return undefined;
  }
}

/** Returns the decoded text, or undefined if it is malformed: any user of the database can notify. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Returns a key. Of waiting news with the same key only the last is sent. Every end of a draft is sent. */
function keyOf(news: News): string {
  if (news.of !== "draft_end") return "session_id" in news ? `${news.of} ${news.session_id}` : news.of;
  const { session_id, epoch, message } = news.piece;
  return `${news.of} ${session_id} ${epoch} ${message}`;
}

/** Sends notifications after commits: grouped, in the background, and retried until they are sent. Of several heads of a session only the last is sent. */
export class Pump {
  readonly #send: (payloads: readonly string[]) => Promise<unknown>;
  readonly #sender: string;
  #waiting = new Map<string, News>();
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #failures = 0;
  #closed = false;

  constructor(sender: string, send: (payloads: readonly string[]) => Promise<unknown>) {
    this.#sender = sender;
    this.#send = send;
  }

  tell(news: News): void {
    if (this.#closed) return;
    this.#note(news);
    this.#schedule();
  }

  /** Sends the waiting notifications once, then stops. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    await this.#flush();
  }

  #note(news: News): void {
    const key = keyOf(news);
    const known = this.#waiting.get(key);
    if (news.of === "head" && known?.of === "head" && known.head >= news.head) return;
    this.#waiting.set(key, news);
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#sending !== undefined || this.#closed) return;
    const pause = this.#failures === 0 ? coalesceMs : Math.min(longestPauseMs, 50 * 2 ** this.#failures);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#flush().finally(() => {
        this.#sending = undefined;
        if (this.#waiting.size > 0) this.#schedule();
      });
    }, pause);
  }

  async #flush(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const news = [...this.#waiting.values()];
    this.#waiting = new Map();
    try {
      await this.#send(packNews(this.#sender, news));
      this.#failures = 0;
    } catch {
      // Readers also poll. The next try notifies them sooner.
      this.#failures += 1;
      if (!this.#closed) for (const one of news) this.#note(one);
    }
  }
}

/** Interval of additional polls while readers wait, as a multiple of a call's limit. For a lost notification or a silent server. */
const safetyLimits = 3;
/** Milliseconds between polls while nothing is heard: there is no listening connection, or it has not heard its own notification. */
const deafMs = 500;
const longestBackoffMs = 5_000;
/** Milliseconds between checks of a listening connection that has not heard its own notification. One that answers is reported as deaf. */
const patienceMs = 5_000;

interface ListenerOptions {
  /** Where it connects: the servers themselves, or a pooler that keeps sessions. */
  readonly hosts: Hosts;
  /** The channel of all processes on a schema. */
  readonly channel: string;
  /** Milliseconds for a statement. If the server takes longer, the connection is replaced. */
  readonly limitMs: number;
  readonly logger: Logger;
  /** Identifies this store in its notifications, so that it ignores its own. */
  readonly name: string;
  /** Runs the notifying statement in the background, on any connection. */
  readonly notify: (sql: string, values: readonly SqlValue[]) => Promise<unknown>;
  readonly onStatement?: ((sql: string) => void) | undefined;
}

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
  /** Whether the listening connection has heard a notification of its own, sent over another connection. */
  #hears = false;
  #test = 0;
  #warned = false;
  #waits = false;
  #failures = 0;
  #closed = false;
  #retry: NodeJS.Timeout | undefined;
  #safety: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#pump = new Pump(options.name, (payloads) => this.#send(payloads));
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
    clearTimeout(this.#patience);
    await this.#pump.close();
    await this.#connecting;
    const client = this.#client;
    this.#client = undefined;
    this.#listens = false;
    await client?.end().catch(() => {});
  }

  #send(payloads: readonly string[]): Promise<unknown> {
    const sql = `SELECT pg_notify(${quotedText(this.#options.channel)}, payload) FROM json_array_elements_text($1::json) payload`;
    return this.#options.notify(sql, [JSON.stringify(payloads)]);
  }

  async #connect(): Promise<void> {
    const { hosts, name, limitMs, channel } = this.#options;
    const client = boundedClient(hosts);
    this.#client = client;
    const test = `${name} ?${(this.#test += 1)}`;
    client.on("error", (error) => this.#lost(client, error.message));
    client.on("end", () => this.#lost(client, "the connection was ended"));
    client.on("notification", ({ payload = "" }) => {
      if (payload === test && this.#client === client) return this.#heard();
      for (const news of unpackNews(name, payload)) this.#hear?.(news);
    });
    const again = this.#failures > 0;
    const listen = `LISTEN ${quotedName(channel)}`;
    try {
      await client.connect();
      this.#options.onStatement?.(listen);
      await answerWithin(client, limitMs, client.query(listen));
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
    // A pooler that shares connections accepts LISTEN, and passes no notification on. One that comes over another connection shows that it is heard.
    this.#send([test]).catch(() => this.#lost(client, "the database does not notify"));
    this.#suspectDeaf(client);
    if (!again) return;
    this.#options.logger.info("store.listening", {});
    this.#hear?.({ of: "anything" });
  }

  #heard(): void {
    clearTimeout(this.#patience);
    this.#hears = true;
    this.#schedule();
  }

  /** A connection that has heard nothing is deaf if it answers, and lost if it does not. It is asked again for as long as it has heard nothing. */
  #suspectDeaf(client: Client): void {
    this.#patience = setTimeout(() => void this.#checkUnheard(client), patienceMs).unref();
  }

  async #checkUnheard(client: Client): Promise<void> {
    await this.#probe(client);
    if (this.#client !== client || this.#hears || this.#closed) return;
    if (!this.#warned) this.#warnOfDeafness();
    this.#suspectDeaf(client);
  }

  #warnOfDeafness(): void {
    this.#warned = true;
    this.#options.logger.warn("store.listen_deaf", {
      hint: `No notification arrives, so the database is read every ${deafMs} ms while somebody waits. Behind a pooler that shares connections, give listenUrl: a URL that leads to the server itself.`,
    });
  }

  #lost(client: Client, reason: string): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#listens = false;
    this.#hears = false;
    this.#failures += 1;
    this.#options.hosts.failed(client);
    clearTimeout(this.#patience);
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
        if (this.#hears && client !== undefined) void this.#probe(client);
        this.#schedule();
      },
      this.#hears ? safetyLimits * this.#options.limitMs : deafMs,
    );
  }

  /** Sends a statement, because a connection whose other end has silently disappeared reports nothing by itself. */
  async #probe(client: Client): Promise<void> {
    await answerWithin(client, this.#options.limitMs, client.query("SELECT 1")).catch(() => this.#lost(client, "the connection does not answer"));
  }
}
