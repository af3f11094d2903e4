/** An agent's options for its whole prompt, and the visibility of parts by response style. */
import { seen, ThroughlineError } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import { historyPart, type HistoryWindow, type PromptPart } from "./section.ts";
import type { TokenCounter } from "./tokens.ts";

/** An agent's options for its whole prompt. */
export interface PromptOptions {
  /** Field of the state with the response style. A value that is none of `styles` sees only the parts for all styles. */
  readonly style?: string;
  /** All response styles. */
  readonly styles?: readonly string[];
  /** Maximum tokens of sections and conversation together; tools are not included. Defaults to no limit. Parts without a priority stay even above it. */
  readonly budget?: number;
  /** Counts tokens. Defaults to the model's own counter, or to four characters per token. */
  readonly tokenizer?: TokenCounter;
  /** Infers the stage of the episode (`SectionContext.stage`, `TurnInfo.stage`). `exercise`: field of the state that is set while an exercise runs. */
  readonly stage?: true | { readonly exercise: string };
}

const optionNames = ["style", "styles", "budget", "tokenizer", "stage"];

/** Returns the parts that name an audience, by their names. */
const audiences = (parts: readonly PromptPart[]): readonly (readonly [name: string, audience: readonly string[]])[] =>
  parts.flatMap((part) => (part.audience === undefined ? [] : [[part.type === "section" ? part.name : "recentMessages", part.audience] as const]));

/** Checks the options against the agent's parts and the names of its state's fields. Throws `agent.invalid`, which names the defect. */
export function checkPrompt(
  agent: string,
  {
    prompt = {},
    parts,
    fields,
  }: { readonly prompt?: PromptOptions | undefined; readonly parts: readonly PromptPart[]; readonly fields: readonly string[] },
): PromptOptions {
  const invalid = (what: string): ThroughlineError => new ThroughlineError("agent.invalid", `Agent "${agent}" ${what}`);
  const given: unknown = prompt;
  if (!isPlainObject(given)) throw invalid(`needs a prompt that is an object of options, got ${seen(given)}.`);
  const unknown = Object.keys(given).find((key) => !optionNames.includes(key));
  if (unknown !== undefined) throw invalid(`has a prompt with the option "${unknown}"; there are ${optionNames.join(", ")}.`);
  const { style, budget, tokenizer, stage } = prompt;
  const styles: readonly string[] | undefined = prompt.styles;
  if ((style === undefined) !== (styles === undefined))
    throw invalid("needs both for its prompt, the field that holds the style and the list of styles.");
  if (styles !== undefined && !(Array.isArray(styles) && styles.length > 0 && styles.every(isName) && new Set(styles).size === styles.length))
    throw invalid(`needs styles that are different names, got ${seen(styles)}.`);
  for (const field of [style, typeof stage === "object" ? stage.exercise : undefined])
    if (field !== undefined && !fields.includes(field))
      throw invalid(`has a prompt that looks at the field ${seen(field)}, which its state does not have.`);
  if (budget !== undefined && !(Number.isSafeInteger(budget) && budget >= 1))
    throw invalid(`needs a budget of its prompt that is a whole number of tokens from 1, got ${seen(budget)}.`);
  if (tokenizer !== undefined && (typeof tokenizer?.count !== "function" || typeof tokenizer.name !== "string"))
    throw invalid(`needs a tokenizer with a name and a count, such as tokenCounter(…), got ${seen(tokenizer)}.`);
  for (const [name, audience] of audiences(parts)) {
    const stranger = audience.find((one) => styles?.includes(one) !== true);
    if (stranger !== undefined)
      throw invalid(
        `has a part "${name}" for the style ${seen(stranger)}, and its styles are: ${styles?.join(", ") ?? "none; prompt.styles names them"}.`,
      );
  }
  return Object.freeze({ ...prompt, ...(prompt.styles === undefined ? {} : { styles: Object.freeze([...prompt.styles]) }) });
}

const isName = (style: unknown): boolean => typeof style === "string" && style.trim() !== "";

/** The style of a prompt. Undefined if the agent has no styles, null if the state's value is none of them. */
export type Style = string | null | undefined;

/** Returns the style that the state selects. */
export function styleOf({ style, styles = [] }: PromptOptions, state: Readonly<Record<string, unknown>>): Style {
  if (style === undefined) return undefined;
  return styles.find((one) => one === state[style]) ?? null;
}

/** Whether a style sees a part. Without a style every part is visible. An unknown style sees only the parts for all. */
export const sees = (style: Style, { audience }: Pick<PromptPart, "audience">): boolean =>
  style === undefined || audience === undefined || (style !== null && audience.includes(style));

/** A cell of the matrix: whether a style sees a part, or how many messages of the conversation. 0 means only those that the turn answers. */
export interface PromptMatrixCell {
  /** Name of the section. `recent history` and `current message` for the conversation. */
  readonly part: string;
  readonly seen: boolean;
  /** Maximum number of messages, for the conversation. */
  readonly window?: number;
}

/** A style, and its visible parts. */
export interface PromptMatrixRow {
  /** Null for a value that is none of the styles, and for an agent without styles. */
  readonly style: string | null;
  readonly cells: readonly PromptMatrixCell[];
}

/** The input of a matrix: an agent, or its relevant parts. */
export interface Prompted {
  readonly sections: readonly PromptPart[];
  readonly prompt: PromptOptions;
}

/**
 * Returns the visibility of parts as data: a row for each response style and one for an unknown value. Each row has a cell for each section in the
 * agent's order, and for the conversation.
 */
export function promptMatrix({ sections, prompt }: Prompted): readonly PromptMatrixRow[] {
  const styles: readonly Style[] = prompt.styles === undefined ? [undefined] : [...prompt.styles, null];
  return styles.map((style) => ({ style: style ?? null, cells: cellsOf(sections, style) }));
}

function cellsOf(parts: readonly PromptPart[], style: Style): readonly PromptMatrixCell[] {
  const { window } = historyFor(parts, style);
  return [
    ...parts.flatMap((part) => (part.type === "section" ? [{ part: part.name, seen: sees(style, part) }] : [])),
    { part: "recent history", seen: window > 0, window },
    { part: "current message", seen: true },
  ];
}

const noHistory: HistoryWindow = Object.freeze({ type: "history", window: 0, traces: "own" });

/** Returns the visible conversation of a style. */
export function historyFor(parts: readonly PromptPart[], style: Style): HistoryWindow {
  const windows = parts.filter((part) => part.type === "history");
  return windows.length === 0 ? historyPart(parts) : (windows.find((part) => sees(style, part)) ?? noHistory);
}
