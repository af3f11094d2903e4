/** A process that runs the turns of the agent in rows-agent.ts until it is killed: `location outside`. */
import { createRuntime, openStore } from "../../packages/throughline/src/index.ts";
import { createRows } from "./rows-agent.ts";

const [location = "", outside = ""] = process.argv.slice(2);
await createRuntime({ store: await openStore(location), agents: [createRows(outside).agent], pollMs: 20, leaseMs: 1_000, heartbeatMs: 200 });
