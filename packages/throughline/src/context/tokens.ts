/** Counts tokens through a port: a real tokenizer if there is one, else a named estimate. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Model, ModelMessage, ModelRequest, PromptSection } from "../model/model-port.ts";

/** Counts the tokens of texts. */
export interface TokenCounter {
  /** Name of the tokenizer, for records of prompts. */
  readonly name: string;
  /** Returns a whole number from 0. */
  count(text: string): number;
}

/**
 * Estimates four characters per token, rounded up. It is used without a tokenizer and named in every record that depends on it. It is too low where a
 * token is one character, as in Chinese.
 */
export const charactersOverFour: TokenCounter = Object.freeze({
  name: "characters/4 (fallback)",
  count: (text: string): number => Math.ceil(text.length / 4),
});

/**
 * Creates a token counter from any tokenizer and checks its results. Throws `agent.invalid` if the name or the function is missing.
 * @example tokenCounter("o200k_base", (text) => encode(text).length)
 */
export function tokenCounter(name: string, count: (text: string) => number): TokenCounter {
  if (typeof name !== "string" || name.trim() === "" || typeof count !== "function")
    throw new ThroughlineError("agent.invalid", `A token counter needs a name and a function, got ${seen(name)} and ${seen(count)}.`);
  return Object.freeze({
    name,
    count: (text: string): number => {
      const counted = count(text);
      if (Number.isFinite(counted) && counted >= 0) return Math.ceil(counted);
      throw new ThroughlineError("agent.invalid", `The token counter "${name}" counted ${seen(counted)}.`);
    },
  });
}

/** A byte-pair encoder with the interface of `js-tiktoken`. */
export interface Tiktoken {
  encode(text: string, allowedSpecial?: "all" | string[], disallowedSpecial?: "all" | string[]): ArrayLike<number>;
}

/**
 * Creates a token counter from a `js-tiktoken` encoder, with the name of its encoding. Marks such as `<|endoftext|>` in a text are counted as plain
 * text; by default the encoder throws for them. Throws `agent.invalid` for an object that cannot encode.
 * @example tiktokenCounter("o200k_base", new Tiktoken(o200k_base))
 */
export function tiktokenCounter(name: string, encoder: Tiktoken): TokenCounter {
  if (typeof encoder?.encode !== "function") throw new ThroughlineError("agent.invalid", `tiktokenCounter needs an encoder, got ${seen(encoder)}.`);
  return tokenCounter(name, (text) => encoder.encode(text, [], []).length);
}

const countingModels = new WeakMap<Model, TokenCounter>();

/** Returns the model's own counter, or undefined if it has none. */
export function countedBy(model: Model): TokenCounter | undefined {
  if (typeof model.countTokens !== "function") return undefined;
  const known = countingModels.get(model);
  if (known !== undefined) return known;
  const of = (text: string): ModelRequest => ({ sections: [], messages: [{ role: "user", text }], tools: [] });
  const empty = model.countTokens(of(""));
  const counter = tokenCounter(model.name, (text) => Math.max(0, (model.countTokens?.(of(text)) ?? 0) - empty));
  countingModels.set(model, counter);
  return counter;
}

const counted = new WeakMap<TokenCounter, WeakMap<ModelMessage, number>>();

/**
 * Returns the tokens of a message: its text, and its calls as JSON. Results are cached, because the steps of an execution count the same messages
 * repeatedly.
 */
export function messageTokens(counter: TokenCounter, message: ModelMessage): number {
  const known = counted.get(counter) ?? new WeakMap<ModelMessage, number>();
  counted.set(counter, known);
  const before = known.get(message);
  if (before !== undefined) return before;
  const calls = "calls" in message && message.calls !== undefined ? counter.count(JSON.stringify(message.calls)) : 0;
  const tokens = counter.count(message.text) + calls;
  known.set(message, tokens);
  return tokens;
}

/** Returns the tokens of a section with its heading, as sent when all sections are one text. */
export const sectionTokens = (counter: TokenCounter, { name, text }: PromptSection): number => counter.count(`# ${name}\n${text}`);

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns the longest beginning of a text within a number of tokens, without splitting a character. It ends with an ellipsis if text is missing. */
export function cutToTokens(text: string, tokens: number, counter: TokenCounter): string {
  if (counter.count(text) <= tokens) return text;
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment);
  let [low, high] = [0, characters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (counter.count(`${characters.slice(0, middle).join("")}…`) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? "" : `${characters.slice(0, low).join("").trimEnd()}…`;
}
