/** An agent whose routines follow the rows of the cases about runs. Its model has no memory of its own, so any process can go on with it. */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { defineAgent, defineState, defineTool, input, loop, scripted } from "../../packages/throughline/src/index.ts";
import { defineRoutine, routineFields, routines } from "../../packages/throughline/src/routines.ts";

const State = defineState({ message: input(z.string()), ...routineFields() });

/** Two think nodes, the first of which is visited twice. */
export const sort = defineRoutine({
  ...{ id: "sort", title: "Sort", state: State, autonomous: true, input: z.object({ text: z.string() }) },
  output: z.object({ category: z.string(), urgent: z.boolean() }),
  nodes: {
    classify: { think: { instructions: "Classify.", output: z.object({ category: z.enum(["spam", "sales"]) }) }, next: "rate" },
    rate: {
      think: { instructions: "Rate.", output: z.object({ urgent: z.boolean() }) },
      next: [{ to: "classify", when: ({ outputs }) => outputs.classify?.category === "spam" }, { to: "emit" }],
    },
    emit: { emit_output: { output: ({ outputs }) => ({ category: outputs.classify?.category, urgent: outputs.rate?.urgent }) } },
  },
});

/** Emits what never fits. */
export const wrong = defineRoutine({
  ...{ id: "wrong", title: "Wrong", state: State, autonomous: true, output: z.object({ count: z.number() }) },
  nodes: { emit: { emit_output: { instructions: "Emit the count.", tries: 2 } } },
});

/** Waits for an event, and then for a moment. */
export const patient = defineRoutine({
  ...{ id: "patient", title: "Patient", state: State, autonomous: true, output: z.object({ ok: z.boolean() }) },
  nodes: {
    hold: { wait: { event: "parcel" }, next: "rest" },
    rest: { wait: { seconds: 0.5 }, next: "emit" },
    emit: { emit_output: { output: () => ({ ok: true }) } },
  },
});

/** Calls a tool that happens once, and then one that keeps its first process. */
export const work = defineRoutine({
  ...{ id: "work", title: "Work", state: State, autonomous: true, output: z.object({ ok: z.boolean() }) },
  nodes: {
    pay: { tool: { name: "pay" }, next: "dwell", error: "emit" },
    dwell: { tool: { name: "dwell" }, next: "emit", error: "emit" },
    emit: { emit_output: { output: () => ({ ok: true }) } },
  },
});

/** The agent of a process, with its lines of what happened outside in `effects`. */
export function createRows(outside: string) {
  const file = join(outside, "effects");
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", parameters: z.object({}), effects: "once" },
    execute: (_args, { key }) => appendFileSync(file, `paid ${key}\n`),
  });
  const dwell = defineTool({
    ...{ name: "dwell", description: "Dwells.", parameters: z.object({}), effects: "none" },
    execute: async () => {
      const isFirst = !readFileSync(file, "utf8").includes("dwells");
      appendFileSync(file, `dwells ${process.pid}\n`);
      if (isFirst) await new Promise(() => setInterval(() => {}, 1_000));
    },
  });
  const model = scripted(({ tools: [only], messages }) => {
    if (only === undefined) return "nothing";
    const said = messages.map(({ text }) => text).join("\n");
    // Each first answer is invalid.
    const isAgain = messages.at(-1)?.role === "tool" && /arguments_invalid/u.test(messages.at(-1)?.text ?? "");
    const asked = JSON.stringify(only.parameters);
    const answer = asked.includes("category")
      ? { category: isAgain ? (said.includes("urgent") ? "sales" : "spam") : "other" }
      : asked.includes("urgent")
        ? { urgent: isAgain ? true : "very" }
        : { count: "many" };
    return { calls: [{ call_id: "1", name: only.name, arguments: answer }] };
  });
  const extension = routines({ routines: [sort, wrong, patient, work], tools: [pay, dwell] });
  const agent = defineAgent({ name: "rows", state: State, extensions: [extension], reply: loop({ model }), budget: { steps: 60 } });
  return { agent, extension };
}
