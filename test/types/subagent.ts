/** The maps between the states of a parent and its child agent, checked by the compiler. */
import { expectTypeOf } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  replace,
  scripted,
  subagent,
  turn,
  type Tool,
} from "../../packages/throughline/src/index.ts";

const Child = defineState({
  message: input(z.string()),
  style: input(z.string().optional()),
  limit: input(z.number()),
  known: reduced(z.array(z.string()), { start: true }),
  facts: reduced(z.array(z.string())),
  score: turn(z.number()),
});
const Parent = defineState({
  message: input(z.string()),
  tone: reduced(z.string()),
  most: reduced(z.number()),
  findings: reduced(z.array(z.string())),
  answer: reduced(z.string()),
  best: reduced(z.number()),
});
const agent = defineAgent({ name: "child", version: 1, state: Child, reply: loop({ model: scripted([]) }) });
const rest = { agent, description: "Looks things up.", state: Parent };

const tool = subagent({
  ...rest,
  inputsFromState: { tone: "style", most: "limit", findings: "known" },
  outputsToState: { findings: { source: "facts" }, best: { source: "score", reduce: replace() }, answer: {} },
});
expectTypeOf(tool).toEqualTypeOf<Tool>();

subagent({
  ...rest,
  parameters: z.object({ topic: z.string(), limit: z.number() }),
  prompt: (args) => {
    expectTypeOf(args).toEqualTypeOf<{ topic: string; limit: number }>();
    return args.topic;
  },
  input: ({ limit }) => ({ limit }),
});
subagent({ ...rest, prompt: ({ prompt }) => prompt.trim() });
// Without the parent's state the maps are checked when the parent is built.
subagent({ agent, description: "x", inputsFromState: { anything: "style" }, outputsToState: { whatever: { source: "facts" } } });

// @ts-expect-error -- a field that the parent does not have
subagent({ ...rest, inputsFromState: { tune: "style" } });
// @ts-expect-error -- a field that the child does not have
subagent({ ...rest, inputsFromState: { tone: "stile" } });
// @ts-expect-error -- a field that cannot be given when a turn begins
subagent({ ...rest, inputsFromState: { findings: "facts" } });
// @ts-expect-error -- the child's message is its prompt
subagent({ ...rest, inputsFromState: { tone: "message" } });
// @ts-expect-error -- a field of another type
subagent({ ...rest, inputsFromState: { most: "style" } });
// @ts-expect-error -- a field that the child does not have, also without the parent's state
subagent({ agent, description: "x", inputsFromState: { anything: "stile" } });
// @ts-expect-error -- a source that the child does not have
subagent({ ...rest, outputsToState: { findings: { source: "fact" } } });
// @ts-expect-error -- a source of another type
subagent({ ...rest, outputsToState: { best: { source: "facts" } } });
// @ts-expect-error -- a reply is a text, which this field does not take
subagent({ ...rest, outputsToState: { best: {} } });
// @ts-expect-error -- a field that cannot be written
subagent({ ...rest, outputsToState: { message: {} } });
// @ts-expect-error -- values of another type for the child's input
subagent({ ...rest, input: () => ({ limit: "ten" }) });
// @ts-expect-error -- an option that there is not
subagent({ ...rest, maxdepth: 2 });
