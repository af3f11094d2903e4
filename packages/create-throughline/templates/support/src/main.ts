import { createInterface } from "node:readline";
import { createRuntime, openStore } from "throughline";
import { offline, support } from "./agent.ts";
import { languageModel } from "./model.ts";
import { demoShop } from "./shop.ts";

const model = languageModel() ?? offline;
const agent = support(model, demoShop());
const runtime = await createRuntime({ store: await openStore("./support.db"), agents: [agent] });
// The same conversation after every restart.
const session = await runtime.sessions.open({ agent: agent.name, customer: "me" });

const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();

/** Reads a line after a prompt; undefined at the end of the input. */
async function read(prompt: string): Promise<string | undefined> {
  process.stdout.write(prompt);
  const { done, value } = await lines.next();
  return done === true ? undefined : value;
}

/** Asks for a decision on every call that waits for one. You play the customer and the person who approves. */
async function decideAll(): Promise<void> {
  for (const call of (await session.pending()).calls) {
    const approved = /^y/i.test((await read(`approve › ${call.name} ${JSON.stringify(call.arguments)} (y/n) `)) ?? "");
    await (approved ? session.approve(call) : session.reject(call, "The shop does not refund this order."));
  }
}

console.log(`${model.name} replies. Tell it about a problem with order A-17, or ask for a refund. End with Ctrl-D.`);
for (let text = await read("you › "); text !== undefined; text = await read("you › ")) {
  if (text.trim() === "") continue;
  let turn = await session.send(text);
  while (turn.status === "paused") {
    await decideAll();
    turn = await session.outcome(turn.offset);
  }
  console.log(`agent › ${turn.reply ?? turn.status}`);
}
terminal.close();
await runtime.close();
