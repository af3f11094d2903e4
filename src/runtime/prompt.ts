import type { PromptSources } from "../context/assemble.ts";
import type { Turn } from "./begin.ts";

/** What of a turn's prompt stays the same for all of its steps. */
export function promptSources({ variables, answered, started, loaded }: Turn): Omit<PromptSources, "state" | "messages"> {
  const { customer_name } = loaded.session;
  return { variables, started, answers: answered.map(({ offset }) => offset), ...(customer_name === undefined ? {} : { customer_name }) };
}
