/** A turn as its extensions see it. */
import { assembled } from "../../context/assemble.ts";
import { replyType } from "../../execution/step.ts";
import { isOwnFailure } from "../../extension/failure.ts";
import type { ExtensionTurn } from "../../extension/port.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { stepIdOf } from "../../kernel/id.ts";
import type { Model, PromptSection } from "../../model/port.ts";
import { turnEvent } from "../../session/new-event.ts";
import type { Turn } from "./begin.ts";
import { keepRequest } from "../../extension/kept-requests.ts";
import { poisonedAt } from "./lease.ts";
import { ask as askModel } from "../loop/ask.ts";
import { loopSettings } from "../loop/settings.ts";
import { promptSources } from "./prompt.ts";
import { stepEntry } from "./spent.ts";
import { ask, recalling, runStage } from "./stages.ts";

/** The turn, and what an extension can have done in it. */
export const extensionTurn = (turn: Turn): ExtensionTurn => ({
  ...turn,
  lastAttempt: turn.claim.turn.attempts >= poisonedAt,
  ask: (control) => ask(turn, control),
  runAlways: (options) => runAlways(turn, options),
  askModel: (section, options) => askOnce(turn, section, options),
});

/** Runs the stages that run in every turn and are not on record yet, and the recall if it is wanted. */
async function runAlways(turn: Turn, { recall }: { readonly recall: boolean }): Promise<void> {
  const { stages, memory } = turn.agent;
  for (const stage of stages.filter(({ name, runs }) => runs === "always" && !turn.journaled.has(name)))
    await tolerant(turn, `stage ${stage.name}`, async () => {
      const { reply: _reply, ...control } = await runStage(turn, stage);
      ask(turn, control);
    });
  if (recall && memory !== undefined) await tolerant(turn, "recall", () => recalling(turn, memory));
}

async function tolerant(turn: Turn, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    turn.signal.throwIfAborted();
    if (!isOwnFailure(error)) throw error;
    turn.runtime.logger.error(`${what} failed in a turn that an extension has interrupted`, {
      turn_id: turn.claim.turn.turn_id,
      code: ThroughlineError.from(error).code,
    });
  }
}

/** The model that answers in ordinary turns. */
function modelOf({ agent, journal }: Turn): Model {
  const settings = loopSettings(agent.reply);
  if (settings === undefined) throw new ThroughlineError("model.failed", "The agent's reply has no model that can be asked alone.");
  return typeof settings.model === "function" ? settings.model(journal.state) : settings.model;
}

/** One request without tools: the agent's prompt with a section more. */
async function askOnce(
  turn: Turn,
  section: PromptSection,
  { step, signal }: { readonly step: number; readonly signal: AbortSignal },
): Promise<{ readonly text: string; readonly tokens: number }> {
  const { agent, journal, messages, claim, runtime } = turn;
  const model = modelOf(turn);
  const prompt = assembled(agent.sections, { ...promptSources(turn), messages, state: journal.state as never }, { prompt: agent.prompt });
  const request = { ...prompt.request, sections: [...prompt.request.sections, section], tools: [] };
  const started_at = runtime.clock.now();
  const write = (): Promise<void> => Promise.resolve();
  try {
    const { text, usage, finish_reason } = await askModel(model, request, { signal, write, mayCall: false, last: true });
    const asked = { step_id: stepIdOf(step), usage, finish_reason, started_at, ended_at: runtime.clock.now() };
    journal.add(turnEvent(claim.turn.number, stepEntry(asked, { model: model.name })));
    const type = replyType({ text, calls: [], finish_reason });
    if (type !== "answer") throw new ThroughlineError("model.invalid_response", `The model's reply was ${type}.`);
    return { text, tokens: usage.input + usage.output };
  } finally {
    keepRequest(turn, { step, request, prompt });
  }
}
