/** Cost of model calls, and estimates before a call. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject } from "../kernel/json.ts";
import type { Model, ModelRequest, Usage } from "../model/model-port.ts";
import { type Amount, money } from "./ledger.ts";

/** Prices of a model per million tokens, in your currency. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Default: `input`. */
  readonly cache_read?: number;
  /** Default: `input`. */
  readonly cache_write?: number;
  /** Default: `output`. */
  readonly reasoning?: number;
}

/** Prices by model name. */
export type PriceTable = Readonly<Record<string, Price>>;

const needed = ["input", "output"] as const;
const known: readonly string[] = [...needed, "cache_read", "cache_write", "reasoning"];

const wrong = (message: string, details: { readonly model: string }): ThroughlineError =>
  new ThroughlineError("budget.invalid", message, { hint: "Give input and output, and what differs from them, per million tokens.", details });

/**
 * Validates and freezes a price table.
 * @throws `budget.invalid`, which names the model whose price is incomplete or has a value that is not a non-negative number.
 */
export function createPriceTable(prices: PriceTable): PriceTable {
  if (!isPlainObject(prices)) throw wrong(`A price table is an object of prices by model, got ${seen(prices)}.`, { model: "" });
  for (const [model, price] of Object.entries<unknown>(prices)) {
    if (!isPlainObject(price)) throw wrong(`The price of model "${model}" is an object, got ${seen(price)}.`, { model });
    const other = Object.keys(price).find((name) => !known.includes(name));
    if (other !== undefined) throw wrong(`The price of model "${model}" has no "${other}"; it has ${known.join(", ")}.`, { model });
    for (const name of new Set([...needed, ...Object.keys(price)])) {
      const value = price[name];
      if (typeof value !== "number" || !Number.isFinite(value) || value < 0)
        throw wrong(`The price of model "${model}" for ${name} must be a non-negative number, got ${seen(value)}.`, { model });
    }
  }
  return Object.freeze(Object.fromEntries(Object.entries(prices).map(([model, price]) => [model, Object.freeze({ ...price })])));
}

/** Returns the price of a model, or undefined if the table has none. */
export const priceOf = (prices: PriceTable, model: string): Price | undefined => (Object.hasOwn(prices, model) ? prices[model] : undefined);

const perMillion = 1e6;

/** Returns the cost of tokens in the currency of the price, to nine decimal places. */
export function costOf(usage: Usage, price: Price): number {
  const { input, output, cache_read = input, cache_write = input, reasoning = output } = price;
  const read = usage.input * input + usage.cache_read * cache_read + usage.cache_write * cache_write;
  return money((read + usage.output * output + usage.reasoning * reasoning) / perMillion);
}

/** Safety margin of token estimates as a fraction: one fifth. */
const [marginAbove, marginOf] = [6, 5] as const;

/** Assumed maximum number of output tokens if the request sets none. */
const usualMaximum = 4096;

/**
 * Estimates the maximum of a model call: the request's tokens plus one fifth, and its maximum output, default 4,096. With a price, also the cost,
 * each part at its highest possible rate.
 * @throws `model.invalid_response` if the model does not return a number of tokens.
 */
export function estimate(model: Model, request: ModelRequest, price?: Price): Amount {
  const counted = model.countTokens?.(request) ?? roughTokens(request);
  if (!Number.isFinite(counted) || counted < 0)
    throw new ThroughlineError("model.invalid_response", `The model "${model.name}" counted ${counted} tokens in a request.`);
  const input = Math.ceil((counted * marginAbove) / marginOf);
  const output = request.max_output_tokens ?? usualMaximum;
  const tokens = Object.freeze({ input, output });
  if (price === undefined) return Object.freeze({ tokens });
  const read = Math.max(price.input, price.cache_read ?? 0, price.cache_write ?? 0);
  const written = Math.max(price.output, price.reasoning ?? 0);
  return Object.freeze({ tokens, cost: money((input * read + output * written) / perMillion) });
}

/**
 * Estimates the tokens of a request from its JSON text, for models that cannot count. It assumes four ASCII characters per token, two characters of
 * other alphabets, and one of Chinese, Japanese and Korean.
 */
function roughTokens(request: ModelRequest): number {
  const text = JSON.stringify(request);
  let ascii = 0;
  let ideographs = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) ascii += 1;
    else if (isIdeograph(unit)) ideographs += 1;
  }
  return Math.ceil(ascii / 4 + (text.length - ascii - ideographs) / 2 + ideographs);
}

/** Tells whether a UTF-16 unit belongs to an East Asian script or is half of a rare character. */
const isIdeograph = (unit: number): boolean =>
  (unit >= 0x2e80 && unit <= 0x9fff) ||
  (unit >= 0xac00 && unit <= 0xdfff) ||
  (unit >= 0xf900 && unit <= 0xfaff) ||
  (unit >= 0xff00 && unit <= 0xffef);
