import { welcome } from "@throughline/companion/agent";
import { createRuntime, openStore } from "throughline";
import { companion, input } from "./agent.ts";
import { languageModel } from "./model.ts";
import { ask, show } from "./terminal.ts";

const model = languageModel();
const agent = companion(model);
const runtime = await createRuntime({ store: await openStore("./companion.db"), agents: [agent] });
// The same conversation, with the same memory, after every restart.
const session = await runtime.sessions.open({ agent, customer: "me" });

console.log(`${welcome}\n${model?.name ?? "rules (offline, no language model)"} replies. End with Ctrl-D.`);
// If the process was killed in the middle of a turn, the turn goes on now.
const [last] = (await session.turns({ limit: 1 })).items;
if (last !== undefined && last.status !== "ended") await show(session.follow(last.turn_id));
for (let text = await ask("you › "); text !== undefined; text = await ask("you › "))
  if (text.trim() !== "") await show(session.stream(text, { input }));
await runtime.close();
