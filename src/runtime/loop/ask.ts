import { ThroughlineError } from "../../kernel/error.ts";
import type { FinishReason, Model, ModelRequest, ModelToolCall, Usage } from "../../model/port.ts";
import { partsOf } from "../parts.ts";

/** A model's whole answer. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly usage: Usage;
  readonly finish_reason: FinishReason;
}

/** How a model is asked. */
interface Asking {
  readonly signal: AbortSignal;
  readonly write: (text: string) => Promise<void>;
  readonly mayCall: boolean;
  readonly last: boolean;
}

/** Asks a model, and shows its text as it comes. `mayCall`: its agent has tools; `last`: it may not use them any more, so what it calls is left out. */
export async function ask(model: Model, request: ModelRequest, { signal, write, mayCall, last }: Asking): Promise<ModelAnswer> {
  let text = "";
  const calls: ModelToolCall[] = [];
  for await (const part of partsOf(model, request, { signal, mayCall })) {
    if (part.type === "text_delta") {
      text += part.text;
      await write(part.text);
    } else if (part.type === "tool_call") calls.push(part.call);
    else return { text, calls: last ? [] : calls, usage: part.usage, finish_reason: part.reason };
  }
  throw new ThroughlineError("model.invalid_response", "The model's stream ended without saying that it is finished.");
}
