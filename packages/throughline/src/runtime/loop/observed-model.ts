import { costOf, type PriceTable, priceOf } from "../../execution/prices.ts";
import { observed } from "../../extension/observe.ts";
import type { ExtensionTurn } from "../../extension/port.ts";
import { present } from "../../kernel/json.ts";
import type { Model, ModelRequest } from "../../model/model-port.ts";
import type { Turn } from "../turn/running-turn.ts";
import { ask, type Asking, type ModelAnswer } from "./ask.ts";

/** A model call of a turn. */
interface ModelCall {
  readonly model: Model;
  /** Number of the call in the turn, from 1. */
  readonly step: number;
  readonly request: ModelRequest;
  readonly prices: PriceTable;
  /** The turn as extensions see it. */
  readonly seen: () => ExtensionTurn;
}

/** Calls a model, observed by the extensions of the turn, whose headers go with the request. */
export function observedModel(turn: Turn, { model, step, request, prices, seen }: ModelCall, asking: Asking): Promise<ModelAnswer> {
  const { clock } = turn.runtime;
  const headers: Record<string, string> = {};
  const began = clock.monotonic();
  let first_ms: number | undefined;
  const write = async (text: string): Promise<void> => {
    first_ms ??= clock.monotonic() - began;
    await asking.write(text);
  };
  return observed(
    {
      context: turn.runtime,
      extensions: turn.agent.extensions,
      work: () => ({ kind: "model", turn: seen(), step, model, request, headers }),
      end: ({ text, calls, usage, finish_reason }) => {
        const price = priceOf(prices, model.name);
        return { text, calls, usage, finish_reason, ...present({ first_ms, cost: price && costOf(usage, price) }) };
      },
    },
    () => ask(model, request, { ...asking, write, ...(Object.keys(headers).length === 0 ? {} : { headers }) }),
  );
}
