/**
 * `npm run bench:load -- [--seconds 10] [--clients 1,64,512] [--store sqlite|postgres]`: requests to a service in a process of its own, sent by
 * autocannon. Ends with exit code 1 if one of them fails.
 */
import { parseArgs } from "node:util";
import autocannon, { type Request, type Result } from "autocannon";
import type { Engine } from "../../../bench/engine.ts";
import { Sender } from "../../../bench/load.ts";
import { postgres } from "../../../bench/postgres.ts";
import { message, offsetOf } from "../../../bench/service-bench.ts";
import { type ServiceChild, startService } from "../../../bench/service-child.ts";
import { sqlite } from "../../../bench/sqlite.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "10" }, clients: { type: "string", default: "1,64,512" }, store: { type: "string" } },
});
const seconds = Number(values.seconds);
const clients = values.clients.split(",").map(Number);

/** What one client asks for, again and again, in a session of its own. */
type Ask = (session: string) => Request;

function asksOf({ key, url }: ServiceChild): { readonly asks: Readonly<Record<string, Ask>>; readonly close: () => Promise<void> } {
  const headers = { authorization: `Bearer ${key}` };
  const body = JSON.stringify(message);
  const sender = new Sender({ url, key });
  const posted: Promise<number>[] = [];
  const pathOf = (session: string): string => `/v1/sessions/${session}/events`;
  const asks: Record<string, Ask> = {
    post: (session) => ({ method: "POST", path: pathOf(session), headers: { ...headers, "content-type": "application/json" }, body }),
    list: (session) => ({ method: "GET", path: `${pathOf(session)}?limit=20`, headers }),
    wait: (session) => {
      let next: Promise<number> = sender
        .send(200, "GET", `${pathOf(session)}?limit=1`)
        .then((text) => (JSON.parse(text) as { readonly head: number }).head + 1);
      let from = 1;
      void next.then((offset) => (from = offset));
      return {
        method: "GET",
        path: pathOf(session),
        headers,
        setupRequest(request) {
          // Posted as soon as the poll is sent, over another connection.
          next = next.then(() => sender.send(201, "POST", pathOf(session), message)).then((text) => offsetOf(text) + 1);
          posted.push(next);
          return { ...request, path: `${pathOf(session)}?min_offset=${from}&limit=1&wait=30` };
        },
        onResponse(_status, text) {
          if (text !== "") from = (JSON.parse(text) as { readonly next_offset: number }).next_offset;
        },
      };
    },
  };
  const close = async (): Promise<void> => {
    await Promise.all(posted);
    sender.close();
  };
  return { asks, close };
}

const line = (name: string, count: number, { requests, latency, errors, non2xx }: Result): string =>
  `| ${name} | ${count} | ${Math.round(requests.average)} | ${latency.p50} | ${latency.p99} | ${errors + non2xx} |`;

let failed = 0;

async function load(engine: Engine): Promise<void> {
  const database = await engine.create();
  const service = await startService(database.location);
  const sessions = await service.ask("sessions", { count: Math.max(...clients) });
  const { asks, close } = asksOf(service);
  for (const [name, ask] of Object.entries(asks)) {
    for (const count of clients) {
      let given = 0;
      const result = await autocannon({
        url: service.url,
        connections: count,
        duration: seconds,
        timeout: 60,
        setupClient: (client) => client.setRequests([ask(sessions[given++ % sessions.length] ?? "")]),
      });
      failed += result.errors + result.non2xx;
      console.log(line(`${engine.name}: ${name}`, count, result));
    }
  }
  await close();
  await service.stop();
  await database.remove();
}

console.log("| requests | clients | per second | p50 ms | p99 ms | errors |\n| --- | ---: | ---: | ---: | ---: | ---: |");
for (const name of values.store === undefined ? ["sqlite", "postgres"] : [values.store]) {
  const engine = name === "sqlite" ? sqlite : await postgres();
  await load(engine);
  await engine.close();
}
process.exit(failed === 0 ? 0 : 1);
