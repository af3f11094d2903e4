/** Requests at once: posts, pages, long polls that a post answers, streams that a post reaches, from 1, 64 and 512 clients. */
import type { Engine } from "./engine.ts";
import { type Figure, round } from "./figures.ts";
import { type Load, type Sender, StreamReader, repeat } from "./load.ts";
import { message, offsetOf, type ServiceBench } from "./service-bench.ts";

/** What each client does; it has a session of its own. */
type Work = (client: number) => Promise<void>;

/** A page of the first events. */
const pageEvents = 20;

function works(sender: Sender, sessions: readonly string[]) {
  const at = (client: number): string => `/v1/sessions/${sessions[client] ?? ""}/events`;
  const post = async (client: number): Promise<number> => offsetOf(await sender.send(201, "POST", at(client), message));
  const next = new Map<number, number>();
  const streams = new Map<number, Promise<StreamReader>>();
  return {
    post: async (client) => void (await post(client)),
    list: async (client) => void (await sender.send(200, "GET", `${at(client)}?limit=${pageEvents}`)),
    wait: async (client) => {
      const from = next.get(client) ?? (await post(client)) + 1;
      const [, offset] = await Promise.all([sender.send(200, "GET", `${at(client)}?min_offset=${from}&wait=30`), post(client)]);
      next.set(client, offset + 1);
    },
    stream: async (client) => {
      const opened = streams.get(client) ?? sender.open("GET", `${at(client)}?format=sse`).then((incoming) => new StreamReader(incoming));
      streams.set(client, opened);
      const [reader, offset] = await Promise.all([opened, post(client)]);
      await reader.until(offset);
    },
    close: async () => {
      for (const opened of streams.values()) (await opened).close();
    },
  } as const satisfies Readonly<Record<string, Work | (() => Promise<void>)>>;
}

const what = {
  post: "a message is posted",
  list: `a page of ${pageEvents} events is read`,
  wait: "a long poll is answered by a post, both",
  stream: "a post reaches a stream, both",
} as const;

const shown = (load: Load): string => `${Math.round(load.per_second)}/s, p50 ${round(load.p50)} ms, p99 ${round(load.p99)} ms`;

/** How each kind of request fares with one client and with many. */
export async function requests({ engine, quick, first, sender, sessions }: ServiceBench): Promise<readonly Figure[]> {
  const [many, crowd] = quick ? [16, undefined] : [64, 512];
  const span = quick ? 120 : 3000;
  const figures: Figure[] = [];
  let errors = 0;
  for (const name of ["post", "list", "wait", "stream"] as const) {
    const { [name]: work, close } = works(sender, sessions);
    const run = async (clients: number): Promise<Load> => {
      // Connections are made before anything is timed.
      errors += (await repeat(clients, span / 3, work)).errors;
      const load = await repeat(clients, span, work);
      errors += load.errors;
      return load;
    };
    const [alone, together] = [await run(1), await run(many)];
    const crowded = crowd === undefined ? undefined : await run(crowd);
    await close();
    figures.push({
      id: `${engine.name}.http_${name}`,
      what: `${what[name]}: how often with 1 client, as a part of how often with ${many}`,
      value: round(alone.per_second / together.per_second),
      unit: "x",
      // A page is read in one call in the process, so that one client at a time keeps it busy already.
      limit: name === "list" ? 1.25 : 1,
      timing: true,
      details: { 1: shown(alone), [many]: shown(together), ...(crowded === undefined ? {} : { [crowded.clients]: shown(crowded) }) },
    });
    if (crowded !== undefined)
      figures.push({
        id: `${engine.name}.http_${name}_crowd`,
        what: `${what[name]}: how often with ${many} clients, against ${crowded.clients}`,
        value: round(together.per_second / crowded.per_second),
        unit: "x",
        limit: 1.5,
        timing: true,
      });
  }
  figures.push({ id: `${engine.name}.http_errors`, what: "requests that failed", value: errors, unit: "requests", limit: 0, timing: false });
  return [...figures, await cost(engine, { quick, first, sender, sessions: sessions.slice(0, many) })];
}

/** Time of the processor for a post, over HTTP and without, taking turns: it depends little on what else the machine does. */
async function cost(engine: Engine, { quick, first, sender, sessions }: Omit<ServiceBench, "engine" | "second" | "minutes">): Promise<Figure> {
  const { post } = works(sender, sessions);
  const spent = { http: { ms: 0, requests: 0 }, plain: { ms: 0, requests: 0 } };
  const span = quick ? 80 : 500;
  for (let turn = 0; turn < (quick ? 1 : 6); turn++) {
    for (const [part, run] of [
      ["http", () => repeat(sessions.length, span, post)],
      ["plain", () => first.ask("post", { sessions, ms: span })],
    ] as const) {
      await first.ask("spent", {});
      const { requests: count } = await run();
      spent[part].ms += (await first.ask("spent", {})).processor_ms;
      spent[part].requests += count;
    }
  }
  const [http, plain] = [spent.http.ms / spent.http.requests, spent.plain.ms / spent.plain.requests];
  return {
    id: `${engine.name}.http_cost`,
    what: "processor time of the service for a post over HTTP, against the same without HTTP, in the same process",
    value: round(http / plain),
    unit: "x",
    limit: engine.limits.httpRatio,
    timing: true,
    details: { http_ms: round(http), without_ms: round(plain) },
  };
}
