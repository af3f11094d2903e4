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

/** Asks a model, and shows its text as it comes. A model that asks for tools although it was offered none has them left out if it may not use any more. */
export async function ask(
  model: Model,
  request: ModelRequest,
  { signal, write, last = false }: { readonly signal: AbortSignal; readonly write: (text: string) => Promise<void>; readonly last?: boolean },
): Promise<ModelAnswer> {
  let text = "";
  const calls: ModelToolCall[] = [];
  for await (const part of partsOf(model, request, { signal, last })) {
    if (part.type === "text_delta") {
      text += part.text;
      await write(part.text);
    } else if (part.type === "tool_call") calls.push(part.call);
    else return { text, calls: last ? [] : calls, usage: part.usage, finish_reason: part.reason };
  }
  throw new ThroughlineError("model.invalid_response", "The model's stream ended without saying that it is finished.");
}
