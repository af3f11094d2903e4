import type { Clock } from "../../kernel/clock.ts";
import { ThroughlineError } from "../../kernel/error.ts";
import { createDeadline } from "../../kernel/deadline.ts";
import type { FinishReason, Model, ModelRequest, ModelToolCall, Usage } from "../../model/port.ts";
import { partsOf } from "./parts.ts";

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
  /** By this clock the model may be silent for two minutes, and no longer: whoever must be answered is not left waiting by one that hangs. */
  readonly silence?: Clock;
}

/** Milliseconds; adapters give up before. */
const longestSilence = 120_000;

const silent = (): ThroughlineError => new ThroughlineError("model.failed", `The model was silent for ${longestSilence} ms.`);

/** Asks a model, and shows its text as it comes. `mayCall`: its agent has tools; `last`: it may not use them any more, so what it calls is left out. */
export async function ask(model: Model, request: ModelRequest, { signal, write, mayCall, last, silence }: Asking): Promise<ModelAnswer> {
  let text = "";
  const calls: ModelToolCall[] = [];
  const deadline = silence === undefined ? undefined : createDeadline(silence);
  const stop = deadline === undefined ? signal : AbortSignal.any([signal, deadline.signal]);
  try {
    deadline?.within(longestSilence, silent);
    for await (const part of partsOf(model, request, { signal: stop, mayCall })) {
      if (part.type === "text_delta") {
        text += part.text;
        await write(part.text);
      } else if (part.type === "tool_call") calls.push(part.call);
      else return { text, calls: last ? [] : calls, usage: part.usage, finish_reason: part.reason };
      deadline?.within(longestSilence, silent);
    }
  } finally {
    deadline?.end();
  }
  throw new ThroughlineError("model.invalid_response", "The model's stream ended without saying that it is finished.");
}
