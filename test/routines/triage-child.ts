/** A process that starts a run of the example of triage and sends its callback, and may die at one of its writes. Started again, it goes on where the database is. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createTriage } from "../../examples/triage/agent.ts";
import { createCallbacks } from "../../packages/server/src/server.ts";
import { createRuntime, openStore } from "../../packages/throughline/src/index.ts";
import { type Doom, doomedStore } from "../chaos/doomed-store.ts";

const {
  location,
  outside,
  url,
  doom,
  leaseMs = 1_000,
} = JSON.parse(process.argv[2] ?? "{}") as {
  readonly location: string;
  readonly outside: string;
  readonly url: string;
  readonly doom?: Doom;
  /** How long what a dead process was doing is left alone. */
  readonly leaseMs?: number;
};

const agent = createTriage({ openTicket: (_ticket, key) => appendFileSync(join(outside, "tickets"), `${key}\n`) });
const store = await openStore(location);
const runtime = await createRuntime({ store: doomedStore(store, doom), agents: [agent], pollMs: 20, leaseMs, heartbeatMs: 200, callbacks: true });
const secrets = ["whsec_c2VjcmV0IGNhbmFyeSBvZiB0aGlydHktdHdvIGJ5dGVz"];
const callbacks = createCallbacks({
  runtime,
  secrets,
  allowHosts: ["127.0.0.1"],
  pollMs: 20,
  retryMs: [50, 50, 50, 50],
  timeoutMs: leaseMs / 2,
  leaseMs,
});
callbacks.start();
const { id } = await runtime.runs.start("triage", { text: "The parcel is broken, answer today." }, { callback_url: url, idempotencyKey: "mail-1" });
let run = await runtime.runs.get(id);
while (run.erasure === undefined) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  run = await runtime.runs.get(id);
}
process.stdout.write(JSON.stringify(run));
await callbacks.close();
await runtime.close();
await store.close();
