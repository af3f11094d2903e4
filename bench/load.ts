/** Clients that send one request after the other, and what they saw. */
import { Agent, request, type IncomingMessage } from "node:http";
import { quantile } from "./figures.ts";

/** What many clients saw together. */
export interface Load {
  readonly clients: number;
  readonly requests: number;
  readonly errors: number;
  readonly per_second: number;
  /** Milliseconds of one request. */
  readonly p50: number;
  readonly p99: number;
}

/** Each client works, again and again, until the time is up. */
export async function repeat(clients: number, ms: number, work: (client: number, round: number) => Promise<void>): Promise<Load> {
  const took: number[] = [];
  let errors = 0;
  const began = performance.now();
  const one = async (client: number): Promise<void> => {
    for (let round = 0, at = began; at - began < ms; round++) {
      const sent = performance.now();
      try {
        await work(client, round);
      } catch (error) {
        errors += 1;
        if (errors === 1) console.error(error);
      }
      at = performance.now();
      took.push(at - sent);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => one(client)));
  const seconds = (performance.now() - began) / 1000;
  return { clients, requests: took.length, errors, per_second: took.length / seconds, p50: quantile(took, 0.5), p99: quantile(took, 0.99) };
}

/** Sends requests over connections that stay open, as many as there are requests at the same time. */
export class Sender {
  readonly #agent = new Agent({
    keepAlive: true,
    maxSockets: Number.POSITIVE_INFINITY,
    maxFreeSockets: Number.POSITIVE_INFINITY,
  });
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, key }: { readonly url: string; readonly key: string }) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${key}` };
  }

  /** The beginning of an answer, whose body is still to be read. */
  async open(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
    const json = body === undefined ? undefined : JSON.stringify(body);
    const typed = json === undefined ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(json)) };
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#url}${path}`, { agent: this.#agent, method, headers: { ...this.#headers, ...typed, ...headers } }, resolve);
      outgoing.once("error", reject);
      outgoing.end(json);
    });
  }

  /** The text of an answer; fails unless its status is `expected`. */
  async send(expected: number, ...given: Parameters<Sender["open"]>): Promise<string> {
    const incoming = await this.open(...given);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (incoming.statusCode !== expected) throw new Error(`${given[0]} ${given[1]} was answered with ${incoming.statusCode}: ${text.slice(0, 300)}`);
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Reads a stream of server-sent events, and knows the last event that has come. */
export class StreamReader {
  readonly #incoming: IncomingMessage;
  #last = -1;
  #rest = "";
  #heard = (): void => {};
  #ended = false;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    incoming.setEncoding("utf8");
    incoming.on("data", (text: string) => this.#take(text));
    incoming.on("close", () => {
      this.#ended = true;
      this.#heard();
    });
  }

  /** Resolves when the event at an offset has come; fails if the stream ends before. */
  async until(offset: number): Promise<void> {
    while (this.#last < offset) {
      if (this.#ended) throw new Error(`A stream has ended before offset ${offset}.`);
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
  }

  close(): void {
    this.#incoming.destroy();
  }

  #take(text: string): void {
    const frames = (this.#rest + text).split("\n\n");
    this.#rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id] = /^id: (\d+)$/m.exec(frame) ?? [];
      if (id !== undefined) this.#last = Number(id);
    }
    this.#heard();
  }
}
