import { createInterface } from "node:readline";
import { createRuntime, openStore } from "throughline";
import { chat, offline } from "./agent.ts";
import { languageModel } from "./model.ts";

const model = languageModel() ?? offline;
const agent = chat(model);
const runtime = await createRuntime({ store: await openStore("./chat.db"), agents: [agent] });
// The same conversation after every restart.
const session = await runtime.sessions.open({ agent: agent.name, customer: "me" });

console.log(`${model.name} replies. End with Ctrl-D.`);
const prompt = "you › ";
process.stdout.write(prompt);
for await (const text of createInterface({ input: process.stdin })) {
  if (text.trim() !== "") {
    const { reply, status } = await session.send(text);
    console.log(`agent › ${reply ?? status}`);
  }
  process.stdout.write(prompt);
}
await runtime.close();
