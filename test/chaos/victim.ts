/** A process that serves clients until it is killed. It loads first, so that a life begins the moment it is told to. */
import { ThroughlineError, openStore } from "../../src/index.ts";
import { chaosRuntime } from "./agent.ts";
import { createChooser } from "../../src/testing/chooser.ts";
import { type Doom, doomedStatements, doomedStore } from "./doomed-store.ts";
import { type Answer, type Ask, serve } from "./serve.ts";

/** To a victim. */
export type ToVictim =
  | { readonly type: "live"; readonly location: string; readonly seed: number; readonly doom?: Doom }
  | { readonly type: "ask"; readonly id: number; readonly ask: Ask };

/** From a victim. */
export type FromVictim =
  | { readonly type: "loaded" }
  | { readonly type: "alive" }
  | { readonly type: "unable"; readonly code: string; readonly message: string }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answer }
  | { readonly type: "error"; readonly id: number; readonly code: string; readonly message: string };

const tell = (message: FromVictim): void => void process.send?.(message);

async function live(life: Extract<ToVictim, { type: "live" }>): Promise<void> {
  const store = await openStore(life.location, { onStatement: doomedStatements(life.doom) });
  const runtime = await chaosRuntime(doomedStore(store, life.doom), createChooser(life.seed));
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

process.once("message", (message: ToVictim) => {
  if (message.type === "live")
    live(message).catch((error: unknown) => tell({ type: "unable", code: ThroughlineError.from(error).code, message: String(error) }));
});
// Whoever started it has gone: nothing is left to prove.
process.on("disconnect", () => process.exit());
tell({ type: "loaded" });
