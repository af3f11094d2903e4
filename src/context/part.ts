/** What every part of a prompt may say of itself: who sees it, what it may cost, and where it comes from. */
import { ThroughlineError, seen } from "../kernel/error.ts";

/** Where the text of a part comes from. */
export const provenances = ["instructions", "state", "variables", "memory", "conversation", "retrieved"] as const;
/** The origin of a part's text: instructions, state, variables, memory, conversation or retrieved text. */
export type Provenance = (typeof provenances)[number];

/** Provenances whose text is shown as data: people, tools or other systems wrote it. Only `instructions` speaks to the model. */
const foreign: ReadonlySet<Provenance> = new Set(provenances.filter((provenance) => provenance !== "instructions"));
/** Whether text of this provenance is shown as data. */
export const isForeign = (provenance: Provenance): boolean => foreign.has(provenance);

/** How often a part changes. */
export const changeRates = ["never", "seldom", "every turn"] as const;
/** How often a part changes. */
export type ChangeRate = (typeof changeRates)[number];

/** What every part of a prompt may say. */
export interface PartOptions {
  /** Response styles that see it; all if left out. */
  readonly audience?: readonly string[];
  /** What goes first when the budget is short: 0 goes before 100. Left out, a section never goes, and the conversation has 50. */
  readonly priority?: number;
}

/** Options of a section. */
export interface SectionOptions extends PartOptions {
  /** Tokens at most: of pieces the last ones are left out, a text is cut. No limit of its own if left out. */
  readonly budget?: number;
  /** `instructions` by default. */
  readonly provenance?: Provenance;
  /** Parts that change stand behind those that do not, so that a provider's cache of the prompt's beginning holds. `never` by default. */
  readonly changes?: ChangeRate;
  /** The sentence above text that is shown as data; a plain one if left out. */
  readonly says?: string;
}

const optionNames = ["audience", "priority", "budget", "provenance", "changes", "says"];

/** The options, checked and frozen, without those that are left out. `agent.invalid` names what is wrong. */
export function checkPart<Options extends SectionOptions>(what: string, options: Options): Options {
  const wrong = (needs: string, value: unknown): ThroughlineError =>
    new ThroughlineError("agent.invalid", `The ${what} needs ${needs}, got ${seen(value)}.`);
  if (typeof options !== "object" || options === null) throw wrong("an object of options", options);
  const unknown = Object.keys(options).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw new ThroughlineError("agent.invalid", `The ${what} has no option "${unknown}"; it has ${optionNames.join(", ")}.`);
  const { audience, priority, budget, provenance, changes, says } = options;
  if (audience !== undefined && !(Array.isArray(audience) && audience.length > 0 && audience.every((style) => typeof style === "string")))
    throw wrong("an audience that is a list of styles", audience);
  if (priority !== undefined && !(Number.isFinite(priority) && priority >= 0 && priority <= 100)) throw wrong("a priority from 0 to 100", priority);
  if (budget !== undefined && !(Number.isSafeInteger(budget) && budget >= 1)) throw wrong("a budget that is a whole number of tokens from 1", budget);
  if (provenance !== undefined && !provenances.includes(provenance)) throw wrong(`a provenance (${provenances.join(", ")})`, provenance);
  if (changes !== undefined && !changeRates.includes(changes)) throw wrong(`to change ${changeRates.join(", ")}`, changes);
  if (says !== undefined && (typeof says !== "string" || says.trim() === "")) throw wrong("a sentence that is a text", says);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
  return Object.freeze(audience === undefined ? given : { ...given, audience: Object.freeze([...audience]) });
}
