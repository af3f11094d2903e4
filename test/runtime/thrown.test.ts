/** What an agent's code throws reaches the developer, and nobody else. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { logLines } from "../../packages/server/src/cli/commands/service-commands.ts";
import { exportSession } from "../../packages/throughline/src/bundles.ts";
import {
  type Agent,
  createRuntime,
  defineAgent,
  defineReducer,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  type Logger,
  openStore,
  reduced,
  scripted,
  stage,
  type TurnResult,
} from "../../packages/throughline/src/index.ts";
import { defineExtension } from "../../packages/throughline/src/extension.ts";
import { newSqliteFile } from "../setup/database.ts";
import { startServer } from "../setup/server.ts";
import { collect, started } from "./harness.ts";

interface Entry {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly thrown: unknown;
}

/** A logger that keeps its entries. */
function listening(): { readonly logger: Logger; readonly entries: Entry[]; readonly reports: () => readonly Entry[] } {
  const entries: Entry[] = [];
  const at =
    (level: string): Logger["error"] =>
    (message, fields = {}, thrown) =>
      void entries.push({ level, message, fields, thrown });
  return {
    entries,
    logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    reports: () => entries.filter(({ thrown }) => thrown !== undefined),
  };
}

const lookUp = (execute: () => never) =>
  defineTool({
    ...{ name: "look_up", description: "Looks up.", parameters: z.object({}), effects: "none" },
    retry: { tries: 2, backoffMs: 1 },
    execute: async () => execute(),
  });

/** Thrown by the reducer of `total` for a negative number. */
let reducerError = new Error("unused");

const positive = defineReducer<number>({
  name: "positive",
  version: 1,
  reduce: (_current: number | undefined, update: number): number => {
    if (update < 0) throw reducerError;
    return update;
  },
});

const state = defineState({ message: input(z.string()), total: reduced(z.number(), { reduce: positive }) });

const agentWith = (options: Partial<Parameters<typeof defineAgent<typeof state>>[0]>): Agent =>
  defineAgent({ name: "a1", version: 1, state, reply: loop({ model: scripted(() => "Fine.") }), ...options });

/** What throws an error, the code that the turn fails with, and the fields that name the place. */
const places: readonly (readonly [string, (error: Error) => Agent, string, Readonly<Record<string, string>>])[] = [
  ["a model", (error) => agentWith({ reply: loop({ model: scripted([{ error }]) }) }), "model.failed", { model: "scripted" }],
  [
    "a stage",
    (error) =>
      agentWith({
        stages: [
          stage("price", { state, writes: [] }, async () => {
            throw error;
          }),
        ],
      }),
    "stage.failed",
    { stage: "price" },
  ],
  [
    "a reducer",
    (error) => {
      reducerError = error;
      return agentWith({ stages: [stage("price", { state, writes: ["total"] }, () => ({ total: -1 }))] });
    },
    "state.reducer_failed",
    { stage: "price", field: "total" },
  ],
  [
    "a hook",
    (error) =>
      agentWith({
        reply: loop({
          model: scripted(() => "Fine."),
          hooks: [
            hook("check", {
              beforeStep: () => {
                throw error;
              },
            }),
          ],
        }),
      }),
    "hook.failed",
    { hook: "check", point: "beforeStep" },
  ],
  [
    "an extension",
    (error) =>
      agentWith({
        extensions: [
          defineExtension({
            name: "tickets",
            answer: async () => {
              throw error;
            },
          }),
        ],
      }),
    "extension.failed",
    { extension: "tickets" },
  ],
];

describe("what is thrown", () => {
  it.each(places)("by %s is logged once with its place, and is the cause of the result's error", async (_who, agentThatThrows, code, place) => {
    const error = new Error("the cause");
    const { logger, reports } = listening();
    const { sessions } = await started({ agents: [agentThatThrows(error)], logger });
    const session = await sessions.create({ agent: "a1" });
    const result = await session.send("hi");
    expect(result).toMatchObject({ status: "failed", error: { code } });
    expect(result.error?.cause).toBe(error);
    const [report, ...more] = reports();
    expect(more).toEqual([]);
    expect(report?.fields).toMatchObject({ agent: "a1", session_id: session.id, turn_id: result.turn_id, code, ...place });
    expect(report?.thrown).toMatchObject({ cause: error });
  });

  it("by a tool is logged once for each try, and the model goes on", async () => {
    const errors = [new Error("first"), new Error("second")];
    const { logger, reports } = listening();
    const model = scripted([{ calls: [{ call_id: "c1", name: "look_up", arguments: {} }] }, "It cannot be found."]);
    let tries = 0;
    const tool = lookUp(() => {
      throw errors[tries++] as Error;
    });
    const { sessions } = await started({ agents: [agentWith({ reply: loop({ model, tools: [tool] }) })], logger });
    const session = await sessions.create({ agent: "a1" });
    const { reply, status, turn_id } = await session.send("hi");
    expect([status, reply]).toEqual(["completed", "It cannot be found."]);
    expect(reports().map(({ thrown }) => thrown)).toEqual(errors);
    expect(reports()[1]).toMatchObject({ level: "warn", fields: { agent: "a1", session_id: session.id, turn_id, tool: "look_up", attempt: 2 } });
  });

  it("is reported again when another turn throws the same object", async () => {
    const error = new Error("constant");
    const { logger, reports } = listening();
    const { sessions } = await started({ agents: [agentWith({ reply: loop({ model: scripted(() => ({ error })) }) })], logger });
    const session = await sessions.create({ agent: "a1" });
    await session.send("one");
    await session.send("two");
    expect(reports()).toHaveLength(2);
  });

  it("and is no error has no cause; nor has the result of a turn that failed elsewhere", async () => {
    const { sessions, store } = await started({ agents: [agentWith({ reply: loop({ model: scripted([{ error: new Error("down") }]) }) })] });
    const session = await sessions.create({ agent: "a1" });
    const { offset } = await session.send("hi");
    const elsewhere = await started({ store, agents: [agentWith({})] });
    const read = await (await elsewhere.sessions.get(session.id)).outcome(offset);
    expect(read.error?.code).toBe("model.failed");
    expect(read.error).not.toHaveProperty("cause");
    expect((await session.outcome(offset)).error?.cause).toBeInstanceOf(Error);
  });

  it("stays out of JSON, clones and spreads of the result", async () => {
    const { sessions } = await started({ agents: [agentWith({ reply: loop({ model: scripted([{ error: new Error("canary") }]) }) })] });
    const { error } = await (await sessions.create({ agent: "a1" })).send("hi");
    expect(error?.cause).toMatchObject({ message: "canary" });
    expect(JSON.stringify(error)).not.toContain("canary");
    expect(structuredClone(error)).not.toHaveProperty("cause");
    expect({ ...error }).not.toHaveProperty("cause");
  });
});

const secret = "canary-4b1d7f";

/** An error with the secret in its name, message, stack, cause and members. */
function poisonous(): Error {
  const error = new Error(`the key is ${secret}`, { cause: new Error(`below ${secret}`) });
  error.stack = `Error: ${secret}\n    at ${secret} (file:///${secret}.ts:1:1)`;
  return Object.assign(error, { detail: secret });
}

/** All bytes of the files of a database, as text. */
const bytesOf = (file: string): string =>
  readdirSync(dirname(file), { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");

describe("a secret in what is thrown", () => {
  it.each(places)("by %s is not in the database, HTTP answers, streams, bundles and the service's log", async (_who, agentThatThrows) => {
    const location = newSqliteFile();
    const lines: string[] = [];
    const logger = logLines((line) => lines.push(line), { level: "debug", format: "json", clock: { now: () => 0 } });
    const service = await startServer({ location, agents: [agentThatThrows(poisonous())], runtime: { logger }, logger });
    const answers: string[] = [];
    const asked = async (method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
      const answer = await service.request(method, path, body);
      answers.push(answer.text);
      return answer.body as Readonly<Record<string, unknown>>;
    };
    const id = String((await asked("POST", "/v1/sessions", { agent: "a1" }))["id"]);
    const session = await service.runtime.sessions.get(id);
    const { offset, error } = (await session.send("hi")) satisfies TurnResult;
    expect(String(error?.cause)).toContain(secret);
    const stream = await service.request("GET", `/v1/sessions/${id}/events?format=sse&idle=1`);
    expect(stream.text).toContain("event: ");
    answers.push(stream.text);
    await asked("GET", `/v1/sessions/${id}/events?min_offset=0`);
    await asked("GET", `/v1/sessions/${id}/turns`);
    await asked("GET", `/v1/sessions/${id}`);
    const bundle = (await Array.fromAsync(exportSession(service.store, session.id))).join("");
    const events = JSON.stringify(await collect(session));
    expect(events).toContain(`"offset":${offset}`);
    expect(answers.join("\n")).toContain("failed");
    for (const text of [answers.join("\n"), bundle, events, lines.join("\n"), bytesOf(location)]) expect(text).not.toContain(secret);
    expect(lines.some((line) => line.includes("turn failed"))).toBe(true);
  });

  it("by a tool is with the model as its message, and its stack and causes are nowhere", async () => {
    const location = newSqliteFile();
    const store = await openStore(location);
    const lines: string[] = [];
    const logger = logLines((line) => lines.push(line), { level: "debug", format: "text", clock: { now: () => 0 } });
    const error = poisonous();
    error.message = "No such order.";
    const tool = lookUp(() => {
      throw error;
    });
    const model = scripted([{ calls: [{ call_id: "c1", name: "look_up", arguments: {} }] }, "Sorry, there is none."]);
    const runtime = await createRuntime({ store, agents: [agentWith({ reply: loop({ model, tools: [tool] }) })], logger });
    onTestFinished(async () => {
      await runtime.close({ drainMs: 0 });
      await store.close();
    });
    await (await runtime.sessions.create({ agent: "a1" })).send("hi");
    expect(JSON.stringify(model.requests.at(-1))).toContain("No such order.");
    for (const text of [JSON.stringify(model.requests), lines.join("\n"), bytesOf(location)]) expect(text).not.toContain(secret);
  });
});
