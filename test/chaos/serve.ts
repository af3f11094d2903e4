import type { Runtime } from "../../packages/throughline/src/index.ts";
import { agentNameOf } from "./agent.ts";
import { decideAll } from "./decider.ts";

/** What a client may ask of a process. `session` is the key of a session. */
export type Ask =
  | { readonly type: "post"; readonly session: string; readonly key: string; readonly text: string }
  | { readonly type: "decide"; readonly session: string; readonly seed: number }
  | { readonly type: "manual" | "auto" | "stop" | "withdraw"; readonly session: string };

/** The offset of an accepted message; undefined for anything else. */
export type Answer = number | undefined;

/** Does what is asked on a runtime. */
export async function serve(runtime: Runtime, ask: Ask): Promise<Answer> {
  const session = await runtime.sessions.open({ agent: agentNameOf(ask.session), key: ask.session });
  switch (ask.type) {
    case "post":
      return (await session.post(ask.text, { idempotencyKey: ask.key })).offset;
    case "decide":
      await decideAll(session, ask.seed);
      return undefined;
    case "manual":
      await session.setMode("manual");
      return undefined;
    case "auto":
      await session.setMode("auto");
      // Nobody waits for what the agent then says; whether it was said is judged from the log.
      session.resume().catch(() => {});
      return undefined;
    case "stop":
      await session.stop();
      return undefined;
    case "withdraw": {
      let from: number | undefined;
      for await (const event of session.events({ kinds: ["turn"], follow: false }))
        if (event.kind === "turn" && event.data.type === "started") from = event.data.answers[0];
      if (from !== undefined) await session.withdraw({ from });
      return undefined;
    }
  }
}
