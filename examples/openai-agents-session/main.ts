/** A session of the OpenAI Agents SDK in Throughline. Each start of the program continues the same history; `run(agent, text, { session })` does so too. */
import { historyAgent, ThroughlineSession } from "@throughline/adapters/openai-agents";
import { createRuntime, openStore } from "throughline";

const [location = "./history.db", text = "hello"] = process.argv.slice(2);
const store = await openStore(location);
const runtime = await createRuntime({ store, agents: [historyAgent] });
const session = new ThroughlineSession(runtime, { sessionId: "c-17", customer: "crm-7" });
await session.addItems([{ role: "user", content: text }]);
console.log((await session.getItems()).length, JSON.stringify(await session.getItems(1)));
await runtime.close();
await store.close();
