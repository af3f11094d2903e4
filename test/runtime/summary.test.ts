import { expect, it } from "vitest";
import { z } from "zod";
import { asData, defineAgent, defineState, input, loop, recentMessages, reduced, scripted, stage } from "../../packages/throughline/src/index.ts";
import { summarisable } from "../../packages/throughline/src/context.ts";
import type { ModelRequest } from "../../packages/throughline/src/model/model-port.ts";
import { code, started } from "./harness.ts";

const State = defineState({ message: input(z.string()), earlier: reduced(z.object({ upto: z.number(), text: z.string() })) });
const compact = stage("compact", { state: State, writes: ["earlier"] }, ({ state, context }) => {
  const due = summarisable(context.history, { keep: 3 });
  if (due === undefined) return {};
  const told = [state.earlier?.text, ...due.messages.map(({ text }) => text)].filter((text) => text !== undefined);
  return { earlier: { upto: due.upto, text: told.join(" ") } };
});

it("a stage summarises what no longer fits; the prompt tells it once, and going back brings the messages back", async () => {
  const asked: ModelRequest[] = [];
  const model = scripted((request) => {
    asked.push(request);
    return `re:${request.messages.at(-1)?.text ?? ""}`;
  });
  const sections = [recentMessages({ window: 20, summary: "earlier" })];
  const agent = defineAgent({ name: "long", version: 1, state: State, stages: [compact], sections, reply: loop({ model }) });
  const runtime = await started({ agents: [agent] });
  const session = await runtime.sessions.create({ agent: "long" });
  await session.send("one");
  const second = await session.send("two");
  await session.send("three");
  const [, , last] = asked;
  expect(last?.sections).toEqual([{ name: "earlier", text: asData("earlier", ["one re:one"]) }]);
  expect(last?.messages.map((message) => message.text)).toEqual(["two", "re:two", "three"]);
  expect((await session.messages()).map((message) => message.text)).toEqual(["one", "re:one", "two", "re:two", "three", "re:three"]);

  await session.withdraw({ from: second.offset ?? -1 });
  await session.send("again");
  expect(asked.at(-1)?.sections).toEqual([]);
  expect(asked.at(-1)?.messages.map((message) => message.text)).toEqual(["one", "re:one", "again"]);
});

it("the summary must be a reduced field of the agent", async () => {
  const define = (summary: string) => async () =>
    Promise.resolve(
      defineAgent({ name: "x", version: 1, state: State, sections: [recentMessages({ summary })], reply: loop({ model: scripted([]) }) }),
    );
  for (const field of ["message", "nothing"]) expect(await code(define(field)())).toBe("agent.invalid");
});
