/**
 * A service in a process of its own: run by `service-child.ts` with the database's location. Sends its address when it listens, and answers what it is
 * asked about itself. It runs turns only if its second argument is `work`.
 */
import { z } from "zod";
import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted, type Session } from "../packages/throughline/src/index.ts";
import { createKey, createServer } from "../packages/server/src/server.ts";
import { repeat, type Load } from "./load.ts";

/** What a service is asked about itself. */
export interface Questions {
  /** New sessions. */
  readonly sessions: { readonly ask: { readonly count: number }; readonly answer: readonly string[] };
  /** Posts to sessions without HTTP: what the requests are compared with. */
  readonly post: { readonly ask: { readonly sessions: readonly string[]; readonly ms: number }; readonly answer: Load };
  /** Memory after garbage was collected, in MB; statements and milliseconds of the processor since it was asked last. */
  readonly spent: {
    readonly ask: object;
    readonly answer: { readonly heap_mb: number; readonly rss_mb: number; readonly statements: number; readonly processor_ms: number };
  };
}

/** A question, as it is sent. */
export type Question = { readonly [Name in keyof Questions]: { readonly name: Name } & Questions[Name]["ask"] }[keyof Questions];

const [location = "", work = ""] = process.argv.slice(2);
let statements = 0;
const store = await openStore(location, { onStatement: () => void (statements += 1) });
const agent = defineAgent({
  name: "bench",
  version: 1,
  state: defineState({ message: input(z.string()) }),
  reply: loop({ model: scripted(() => "It is on its way. ".repeat(30)) }),
});
const runtime = await createRuntime({ store, agents: [agent], work: work === "work" });
const server = await createServer({ runtime, agents: [agent], port: 0 });
const { key } = await createKey(store, { name: "bench", scopes: ["admin"] });
const { url } = await server.listen();
let processor = process.cpuUsage();

async function post(sessions: readonly Session[], ms: number): Promise<Load> {
  return repeat(sessions.length, ms, async (client) => void (await sessions[client]?.postOperator("One moment, please.", { name: "Ada" })));
}

async function spent(): Promise<Questions["spent"]["answer"]> {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage(processor);
  const answer = { heap_mb: (heapUsed + external) / 2 ** 20, rss_mb: rss / 2 ** 20, statements, processor_ms: (user + system) / 1000 };
  statements = 0;
  processor = process.cpuUsage();
  return answer;
}

async function answerTo(question: Question): Promise<unknown> {
  switch (question.name) {
    case "sessions": {
      const made = Array.from({ length: question.count }, () => runtime.sessions.create({ agent: "bench" }));
      return (await Promise.all(made)).map(({ id }) => id);
    }
    case "post":
      return post(await Promise.all(question.sessions.map((id) => runtime.sessions.get(id))), question.ms);
    case "spent":
      return spent();
  }
}

process.on("message", (question: Question) => void answerTo(question).then((answer) => process.send?.({ answer })));
process.once("disconnect", () => {
  const end = async (): Promise<void> => {
    await server.close({ drainMs: 500 });
    await runtime.close();
    await store.close();
  };
  void end();
});
process.send?.({ url, key });
