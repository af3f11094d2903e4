/**
 * A process that lives until it is killed: a worker runs turns and nothing else, a client accepts messages, runs none, and follows every session. It loads first, so
 * that a life begins the moment it is told to.
 */
import { join } from "node:path";
import { ThroughlineError, openStore } from "../../packages/throughline/src/index.ts";
import { chaosRuntime } from "./agent.ts";
import { createChooser } from "../../packages/throughline/src/testing/test-clock.ts";
import { type Doom, doomedStatements, doomedStore } from "./doomed-store.ts";
import { outsideIn } from "./outside.ts";
import { Trace, followForLife } from "./reader.ts";
import { type Answer, type Ask, serve } from "./serve.ts";

/** What a process is for: a client has a folder for what it has read, and is told which sessions to follow. */
export type Role = { readonly type: "worker" } | { readonly type: "client"; readonly traces: string; readonly sessions: readonly string[] };

export interface Life {
  readonly location: string;
  readonly seed: number;
  readonly role: Role;
  /** Folder in which tools do what cannot be taken back. */
  readonly outside: string;
  readonly doom?: Doom;
}

/** To a victim. */
export type ToVictim = ({ readonly type: "live" } & Life) | { readonly type: "ask"; readonly id: number; readonly ask: Ask };

/** From a victim. */
export type FromVictim =
  | { readonly type: "loaded" }
  | { readonly type: "alive" }
  | { readonly type: "unable"; readonly code: string; readonly message: string }
  | { readonly type: "wrong"; readonly message: string }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answer }
  | { readonly type: "error"; readonly id: number; readonly code: string; readonly message: string };

const tell = (message: FromVictim): void => void process.send?.(message);

async function live(life: Extract<ToVictim, { type: "live" }>): Promise<void> {
  const store = await openStore(life.location, { onStatement: doomedStatements(life.doom) });
  const { role } = life;
  const runtime = await chaosRuntime(doomedStore(store, life.doom), {
    ...{ dice: createChooser(life.seed), outside: outsideIn(life.outside), work: role.type === "worker" },
  });
  if (role.type === "client") for (const key of role.sessions) followForLife(runtime, key, new Trace(join(role.traces, key))).catch(complain);
  process.on("message", (message: ToVictim) => {
    if (message.type !== "ask") return;
    const { id, ask } = message;
    serve(runtime, ask).then(
      (answer) => tell({ type: "answer", id, answer }),
      (error: unknown) => tell({ type: "error", id, code: ThroughlineError.from(error).code, message: String(error) }),
    );
  });
  tell({ type: "alive" });
}

/** What a reader should never meet ends its process with a message that the storm reports. */
const complain = (error: unknown): void => tell({ type: "wrong", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });

process.once("message", (message: ToVictim) => {
  if (message.type === "live")
    live(message).catch((error: unknown) => tell({ type: "unable", code: ThroughlineError.from(error).code, message: String(error) }));
});
// Whoever started it has gone: nothing is left to prove.
process.on("disconnect", () => process.exit());
tell({ type: "loaded" });
