import { createRuntime, openStore } from "throughline";
import { chat, offline } from "./agent.ts";
import { languageModel } from "./model.ts";
import { ask, show } from "./terminal.ts";

const model = languageModel() ?? offline;
const agent = chat(model);
const runtime = await createRuntime({ store: await openStore("./chat.db"), agents: [agent] });
// The same conversation after every restart.
const session = await runtime.sessions.open({ agent, customer: "me" });

console.log(`${model.name} replies. End with Ctrl-D.`);
// If the process was killed in the middle of a turn, the turn goes on now.
const [last] = (await session.turns({ limit: 1 })).items;
if (last !== undefined && last.status !== "ended") await show(session.follow(last.turn_id));
for (let text = await ask("you › "); text !== undefined; text = await ask("you › ")) if (text.trim() !== "") await show(session.stream(text));
await runtime.close();
