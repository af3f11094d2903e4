/**
 * A desk that sorts mail without a conversation, as an autonomous routine: a model classifies the text and judges whether it is urgent, a ticket is opened
 * once, and the result goes to whoever has started the run.
 *
 *     const { id } = await runtime.runs.start(triage, { text: "The parcel is broken." }, { callback_url: "https://desk.example.com/triage" });
 */
import { defineAgent, defineState, defineTool, input, loop, scripted, type Agent } from "throughline";
import { defineRoutine, routineFields, routines } from "throughline/routines";
import { z } from "zod";

/** What the routine does outside. */
export interface Desk {
  openTicket(ticket: { readonly category: string; readonly urgent: boolean }, key: string): void;
}

const State = defineState({ message: input(z.string()), ...routineFields() });

const category = z.enum(["order", "complaint", "spam"]);

export const triage = defineRoutine({
  id: "triage",
  title: "Sort the mail",
  description: "Reads one mail, and decides who gets it.",
  state: State,
  autonomous: { timeout_seconds: 300, callback_hosts: ["desk.example.com", "127.0.0.1"] },
  input: z.object({ text: z.string() }),
  output: z.object({ category, urgent: z.boolean(), ticket: z.enum(["opened", "unknown", "none"]) }),
  nodes: {
    classify: {
      think: { instructions: "Classify the text.", output: z.object({ category }) },
      next: [{ to: "drop", when: { value: "result.category", equals: "spam" } }, { to: "judge" }],
    },
    judge: { think: { instructions: "Judge whether it has to be answered today.", output: z.object({ urgent: z.boolean() }) }, next: "ticket" },
    ticket: {
      tool: { name: "open_ticket", arguments: ({ outputs }) => ({ category: outputs.classify?.category, urgent: outputs.judge?.urgent }) },
      next: "emit",
      error: "unsure",
    },
    emit: { emit_output: { output: ({ outputs }) => ({ ...outputs.classify, ...outputs.judge, ticket: "opened" }) } },
    unsure: { emit_output: { output: ({ outputs }) => ({ ...outputs.classify, ...outputs.judge, ticket: "unknown" }) } },
    drop: { emit_output: { output: { category: "spam", urgent: false, ticket: "none" } } },
  },
});

/** Stands in for a language model, offline: it looks for words. */
const model = scripted(({ sections, tools: [only] }) => {
  const text = sections.find(({ name }) => name === "routine")?.text ?? "";
  if (only === undefined) return "";
  const found = /prize/iu.test(text) ? "spam" : /broken|late/iu.test(text) ? "complaint" : "order";
  const given = text.includes("Classify") ? { category: found } : { urgent: /today|now/iu.test(text.split("Known so far")[1] ?? "") };
  return { calls: [{ call_id: "1", name: only.name, arguments: given }] };
});

/** Makes the agent of a desk. */
export function createTriage(desk: Desk): Agent {
  const openTicket = defineTool({
    ...{ name: "open_ticket", description: "Opens a ticket.", parameters: z.object({ category: z.string(), urgent: z.boolean() }), effects: "once" },
    execute: (ticket, { key }) => desk.openTicket(ticket, key),
  });
  return defineAgent({ name: "triage", state: State, extensions: [routines({ routines: [triage], tools: [openTicket] })], reply: loop({ model }) });
}

export const agent = createTriage({ openTicket: () => {} });
