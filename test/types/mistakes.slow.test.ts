/** What the compiler says of mistakes that are easily made: at most two lines, which name the field, the option or the method. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root, runCompiler } from "../../scripts/root.ts";

const given = `
import { z } from "zod";
import {
  createRuntime, defineAgent, defineState, defineTool, exitOn, hook, input, loop, openStore, reduced, scripted, section, stage, stateFields, stopWhen, turn, withControl,
} from "throughline";
export const state = defineState({
  message: input(z.string()),
  place: input(z.enum(["web", "store"])),
  count: reduced(z.number(), { show: "public" }),
  address: reduced(z.object({ city: z.string(), lines: z.array(z.object({ number: z.number() })) })),
  role: reduced(z.enum(["user", "admin"]), { start: true }),
  note: turn(z.string()),
});
export const model = scripted([]);
export const reply = loop({ model });
export const agent = defineAgent({ name: "shop", version: 1, state, reply });
export const store = await openStore(":memory:");
export const runtime = await createRuntime({ store, agents: [agent] });
export const session = await runtime.sessions.open({ agent, customer: "c" });
export const smallAgent = defineAgent({ name: "small", model });
export const small = await (await createRuntime({ store, agents: [smallAgent] })).sessions.open({ agent: smallAgent, customer: "c" });
export const tool = { name: "t", description: "A tool." } as const;
export const other = defineState({ message: input(z.string()), town: reduced(z.string()) });
export { createRuntime, defineAgent, defineState, defineTool, exitOn, hook, loop, openStore, reduced, section, stage, stateFields, stopWhen, withControl, z };
`;

/** A mistake, and what the message says of it. */
const mistakes: Readonly<Record<string, readonly (readonly [code: string, says: string])[]>> = {
  "a stage that returns a field that the state does not have": [
    [`stage("s", { state, writes: ["count"] }, () => ({ cuont: 1 }))`, `The state has no field \\"cuont\\"`],
    [`stage("s", { state, writes: ["count"] }, async () => ({ cuont: 1 }))`, `The state has no field \\"cuont\\"`],
    [`stage("s", { state, writes: ["cuont"] }, () => undefined)`, `Did you mean '"count"'?`],
    [`stage("s", { state, writes: ["count"] }, () => ({ note: "x" }))`, `\\"writes\\" does not list the field \\"note\\"`],
    [`stage("s", { state, writes: ["count"] }, () => ({ place: "web" }))`, `The field \\"place\\" is an input field`],
    [`stage("s", { state, writes: ["note"] }, (given) => ({ note: String(given.state.cuont) }))`, `Did you mean 'count'?`],
  ],
  "a stage that returns a value of the wrong type": [
    [`stage("s", { state, writes: ["count"] }, () => ({ count: "one" }))`, `The field \\"count\\" takes a number`],
    [`stage("s", { state, writes: ["count"] }, async () => ({ count: "one" }))`, `The field \\"count\\" takes a number`],
    [`stage("s", { state, writes: ["count"] }, () => withControl({ mode: "manual" }, { count: "one" }))`, `The field \\"count\\" takes a number`],
    [
      `stage("s", { state, writes: ["count", "note"] }, (given) => { if (given.state.count === 1) return { note: "x" }; return { count: "one" }; })`,
      `The field \\"count\\" takes a number`,
    ],
    [`stage("s", { state, writes: ["address"] }, () => ({ address: { city: "x", lines: [{ number: "1" }] } }))`, `The field \\"address\\"`],
    [`stage("s", { state, writes: ["role"] }, () => ({ role: "root" }))`, `The field \\"role\\" takes another string`],
  ],
  "a hook that returns what its point or its fields do not take": [
    [`hook("h", { state, writes: ["count"], beforeStep: () => ({ delta: { count: "one" } }) })`, `The field \\"count\\" takes a number`],
    [`hook("h", { state, writes: ["count"], beforeStep: async () => ({ delta: { cuont: 1 } }) })`, `The state has no field \\"cuont\\"`],
    [`hook("h", { beforeTool: ({ call }) => ({ blok: call.name }) })`, `A hook returns no \\"blok\\" at beforeTool`],
    [`hook("h", { beforeTool: () => ({ block: true }) })`, `\\"block\\" has a wrong value at beforeTool`],
    [`hook("h", { beforeStpe: () => undefined })`, `Did you mean to write 'beforeStep'?`],
    [`stopWhen("done", (given) => given.state.cuont === 1, { state })`, `Did you mean 'count'?`],
  ],
  "a tool whose arguments are not what it declares": [
    [`defineTool({ ...tool, parameters: z.object({ id: z.string() }), execute: ({ idd }) => idd })`, `Property 'idd' does not exist`],
    [`defineTool({ ...tool, parameters: z.object({ id: z.string() }), execute: ({ id }) => id.toFixed() })`, `'toFixed'`],
    [`defineTool({ ...tool, execute: ({ id }) => id })`, `Property 'id' does not exist on type 'NoParameters'`],
    [`defineTool({ ...tool, parameters: { id: z.string() }, execute: () => 1 })`, "`parameters` is one schema"],
  ],
  "a tool whose maps do not fit the state": [
    [
      `defineTool({ ...tool, state, parameters: z.object({ n: z.string() }), inputsFromState: { count: "n" }, execute: () => 1 })`,
      `No parameter takes the type of the field \\"count\\"`,
    ],
    [`defineTool({ ...tool, state, parameters: z.object({ n: z.number() }), inputsFromState: { count: "m" }, execute: () => 1 })`, `"m"`],
    [`defineTool({ ...tool, state, outputsToState: { cuont: {} }, execute: () => 1 })`, `Did you mean to write 'count'?`],
    [
      `defineTool({ ...tool, state, outputsToState: { count: { source: "x" } }, execute: () => ({ x: "a" }) })`,
      `The field \\"count\\" takes neither the result nor a member of it`,
    ],
    [`defineTool({ ...tool, state, outputsToState: { count: {} }, execute: () => "a" })`, `The field \\"count\\" takes neither`],
    [`defineTool({ ...tool, state, outputsToState: { count: {} }, execute: async () => undefined })`, `The field \\"count\\" takes neither`],
    [`defineTool({ ...tool, state, outputsToState: { count: {} }, execute: () => ({ n: 1 }) })`, `Property 'source' is missing`],
    [`defineTool({ ...tool, state, takesState: true, execute: (_, context) => context.state.set("cuont", 1) })`, `"cuont"`],
  ],
  "a section, a condition or a model's choice that reads a field that the state does not have": [
    [`defineAgent({ name: "a", version: 1, state, reply, sections: [stateFields("x", ["cuont"])] })`, `The state has no field \\"cuont\\"`],
    [`section("x", (given) => given.state.cuont, { state })`, `Did you mean 'count'?`],
    [`exitOn.when((_step, _calls, read) => read.cuont === 1, { state })`, `Did you mean 'count'?`],
    [`loop({ state, model: (read) => (read.cuont === 1 ? model : model) })`, `Did you mean 'count'?`],
  ],
  "a part of an agent that was declared for another state": [
    [
      `defineAgent({ name: "a", version: 1, state, reply, stages: [stage("s", { state: other, writes: ["town"] }, () => ({ town: "x" }))] })`,
      `This stage was declared for another state`,
    ],
    [
      `defineAgent({ name: "a", version: 1, state, reply, sections: [section("x", (given) => given.state.town, { state: other })] })`,
      `The state has no field \\"town\\"`,
    ],
    [
      `defineAgent({ name: "a", model, tools: [defineTool({ ...tool, state, outputsToState: { count: {} }, execute: () => 1 })] })`,
      `This tool was declared for another state`,
    ],
    [`agent.with({ sections: [stateFields("x", ["cuont"])] })`, `The state has no field \\"cuont\\"`],
  ],
  "a misspelled option": [
    [`defineAgent({ name: "a", version: 1, state, reply, section: [] })`, `Did you mean to write 'sections'?`],
    [`defineTool({ ...tool, parameter: z.object({}), execute: () => 1 })`, `Did you mean to write 'parameters'?`],
    [`loop({ model, tool: [] })`, `Did you mean to write 'tools'?`],
    [`await createRuntime({ store, agent: [agent] })`, `Did you mean to write 'agents'?`],
    [`reduced(z.number(), { reducer: undefined })`, `Did you mean to write 'reduce'?`],
    [`await session.send("x", { input: { place: "web" }, idempotencykey: "k" })`, `Did you mean to write 'idempotencyKey'?`],
    [`agent.with({ budgets: { steps: 1 } })`, `Did you mean to write 'budget'?`],
  ],
  "a wrong input, start value, edit or output": [
    [`await session.send("x")`, "Expected 2 arguments"],
    [`await session.send("x", { input: { place: "phone" } })`, `'"store" | "web"'`],
    [`await session.send("x", { input: { plaec: "web" } })`, `Did you mean to write 'place'?`],
    [`await session.send("x", { input: { place: "web" }, start: { role: "root" } })`, `"root"`],
    [`await small.send("x", { start: { role: "root" } })`, `The state has no field with start: true`],
    [`await small.send("x", { input: { place: "web" } })`, `The state has no input field but the message`],
    [`await small.edit({ cuont: 1 })`, `The state has no reduced field`],
    [`await session.edit({ cuont: 1 })`, `Did you mean to write 'count'?`],
    [`await session.edit({ count: "1" })`, "not assignable to type 'number"],
    [`(await session.send("x", { input: { place: "web" } })).output.cuont`, `Did you mean 'count'?`],
    [`(await session.state()).document.note`, `Property 'note' does not exist`],
    [`await runtime.sessions.open({ agent: "shp", customer: "c" })`, `"shp"`],
  ],
  "a missing await, or a value of the wrong kind": [
    [`runtime.sessions.open({ agent, customer: "c" }).send("x")`, `Property 'send' does not exist on type 'Promise`],
    [`session.send("x", { input: { place: "web" } }).reply`, `Property 'reply' does not exist on type 'Promise`],
    [`await createRuntime({ store: openStore(":memory:"), agents: [agent] })`, "Type 'Promise<Store>'"],
    [`defineAgent({ name: "a", version: 1, state, reply: model })`, "from type 'Reply'"],
    [`defineState({ count: z.number() })`, "Type 'ZodNumber' is not assignable to type 'Field"],
    [`reduced(z.number(), { initial: "x" })`, "Type 'string' is not assignable to type 'number"],
  ],
};

const cases = Object.entries(mistakes).flatMap(([kind, of], at) =>
  of.map(([code, says], index) => ({ kind, code, says, file: `m${at}_${index}.ts` })),
);
/** The messages of each program. */
const messages = new Map<string, readonly string[]>();
mkdirSync(join(root, ".snippets"), { recursive: true });
const folder = mkdtempSync(join(root, ".snippets", "mistakes-"));

beforeAll(() => {
  const names = [...given.matchAll(/export const (\w+)/g)].map(([, name]) => name).concat(/export \{ (.*) \}/.exec(given)![1]);
  writeFileSync(join(folder, "given.ts"), given);
  for (const { file, code } of cases) writeFileSync(join(folder, file), `import { ${names.join(", ")} } from "./given.ts";\n${code};\n`);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: join(root, "tsconfig.json"), include: ["*.ts"], exclude: [] }));
  const { output } = runCompiler(["-p", folder]);
  for (const message of output.split(/\n(?=\S)/)) {
    const file = /(\w+\.ts)\(/.exec(message)?.[1] ?? "";
    messages.set(file, [...(messages.get(file) ?? []), message.trimEnd()]);
  }
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the program that has no mistake compiles", () => {
  expect(messages.get("given.ts")).toBeUndefined();
  expect([...messages.keys()].filter((file) => !cases.some((one) => one.file === file))).toEqual([]);
});

describe.each(Object.keys(mistakes))("%s", (kind) => {
  test.each(cases.filter((one) => one.kind === kind))("is explained in two lines: $code", ({ file, says }) => {
    const said = messages.get(file) ?? [];
    expect(said).toHaveLength(1);
    expect(said[0]!.split("\n").length).toBeLessThanOrEqual(2);
    expect(said[0]).toContain(says);
  });
});
