/** Two services on one database, with people who write and read while the database is harmed; and what must hold afterwards. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { errorCatalogue, type ErrorCode } from "../../../packages/throughline/src/kernel/error-catalogue.ts";
import { openStore } from "../../../packages/throughline/src/open-store.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";
import { eventsIn, offsetsIn, openReader, type EventReader } from "../../setup/event-reader.ts";
import { echo, openServer, send, type Answered, type TestServer } from "../../setup/server.ts";

/** Milliseconds that a writer waits at most before it sends again: less than is asked for, so that a test is short. */
const impatienceMs = 60;
const sessions = 3;

interface Said {
  readonly session: string;
  readonly text: string;
  readonly offset: number;
}

/** What happened while the database was harmed. */
export interface Report {
  /** Codes of refusals, and how many there were of each. */
  readonly refused: ReadonlyMap<string, number>;
  readonly said: readonly Said[];
  /** How often a service said that it was not ready, and whether it was so at the end. */
  readonly unready: number;
}

const posted = z.object({ offset: z.int() });
const page = z.object({
  items: z.array(z.object({ offset: z.int(), kind: z.string(), source: z.string(), data: z.looseObject({}) })),
  next_offset: z.int(),
  head: z.int(),
});
const turns = z.object({ items: z.array(z.unknown()) });
const session = z.object({ id: z.string(), head: z.int() });

/** A refusal must be one that passes, with a hint when. */
function checkRefusal({ status, headers, body }: Answered): string {
  const code = z.object({ code: z.string() }).parse(body).code;
  expect([status, errorCatalogue[code as ErrorCode].retryable, Number(headers.get("retry-after")) >= 1], code).toEqual([503, true, true]);
  return code;
}

/** Reads one session over streams that may end, and goes on where it was. */
async function readAll(server: TestServer, id: string, offsets: number[], signal: AbortSignal): Promise<void> {
  let reader: EventReader | undefined;
  signal.addEventListener("abort", () => reader?.cut(), { once: true });
  while (!signal.aborted) {
    const last = offsets.at(-1);
    reader = await openReader(server.url, `/v1/sessions/${id}/events`, { headers: last === undefined ? {} : { "last-event-id": String(last) } });
    if (signal.aborted) reader.cut();
    expect([200, 503]).toContain(reader.status);
    const { frames, over } = reader;
    let taken = 0;
    const take = (): void => {
      const read = frames.length;
      offsets.push(...eventsIn(frames.slice(taken, read)).map(({ offset }) => offset));
      taken = read;
    };
    const taking = setInterval(take, 20);
    await over;
    clearInterval(taking);
    take();
    if (!signal.aborted) await delay(20);
  }
}

/** The same over long polls. */
async function pollAll(server: TestServer, id: string, offsets: number[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const asked = server.request("GET", `/v1/sessions/${id}/events?wait=1&min_offset=${(offsets.at(-1) ?? -1) + 1}`);
    const answer = await asked.catch((error: unknown) => {
      // A service that has stopped answers nobody.
      if (signal.aborted) return undefined;
      throw error;
    });
    if (answer === undefined) return;
    if (answer.status === 200) offsets.push(...offsetsIn(answer));
    else if (answer.status !== 204) {
      checkRefusal(answer);
      await delay(impatienceMs);
    }
  }
}

type Server = TestServer & { readonly close: () => Promise<void> };

/** Who writes and reads. */
export class Trial {
  readonly #servers: readonly Server[];
  readonly #ids: readonly string[];
  readonly #said: Said[] = [];
  readonly #refused = new Map<string, number>();
  readonly #seen: { readonly session: string; readonly offsets: number[] }[] = [];
  readonly #writing = new AbortController();
  readonly #reading = new AbortController();
  readonly #writers: Promise<void>[];
  readonly #readers: Promise<void>[];
  #unready = 0;

  private constructor(servers: readonly Server[], ids: readonly string[]) {
    this.#servers = servers;
    this.#ids = ids;
    const [one, two] = servers;
    if (one === undefined || two === undefined) throw new Error("There are two services.");
    const follow = (read: typeof readAll, server: TestServer, id: string): Promise<void> => {
      const offsets: number[] = [];
      this.#seen.push({ session: id, offsets });
      return read(server, id, offsets, this.#reading.signal);
    };
    this.#readers = ids.flatMap((id) => [follow(readAll, two, id), follow(pollAll, one, id)]);
    this.#writers = [...ids.map((id, index) => this.#write(servers[index % 2] ?? one, id)), this.#probe(one)];
  }

  /** Starts both services on stores that `open` gives. */
  static async start(open: () => Promise<Store>): Promise<Trial> {
    const settings = { leaseMs: 600, heartbeatMs: 100, pollMs: 60 };
    const start = async () => openServer({ store: await open(), agents: [echo], runtime: settings, jobs: { pollMs: 100, leaseMs: 600 } });
    const servers = [await start(), await start()];
    const ids: string[] = [];
    await servers[0]?.request("POST", "/v1/customers", { id: "ada" });
    for (let index = 0; index < sessions; index++) {
      const made = await servers[0]?.request("POST", "/v1/sessions", { agent: "a1", customer_id: "ada" });
      ids.push(session.parse(made?.body).id);
    }
    return new Trial(servers, ids);
  }

  get url(): string {
    return this.#servers[0]?.url ?? "";
  }

  /** Sends until it is answered well. */
  async insist(server: TestServer, method: string, path: string, body?: unknown, key?: string): Promise<Answered> {
    for (;;) {
      const answer = await send(server.url, method, path, body, key === undefined ? {} : { "idempotency-key": key });
      if (answer.status < 300) return answer;
      const isLeased = answer.status === 409 && answer.body.code === "request.in_progress";
      const code = isLeased ? "request.in_progress" : checkRefusal(answer);
      this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
      await delay(impatienceMs);
    }
  }

  async #write(server: TestServer, id: string): Promise<void> {
    for (let count = 0; !this.#writing.signal.aborted; count++) {
      const text = `m${count}-${id.slice(-4)}`;
      const { body } = await this.insist(server, "POST", `/v1/sessions/${id}/events`, { kind: "message", text }, text);
      this.#said.push({ session: id, text, offset: posted.parse(body).offset });
      await delay(15);
    }
  }

  async #probe(server: TestServer): Promise<void> {
    while (!this.#writing.signal.aborted) {
      const { status } = await server.request("GET", "/readyz");
      if (status !== 200) this.#unready += 1;
      expect((await server.request("GET", "/livez")).status).toBe(200);
      await delay(40);
    }
  }

  /** How many messages were acknowledged. */
  get acknowledged(): number {
    return this.#said.length;
  }

  /** How many requests were refused with a code so far. */
  refusals(code: string): number {
    return this.#refused.get(code) ?? 0;
  }

  /** How often a service has said so far that it was not ready. */
  get unready(): number {
    return this.#unready;
  }

  /** An export that is under way while the database is harmed: its result, once it is there. */
  async export(): Promise<string> {
    const server = this.#servers[1] ?? this.#servers[0];
    if (server === undefined) throw new Error("There is no service.");
    const { body } = await this.insist(server, "POST", "/v1/customers/ada/exports", undefined, "export");
    const { id } = z.object({ id: z.string() }).parse(body);
    for (;;) {
      const { body: job } = await this.insist(server, "GET", `/v1/jobs/${id}`);
      const { status } = z.object({ status: z.string() }).parse(job);
      expect(status).not.toBe("failed");
      if (status === "done") return id;
      await delay(50);
    }
  }

  /** Lets everybody come to an end on a database that is well, and holds all that was said and seen against the log. */
  async end(): Promise<Report> {
    this.#writing.abort();
    await Promise.all(this.#writers);
    const [one] = this.#servers;
    if (one === undefined) throw new Error("There is no service.");
    await expect.poll(async () => (await one.request("GET", "/readyz")).status).toBe(200);
    await Promise.all(this.#ids.map((id) => this.#check(one, id)));
    this.#reading.abort();
    // A service that stops answers those who wait.
    const closed = this.#servers.map(async (server) => {
      await server.close();
      await server.store.close();
    });
    await Promise.all([...closed, ...this.#readers]);
    return { refused: this.#refused, said: this.#said, unready: this.#unready };
  }

  /** The whole log. */
  async #logOf(server: TestServer, id: string): Promise<z.output<typeof page>["items"]> {
    const events: z.output<typeof page>["items"] = [];
    for (let next = 0; ;) {
      const path = `/v1/sessions/${id}/events?limit=1000&min_offset=${next}&kinds=message,tool,status,custom,state,turn,session`;
      const { items, next_offset, head } = page.parse((await this.insist(server, "GET", path)).body);
      events.push(...items);
      if (next_offset > head) return events;
      next = next_offset;
    }
  }

  async #check(server: TestServer, id: string): Promise<void> {
    const said = this.#said.filter((message) => message.session === id);
    const offsets = said.map(({ offset }) => offset);
    const answersIn = (events: z.output<typeof page>["items"], type: string): readonly number[] =>
      events
        .flatMap(({ kind, data }) => (kind === "turn" && data["type"] === type ? z.array(z.int()).parse(data["answers"] ?? []) : []))
        .toSorted((left, right) => left - right);
    // Everything that was accepted is answered, whoever had the turn when the database was harmed.
    const openTurns = async (): Promise<number> => {
      const of = `/v1/sessions/${id}/turns?status=`;
      const lists = await Promise.all(["queued", "running"].map((status) => this.insist(server, "GET", `${of}${status}`)));
      return lists.flatMap(({ body }) => turns.parse(body).items).length;
    };
    await expect.poll(openTurns).toBe(0);
    const events = await this.#logOf(server, id);
    expect(answersIn(events, "started")).toEqual(offsets);
    expect(events.map(({ offset }) => offset)).toEqual(events.map((_, index) => index));
    const asked = events.filter(({ kind, source }) => kind === "message" && source === "customer");
    expect(asked.map(({ offset }) => offset)).toEqual(offsets);
    for (const [index, { text }] of said.entries()) expect(JSON.stringify(asked[index]?.data)).toContain(`"${text}"`);
    // Every reader has seen what is to be seen of the log, each event once and in order.
    const shown = events.filter(({ kind }) => kind !== "turn").map(({ offset }) => offset);
    for (const seen of this.#seen.filter((one) => one.session === id)) await expect.poll(() => seen.offsets).toEqual(shown);
  }
}

/** Opens a store at a place, as each service does for itself. */
export const opening = (location: string) => (): Promise<Store> => openStore(location);
