import type { PromptSources } from "../../context/assemble.ts";
import type { Turn } from "./begin.ts";

/** Returns the parts of a turn's prompt that are the same for all steps. */
export function promptSources({ variables, answered, started, loaded, stage, told }: Turn): Omit<PromptSources, "state" | "messages"> {
  const { customer_name } = loaded.session;
  const { memory: recalled } = told;
  return {
    ...(recalled === undefined ? {} : { memory: recalled }),
    ...(stage === undefined ? {} : { stage: stage.stage }),
    variables,
    started,
    answers: answered.map(({ offset }) => offset),
    ...(customer_name === undefined ? {} : { customer_name }),
  };
}
