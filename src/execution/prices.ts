import type { Model, ModelRequest, Usage } from "../model/port.ts";
import type { Amount } from "./amount.ts";
export type PriceTable = Readonly<Record<string, { readonly input: number; readonly output: number }>>;
export const costOf = (usage: Usage, price: { readonly input: number; readonly output: number }): number =>
  (usage.input * price.input + usage.output * price.output) / 1e6;
export const estimate = (_model: Model, request: ModelRequest, _price: unknown): Amount => ({ tokens: JSON.stringify(request).length });
