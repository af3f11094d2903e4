/** Counting tokens. What counts is a port: a real tokenizer where there is one, and a rule of thumb that says so where there is none. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import type { Model, ModelMessage, ModelRequest, PromptSection } from "../model/port.ts";

/** Counts the tokens of texts. */
export interface TokenCounter {
  /** Which tokenizer it is, as records of prompts name it. */
  readonly name: string;
  /** A whole number from 0. */
  count(text: string): number;
}

/**
 * Four characters to a token, rounded up: the rule of thumb that is used where there is no tokenizer, and named in every record that rests on it. It counts
 * too little where a token is one character, as in Chinese.
 */
export const charactersOverFour: TokenCounter = Object.freeze({
  name: "characters/4 (fallback)",
  count: (text: string): number => Math.ceil(text.length / 4),
});

/**
 * A token counter from any tokenizer; its result is checked. Throws `agent.invalid` for one that has no name or no function.
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

/** An encoder of byte pairs with the interface of `js-tiktoken`. */
export interface Tiktoken {
  encode(text: string, allowedSpecial?: "all" | string[], disallowedSpecial?: "all" | string[]): ArrayLike<number>;
}

/**
 * A `js-tiktoken` encoder as a counter, under the name of its encoding. Marks such as `<|endoftext|>` in what people write are counted as the text that they are;
 * by default that encoder throws at them. Throws `agent.invalid` for one that cannot encode.
 * @example tiktokenCounter("o200k_base", new Tiktoken(o200k_base))
 */
export function tiktokenCounter(name: string, encoder: Tiktoken): TokenCounter {
  if (typeof encoder?.encode !== "function") throw new ThroughlineError("agent.invalid", `tiktokenCounter needs an encoder, got ${seen(encoder)}.`);
  return tokenCounter(name, (text) => encoder.encode(text, [], []).length);
}

const countingModels = new WeakMap<Model, TokenCounter>();

/** The model's own way of counting; undefined if it has none. */
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

/** Tokens of a message: its text, and the calls in it as JSON. The steps of an execution ask for the same ones over and over. */
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

/** Tokens of a section with its heading, as it is sent where all sections are one text. */
export const sectionTokens = (counter: TokenCounter, { name, text }: PromptSection): number => counter.count(`# ${name}\n${text}`);

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The longest beginning of a text within a number of tokens, without splitting a character. Ends with an ellipsis if text is missing. */
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
