/** Plays a conversation with the companion's packs and phrases through the gate, without a runtime or a classifier. */
import { companionGate } from "../../packages/companion/src/companion-gate.ts";
import type { Assessment } from "../../packages/throughline/src/safety/assessment.ts";
import { combine } from "../../packages/throughline/src/safety/combine.ts";
import {
  advancePlan,
  afterReply,
  contextFrom,
  type CrisisPlan,
  nextStep,
  numberOf,
  type PlanStep,
} from "../../packages/throughline/src/safety/crisis-plan.ts";
import { saysOf } from "../../packages/throughline/src/safety/reply/safety-phrases.ts";
import { screening } from "../../packages/throughline/src/safety/turn/accept-screened.ts";
import { helpNear, isRequestIn, statedIn } from "../../packages/throughline/src/safety/turn/gate.ts";

const safety = companionGate(undefined);

export interface Turn {
  readonly assessment: Assessment;
  readonly step: PlanStep;
  readonly plan: CrisisPlan | undefined;
}

/** Returns the turns of a conversation, a minute apart. */
export function converse(messages: readonly string[]): readonly Turn[] {
  let plan: CrisisPlan | undefined;
  return messages.map((text, index): Turn => {
    const now = Date.UTC(2026, 10, 21) + index * 60_000;
    const { screened } = screening(safety, text, contextFrom(plan));
    const assessment = combine({ text, screened, path: "deterministic_only", plan, episode: 1, now });
    const says = saysOf(safety.phrases, text, [assessment.language, plan?.language]);
    const language = plan?.language ?? assessment.language;
    const spoken = language === undefined ? {} : { language };
    const advanced = advancePlan(plan, { assessment, screened, ...statedIn(text, plan), ...spoken, says, episode: 1, now });
    const lookup = helpNear(safety, { regions: advanced?.regions ?? [], refused: advanced?.location_refused ?? false, now, riskTypes: [], language });
    const step = nextStep(advanced, {
      assessment,
      lookup,
      asksForServices: says.asks_help === true,
      isRequest: isRequestIn({ answered: [{ text }] }, safety),
    });
    const resources = step.give.includes("resources") ? lookup.resources.map(({ id }) => id) : [];
    plan = advanced === undefined || assessment.level === 0 ? advanced : afterReply(advanced, { step, resources, number: numberOf(lookup) });
    return { assessment, step, plan };
  });
}

/** Returns the last turn of a conversation. */
export function lastOf(messages: readonly string[]): Turn {
  const last = converse(messages).at(-1);
  if (last === undefined) throw new Error("a conversation has messages");
  return last;
}
