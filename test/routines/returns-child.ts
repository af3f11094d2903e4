/** A process that goes through the example of returns, and may die at one of its writes. Started again, it goes on where the database is. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createReturns } from "../../examples/returns/agent.ts";
import { createRuntime, openStore, ThroughlineError } from "../../packages/throughline/src/index.ts";
import { die, type Doom, doomedStore } from "../chaos/doomed-store.ts";

const { location, outside, doom, diesPaying } = JSON.parse(process.argv[2] ?? "{}") as {
  readonly location: string;
  readonly outside: string;
  readonly doom?: Doom;
  /** Dies when the money is paid and nobody knows it yet. */
  readonly diesPaying?: boolean;
};

const note = (line: string): void => appendFileSync(join(outside, "effects"), `${line}\n`);
const { agent, extension } = createReturns({
  find: () => ({ amount: 120, delivered: true }),
  sendLabel: (order, key) => note(`label ${order} ${key}`),
  refund: (order, _amount, key) => {
    note(`refund ${order} ${key}`);
    if (diesPaying === true) die();
  },
});
const store = await openStore(location, { durability: "relaxed" });
const runtime = await createRuntime({ store: doomedStore(store, doom), agents: [agent], pollMs: 20, leaseMs: 1_000, heartbeatMs: 200 });
const session = await runtime.sessions.open({ agent: "returns", key: "parcel" });
const of = session.extension(extension);

await session.send("I want to return something", { idempotencyKey: "m-1" });
const sent = await session.send("It is order 1007", { idempotencyKey: "m-2" });
for (const call of (await session.pending()).calls)
  await session.approve(call).catch((error: unknown) => {
    // Another process was faster.
    if (!ThroughlineError.is(error, "approval.not_pending")) throw error;
  });
await session.outcome(sent.offset);
await of.event("parcel.arrived", { order: "1007" }, { idempotencyKey: "p-1" });
for (;;) {
  const { frames } = await of.position();
  if (
    frames.some(({ node, at }) => (node === "tell" || node === "colleague") && at?.spoke !== undefined) &&
    (await session.pending()).turns.length === 0
  )
    break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write(session.id);
await runtime.close();
await store.close();
