/** The JSON Schema of a routine as data, for editors. `routineFrom` checks more: the graph, and what nodes refer to. */
import { deepFreeze, type JsonObject } from "../kernel/json.ts";

const text = { type: "string", minLength: 1 };
const name = { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,23}$" };
const target = { ...name, description: 'Name of a node, or "end".' };
const seconds = { type: "number", exclusiveMinimum: 0 };
const tries = { type: "integer", minimum: 1, maximum: 20, description: "Tries for a valid output. Default 3." };
const mapping = {
  type: "object",
  description: 'Values by name. { from: "state.order" } stands for a value of the state, input, outputs of nodes or result.',
};
const shape = { type: "object", description: "JSON Schema of an object." };
const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
});

const predicates = { type: "array", minItems: 1, items: { $ref: "#/$defs/predicate" } };

/** Returns the JSON Schema of a routine in a file. */
export const routineSchema = (): JsonObject => schema;

const schema: JsonObject = deepFreeze({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Routine",
  ...closed(
    {
      id: { ...name, description: "Identifies the routine in stored state." },
      version: { type: "integer", minimum: 1, description: "Raise it when nodes are renamed or removed. Default 1." },
      title: text,
      description: { type: "string" },
      conditions: { type: "array", items: { $ref: "#/$defs/condition" }, description: "When the agent enters it by itself: if any holds." },
      priority: { type: "number", description: "A higher one interrupts a lower one. Default 0." },
      autonomous: {
        description: "It runs without a conversation.",
        anyOf: [{ type: "boolean" }, closed({ timeout_seconds: seconds, callback_hosts: { type: "array", items: text } })],
      },
      input: shape,
      output: shape,
      entry: target,
      nodes: {
        anyOf: [
          { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/node" } },
          { type: "array", minItems: 1, items: { $ref: "#/$defs/listed" } },
        ],
      },
      migrations: {
        type: "array",
        items: closed({ from: { type: "integer", minimum: 1 }, nodes: { type: "object", additionalProperties: target } }, ["from", "nodes"]),
      },
    },
    ["id", "title", "nodes"],
  ),
  $defs: {
    predicate: {
      anyOf: [
        closed(
          {
            value: { ...text, description: "Such as state.order, input.text, outputs.classify.category or result.status." },
            equals: {},
            in: { type: "array" },
            set: { type: "boolean" },
            above: { type: "number" },
            below: { type: "number" },
          },
          ["value"],
        ),
        closed({ all: predicates }, ["all"]),
        closed({ any: predicates }, ["any"]),
        closed({ not: { $ref: "#/$defs/predicate" } }, ["not"]),
      ],
    },
    condition: { anyOf: [{ ...text, description: "A sentence that a model judges." }, { $ref: "#/$defs/predicate" }] },
    ...nodes(),
  },
});

function nodes(): JsonObject {
  const next = {
    description: "Where the routine goes: a node, or the first transition that applies.",
    anyOf: [target, { type: "array", minItems: 1, items: closed({ to: target, when: { $ref: "#/$defs/condition" } }, ["to"]) }],
  };
  const properties = {
    chat: closed({ instructions: text, tools: { type: "array", items: text } }, ["instructions"]),
    tool: closed({ name: text, arguments: mapping, result: mapping }, ["name"]),
    think: closed({ instructions: text, output: shape, tries, result: mapping }, ["instructions", "output"]),
    branch: closed({}),
    approve: closed({ question: text, details: mapping, seconds }, ["question"]),
    wait: { ...closed({ event: text, seconds, until: closed({ from: text }, ["from"]), result: mapping }), minProperties: 1 },
    run: closed({ routine: name, input: mapping, result: mapping }, ["routine"]),
    emit_output: closed({ output: mapping, instructions: text, tries }),
  };
  const members = { ...properties, next, error: { ...target, description: "Where the routine goes if the action fails." } };
  const oneAction = { oneOf: Object.keys(properties).map((kind) => ({ required: [kind] })) };
  return { node: { ...closed(members), ...oneAction }, listed: { ...closed({ id: name, ...members }, ["id"]), ...oneAction } };
}
