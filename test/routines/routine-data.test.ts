/** Routines as data: a file loads to the same value as TypeScript, faults name their line, and the schema for editors agrees with both. */
import { Validator } from "@cfworker/json-schema";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadRoutine } from "../../packages/server/src/server.ts";
import { readRoutine } from "../../packages/server/src/config/routine-file.ts";
import {
  defineRoutine,
  nodeKinds,
  routineFields,
  routineFrom,
  routineGraph,
  routines,
  routineSchema,
  toMermaid,
} from "../../packages/throughline/src/routines.ts";
import { defineAgent, defineState, input, loop, scripted, ThroughlineError } from "../../packages/throughline/src/index.ts";
import { z } from "zod";
import { parse } from "yaml";
import { command } from "../cli/in-process.ts";
import { newFolder } from "../cli/run-cli.ts";

const yaml = `
id: returns
version: 2
title: Return a parcel
description: Takes goods back.
conditions:
  - The customer wants to return something.
  - { value: state.intent, in: [return, refund] }
priority: 3
output:
  type: object
  properties: { refunded: { type: boolean } }
  required: [refunded]
nodes:
  ask:
    chat: { instructions: Ask for the order number., tools: [] }
    next:
      - { to: find, when: { value: state.order, set: true } }
  find:
    tool: { name: find_order, arguments: { id: { from: state.order } }, result: { status: { from: result.status } } }
    next:
      - { to: decide, when: { all: [{ value: result.status, equals: paid }, { not: { value: result.late, equals: true } }] } }
      - { to: emit }
    error: ask
  decide:
    approve: { question: Take it back?, details: { order: { from: state.order } }, seconds: 3600 }
    next: parcel
  parcel:
    wait: { event: parcel.arrived, seconds: 1209600 }
    next: emit
  emit:
    emit_output: { output: { refunded: { from: outputs.decide.approved } } }
migrations:
  - { from: 1, nodes: { start: ask } }
`;

const inTypeScript = defineRoutine({
  id: "returns",
  version: 2,
  title: "Return a parcel",
  description: "Takes goods back.",
  conditions: ["The customer wants to return something.", { value: "state.intent", in: ["return", "refund"] }],
  priority: 3,
  output: { type: "object", properties: { refunded: { type: "boolean" } }, required: ["refunded"] },
  nodes: {
    ask: { chat: { instructions: "Ask for the order number.", tools: [] }, next: [{ to: "find", when: { value: "state.order", set: true } }] },
    find: {
      tool: { name: "find_order", arguments: { id: { from: "state.order" } }, result: { status: { from: "result.status" } } },
      next: [
        { to: "decide", when: { all: [{ value: "result.status", equals: "paid" }, { not: { value: "result.late", equals: true } }] } },
        { to: "emit" },
      ],
      error: "ask",
    },
    decide: { approve: { question: "Take it back?", details: { order: { from: "state.order" } }, seconds: 3_600 }, next: "parcel" },
    parcel: { wait: { event: "parcel.arrived", seconds: 1_209_600 }, next: "emit" },
    emit: { emit_output: { output: { refunded: { from: "outputs.decide.approved" } } } },
  },
  migrations: [{ from: 1, nodes: { start: "ask" } }],
});

const fileWith = (text: string): string => {
  const file = join(newFolder(), "returns.yaml");
  writeFileSync(file, text);
  return file;
};

/** Returns the places and messages of a definition's faults. */
function faultsOf(given: unknown): readonly string[] {
  try {
    routineFrom(given);
    return [];
  } catch (error) {
    const faults = ThroughlineError.is(error, "routine.invalid") ? error.details["faults"] : undefined;
    return (faults as readonly { readonly path: string; readonly message: string }[]).map(({ path, message }) => `${path}: ${message}`);
  }
}

const State = defineState({ message: input(z.string()), ...routineFields() });
const chat = { chat: { instructions: "Talk." } };
const minimal = { id: "r", title: "R", nodes: { a: { ...chat, next: "end" } } };
const think = { instructions: "Think.", output: { type: "object", properties: { kind: { type: "string" } } } };

describe("a routine in a file", () => {
  it("is the same value as one in TypeScript", () => {
    expect(loadRoutine(fileWith(yaml))).toEqual(inTypeScript);
    const listed = { ...(parse(yaml) as { nodes: object }) };
    const nodes = Object.entries(listed.nodes).map(([id, node]) => ({ id, ...(node as object) }));
    expect(routineFrom({ ...listed, nodes })).toEqual(inTypeScript);
    expect(Object.isFrozen(inTypeScript) && Object.isFrozen(inTypeScript.nodes["find"])).toBe(true);
  });

  it("names the line of each fault", () => {
    const wrong = yaml.replace("next: parcel", "next: parcle").replace("outputs.decide", "outputs.find").replace("priority: 3", "prority: 3");
    const { faults } = readRoutine(wrong);
    const lineOf = (text: string): number => wrong.split("\n").findIndex((line) => line.includes(text)) + 1;
    expect(faults.map(({ line, path }) => [line, path])).toEqual([
      [lineOf("prority"), "prority"],
      [lineOf("parcle"), "nodes.decide.next[0].to"],
      [lineOf("outputs.find"), "nodes.emit.emit_output.output.refunded.from"],
    ]);
    expect(() => loadRoutine(fileWith(wrong))).toThrow(/returns\.yaml:9:\d+ prority is unknown; did you mean "priority"/u);
    expect(readRoutine("id: [\n").faults[0]).toMatchObject({ path: "" });
    expect(() => loadRoutine("/nowhere.yaml")).toThrow(/no file/u);
    const listed = "id: r\ntitle: R\nnodes:\n  - { id: a, branch: {}, next: b }\n  - id: b\n    branch: {}\n    next: c\n";
    expect(readRoutine(listed).faults.find(({ path }) => path === "nodes.b.next[0].to")).toMatchObject({ line: 7 });
  });

  it("is checked and drawn at the command line", async () => {
    const folder = newFolder();
    const [good, bad] = [fileWith(yaml), fileWith(yaml.replace("next: parcel", "next: parcle"))];
    expect((await command(["routines", "check", good], { folder })).out).toContain('routine "returns" version 2 is valid.');
    const failed = await command(["routines", "check", good, bad], { folder });
    expect(failed).toMatchObject({ error: "routine.invalid" });
    expect(failed.message).toMatch(/returns\.yaml:\d+:\d+ nodes\.decide\.next\[0\]\.to: there is no node "parcle"; did you mean "parcel"\?/u);
    expect((await command(["routines", "show", good], { folder })).out.trim()).toBe(toMermaid(inTypeScript).trim());
    expect(await command(["routines", "show", "nothing"], { folder })).toMatchObject({ error: "routine.not_found" });
    expect(JSON.parse((await command(["routines", "schema"], { folder })).out)).toEqual(routineSchema());
  });

  it("is drawn by the name of a routine of a configured agent", async () => {
    const folder = newFolder();
    const from = (path: string): string => JSON.stringify(new URL(`../../packages/throughline/src/${path}`, import.meta.url).href);
    writeFileSync(
      join(folder, "desk.ts"),
      `import { defineRoutine, routineFields, routines } from ${from("routines.ts")};
import { defineAgent, defineState, loop, scripted } from ${from("index.ts")};
const state = defineState(routineFields());
const greet = defineRoutine({ id: "greet", title: "Greet", state, nodes: { hello: { chat: { instructions: "Greet." }, next: "end" } } });
export const agent = defineAgent({ name: "desk", version: 1, state, extensions: [routines({ routines: [greet] })], reply: loop({ model: scripted([]) }) });
`,
    );
    writeFileSync(join(folder, "throughline.yaml"), "agents: [./desk.ts]\n");
    expect((await command(["routines", "show", "greet"], { folder })).out).toContain("hello");
    const missing = await command(["routines", "show", "great"], { folder });
    expect(missing).toMatchObject({ error: "routine.not_found" });
    expect(missing.message).toContain('There is no routine "great" of agent "desk"');
  });
});

describe("the schema for editors", () => {
  const validator = new Validator(structuredClone(routineSchema()) as never, "2020-12");
  const accepts = (given: unknown): boolean => validator.validate(given).valid;

  it("accepts what loads, and refuses other keys, two actions and missing ones", () => {
    expect(accepts(parse(yaml))).toBe(true);
    expect(accepts(minimal)).toBe(true);
    expect(accepts({ ...minimal, wibble: 1 })).toBe(false);
    expect(accepts({ ...minimal, nodes: { a: { ...chat, branch: {}, next: "end" } } })).toBe(false);
    expect(accepts({ ...minimal, nodes: { a: { next: "end" } } })).toBe(false);
    expect(accepts({ ...minimal, nodes: { a: { chat: {}, next: "end" } } })).toBe(false);
    expect(accepts({ ...minimal, conditions: [{ equals: 1 }] })).toBe(false);
  });

  it("knows every kind of node", () => {
    const { node } = routineSchema()["$defs"] as { readonly node: { readonly properties: object } };
    expect(Object.keys(node.properties)).toEqual([...nodeKinds, "next", "error"]);
  });
});

describe("a definition's faults", () => {
  it.each([
    [
      "an unreachable node",
      { ...minimal, nodes: { a: { ...chat, next: "end" }, b: { ...chat, next: "end" } } },
      'nodes.b: unreachable: no path leads from "a" to it',
    ],
    ["a missing exit", { ...minimal, nodes: { a: chat } }, 'nodes.a.next: missing exit: say which node follows, or "end"'],
    [
      "a branch without a way that always applies",
      { ...minimal, nodes: { a: { branch: {}, next: [{ to: "end", when: "It rains." }] } } },
      "nodes.a.next: missing exit: the last transition needs no condition, so that one always applies",
    ],
    [
      "a circle without an exit",
      { ...minimal, nodes: { a: { ...chat, next: "b" }, b: { ...chat, next: "a" } } },
      "nodes.a: missing exit: no path leads from it to the end",
    ],
    [
      "a duplicate id",
      {
        ...minimal,
        nodes: [
          { id: "a", ...chat, next: "end" },
          { id: "a", ...chat, next: "end" },
        ],
      },
      'nodes[1].id: there are two nodes "a"',
    ],
    ["a transition to nothing", { ...minimal, nodes: { a: { ...chat, next: [{ to: "ende" }] } } }, 'nodes.a.next[0].to: there is no node "ende"'],
    ["an error to nothing", { ...minimal, nodes: { a: { tool: { name: "x" }, next: "end", error: "b" } } }, 'nodes.a.error: there is no node "b"'],
    ["an entry that is none", { ...minimal, entry: "b" }, 'entry: there is no node "b"'],
    [
      "two actions",
      { ...minimal, nodes: { a: { ...chat, tool: { name: "x" }, next: "end" } } },
      "nodes.a: has two actions, chat and tool; make a node for each",
    ],
    ["no action", { ...minimal, nodes: { a: { next: "end" } } }, `nodes.a: has no action; it has one of ${nodeKinds.join(", ")}`],
    [
      "K13: think in a conversation",
      { ...minimal, nodes: { a: { think, next: "end" } } },
      "nodes.a: think is only for autonomous routines: nobody would answer the customer meanwhile",
    ],
    ["chat without a conversation", { ...minimal, autonomous: true }, "nodes.a: chat needs a conversation, and the routine is autonomous"],
    ["an output that no node emits", { ...minimal, output: { type: "object" } }, "output: no node emits it: add one with emit_output"],
    [
      "an emitted output that is not declared",
      { ...minimal, nodes: { a: { emit_output: { output: {} } } } },
      "nodes.a: emits an output, and the routine declares none",
    ],
    [
      "an output of a node that has none",
      {
        ...minimal,
        nodes: { a: { ...chat, next: "b" }, b: { branch: {}, next: [{ to: "end", when: { value: "outputs.a.x", set: true } }, { to: "end" }] } },
      },
      'nodes.b.next[0].when.value: unreadable output: node "a" is a chat, which has none',
    ],
    [
      "an output of a node that does not exist",
      { ...minimal, nodes: { a: { ...chat, next: [{ to: "end", when: { value: "outputs.z", set: true } }] } } },
      'nodes.a.next[0].when.value: unreadable output: there is no node "z"',
    ],
    [
      "an output of a later node",
      {
        ...minimal,
        nodes: { a: { tool: { name: "x", arguments: { y: { from: "outputs.b" } } }, next: "b" }, b: { wait: { seconds: 1 }, next: "end" } },
      },
      'nodes.a.tool.arguments.y.from: unreadable output: node "b" never runs before "a"',
    ],
    [
      "a member that an output does not have",
      { ...minimal, autonomous: true, nodes: { a: { think, next: [{ to: "end", when: { value: "result.sort", set: true } }, { to: "end" }] } } },
      'nodes.a.next[0].when.value: the result has no "sort"; it has kind',
    ],
    [
      "an input that is not declared",
      { ...minimal, nodes: { a: { tool: { name: "x", arguments: { y: { from: "input.z" } } }, next: "end" } } },
      "nodes.a.tool.arguments.y.from: unreadable: the routine has no input",
    ],
    [
      "a transition after one that always applies",
      { ...minimal, nodes: { a: { ...chat, next: [{ to: "end" }, { to: "end", when: "x" }] } } },
      "nodes.a.next[0]: always applies, so the transitions after it never do",
    ],
    [
      "a predicate without a test",
      { ...minimal, conditions: [{ value: "state.x" }] },
      "conditions[0]: tests nothing; it has one of equals, in, set, above and below",
    ],
    [
      "a wait for nothing",
      { ...minimal, nodes: { a: { wait: {}, next: "end" } } },
      "nodes.a.wait: waits for nothing: give it an event, seconds or until",
    ],
    [
      "a migration to nothing",
      { ...minimal, version: 2, migrations: [{ from: 1, nodes: { x: "y" } }] },
      'migrations[0].nodes.x: there is no node "y"',
    ],
    ["a migration from the future", { ...minimal, migrations: [{ from: 1, nodes: {} }] }, "migrations[0].from: is an earlier version than 1, got 1"],
    [
      "an id that is too long",
      { ...minimal, id: "a".repeat(25) },
      'id: is a name of letters, digits, "-" and "_" that begins with a letter (at most 24), got "aaaaaaaaaaaaaaaaaaaaaaaaa"',
    ],
    ["a schema that is none", { ...minimal, input: { type: "string" } }, "input: the schema"],
    [
      "a field that the state does not have, as the target of a result",
      { ...minimal, state: State, nodes: { a: { tool: { name: "x", result: { nope: 1 } }, next: "end" } } },
      'nodes.a.tool.result.nope: the state has no "nope"; it has message,',
    ],
    [
      "an input field as the target of a result",
      { ...minimal, state: State, nodes: { a: { wait: { seconds: 1, result: { message: "x" } }, next: "end" } } },
      'nodes.a.wait.result.message: "message" is an input field, which the caller sets',
    ],
    [
      "the position as the target of a result",
      { ...minimal, state: State, nodes: { a: { tool: { name: "x", result: { routines: "x" } }, next: "end" } } },
      'nodes.a.tool.result.routines: "routines" is where the routines stand, and only the runtime writes it',
    ],
    [
      "a function within a mapping",
      { ...minimal, nodes: { a: { tool: { name: "x", arguments: { id: () => "7" } }, next: "end" } } },
      "nodes.a.tool.arguments.id: is a function; a mapping is JSON, or one function for the whole of it",
    ],
    [
      "conditions without a conversation",
      { ...minimal, autonomous: true, conditions: ["x"], nodes: { a: { wait: { seconds: 1 }, next: "end" } } },
      "conditions: are for conversations, and the routine is autonomous: start it with runs.start",
    ],
    [
      "a time that is too long",
      { ...minimal, nodes: { a: { wait: { seconds: 1e20 }, next: "end" } } },
      "nodes.a.wait.seconds: is a number above 0 and up to 316224000, got 100000000000000000000",
    ],
    [
      "no number",
      { ...minimal, nodes: { a: { wait: { seconds: NaN }, next: "end" } } },
      "nodes.a.wait.seconds: is a number above 0 and up to 316224000, got NaN",
    ],
    ["no nodes", { ...minimal, nodes: {} }, "nodes: is an object of nodes, got {}"],
    ["something else", 7, ": a routine is an object, got 7"],
  ])("names %s and its place", (_what, given, fault) => {
    const faults = faultsOf(given);
    expect(
      faults.some((one) => one.startsWith(fault)),
      faults.join("\n"),
    ).toBe(true);
  });

  it("are those of the file's form too: aliases that repeat too much", () => {
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      ..."bcdef".split("").map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcdef"[at]}`).join(",")}]`),
    ];
    const { faults } = readRoutine(bomb.join("\n"));
    expect(faults).toMatchObject([{ line: 1, column: 1, path: "" }]);
    expect(faults[0]?.message).toMatch(/alias/u);
  });

  it("are named beside a wrong name: a missing exit, and what a routine without a state writes to its agent's", () => {
    const circle = { branch: {}, next: "b" };
    expect(faultsOf({ ...minimal, nodes: { a: { ...chat, next: "ende" }, b: circle } })).toEqual([
      'nodes.a.next[0].to: there is no node "ende"',
      "nodes.b: missing exit: no path leads from it to the end",
    ]);
    const nodes = {
      a: { tool: { name: "x", arguments: { y: { from: "state.z" } }, result: { nope: 1 } }, next: "b" },
      b: { tool: { name: "y" }, next: "end" },
    };
    const reply = loop({ model: scripted(() => "x") });
    expect(() => defineAgent({ name: "a", state: State, reply, extensions: [routines({ routines: [routineFrom({ ...minimal, nodes })] })] })).toThrow(
      /no tool "x".*no tool "y".*state has no "z".*state has no "nope"/u,
    );
  });

  it("are none of an empty list of routines", () => {
    const reply = loop({ model: scripted(() => "x") });
    expect(defineAgent({ name: "a", state: State, reply, extensions: [routines({ routines: [] })] }).name).toBe("a");
  });

  it("are all named in one error", () => {
    expect(() => routineFrom({ id: "r", title: "", nodes: { a: { branch: {} } } })).toThrow(/Routine "r", title: .*; nodes\.a\.next: missing exit/u);
  });
});

describe("the drawing", () => {
  it("has every node and every way", () => {
    const lines = toMermaid(inTypeScript).split("\n");
    expect(lines[0]).toBe("flowchart TD");
    expect(lines).toContain('  n_find["find (tool: find_order)"]');
    expect(lines).toContain('  n_find -->|"result.status equals #quot;paid#quot; and not (result.late equals true)"| n_decide');
    expect(lines).toContain('  n_find -.->|"error"| n_ask');
    expect(lines).toContain("  n_emit --> end_");
  });

  it("is data as well, without instructions and functions", () => {
    const { nodes, ...graph } = routineGraph(inTypeScript);
    expect(graph).toEqual({ id: "returns", version: 2, title: "Return a parcel", description: "Takes goods back.", autonomous: false, entry: "ask" });
    expect(nodes.map(({ id, kind, about }) => [id, kind, about])).toEqual([
      ["ask", "chat", undefined],
      ["find", "tool", "find_order"],
      ["decide", "approve", undefined],
      ["parcel", "wait", "parcel.arrived"],
      ["emit", "emit_output", undefined],
    ]);
    expect(nodes[1]).toMatchObject({
      next: [{ to: "decide", when: 'result.status equals "paid" and not (result.late equals true)' }, { to: "emit" }],
      error: "ask",
    });
    expect(JSON.parse(JSON.stringify(nodes))).toEqual(nodes);
    expect(JSON.stringify(nodes)).not.toContain("Ask for the order number.");
  });
});
