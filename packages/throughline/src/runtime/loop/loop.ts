/** The reply of an agent by a loop of model calls. The code of the loop is loaded with the first turn. */
import type { Extension } from "../../extension/port.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { Replied, Reply, ReplyTurn, Waiting } from "./reply-port.ts";
import { settingsOf, type LoopOptions, type LoopSettings } from "./loop-settings.ts";

/** The code of the loop, loaded with the first turn, which waits for a model anyway. It is an eighth of the modules of this package. */
let running: Promise<typeof import("./run-loop.ts")> | undefined;

async function run(settings: LoopSettings, turn: ReplyTurn): Promise<Replied | Waiting> {
  const { runLoop } = await (running ??= import("./run-loop.ts"));
  return runLoop(settings, turn);
}

/** A reply by a loop of model calls. */
export interface Loop extends Reply {
  readonly settings: LoopSettings;
}

/** Returns a reply with the tools of extensions added to its loop. Any other reply has no tools. */
export function withTools(reply: Reply & { readonly settings?: LoopSettings }, extensions: readonly Extension[]): Reply {
  const added = extensions.flatMap(({ tools = [] }) => tools);
  const { settings: own } = reply;
  if (own === undefined || added.length === 0) return reply;
  const settings = Object.freeze({ ...own, tools: Object.freeze([...own.tools, ...added]) });
  return Object.freeze({ ...reply, settings, run: (turn: ReplyTurn) => run(settings, turn) });
}

/**
 * Creates a reply by a model that may call tools. The loop assembles the prompt, calls the model and runs its calls, until an exit condition or the
 * budget ends it. A model that returns neither text nor calls fails the turn.
 * @example loop({ model, tools: [lookUp], exit: exitOn.text })
 */
export function loop<const Definition extends StateDefinition = StateDefinition>(options: LoopOptions<Definition>): Loop {
  const settings = settingsOf(options);
  const name = typeof settings.model === "function" ? "chosen by the agent" : settings.model.name;
  return Object.freeze({ type: "reply", name, settings, run: (turn: ReplyTurn) => run(settings, turn) });
}
