/** A process of the service: it answers requests, or runs turns, or both. It is killed, dies by itself, or is told to end by SIGTERM. */
import { openStore } from "../../packages/throughline/src/index.ts";
import { createServer } from "../../packages/server/src/server/create-server.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { agentsFor, lifeRuntime } from "./agent.ts";
import { deadlyStore } from "./deadly-store.ts";

export type Role = "server" | "worker";

/** What a process is told, once. */
export interface Life {
  readonly location: string;
  readonly role: Role;
  readonly seed: number;
}

/** What it says: that it is loaded; that it is at work, a server on which port; or that it could not begin. */
export type FromProcess =
  | { readonly type: "loaded" }
  | { readonly type: "alive"; readonly port?: number }
  | { readonly type: "unable"; readonly error: string };

const tell = (message: FromProcess): void => void process.send?.(message);

/** Limits that a test does not run into, and heartbeats that it does not wait for. */
const limits = { requestsPerMinute: 0, eventReadsPerMinute: 0, waiters: 10_000, heartbeatMs: 200 };

async function live({ location, role, seed }: Life): Promise<void> {
  const store = await openStore(location);
  const dice = createChooser(seed);
  const agents = agentsFor(dice);
  const deadly = deadlyStore(store, dice);
  // What a server drafts itself, its readers see on every database.
  const runtime = await lifeRuntime(deadly, agents, role === "worker" || dice.chance(0.4));
  const server = role === "server" ? await createServer({ runtime, agents, port: 0, limits }) : undefined;
  const listening = await server?.listen();
  process.once("SIGTERM", () => {
    Promise.all([server?.close({ drainMs: 1_000 }), runtime.close({ drainMs: 1_000 })])
      .then(() => store.close())
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  });
  tell({ type: "alive", ...(listening === undefined ? {} : { port: listening.port }) });
}

process.once("message", (life: Life) => {
  live(life).catch((error: unknown) => tell({ type: "unable", error: String(error) }));
});
// Whoever started it has gone: nothing is left to prove.
process.on("disconnect", () => process.exit());
tell({ type: "loaded" });
