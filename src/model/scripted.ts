import { ThroughlineError } from "../kernel/error.ts";
import type { FinishReason, Model, ModelPart, ModelRequest, ModelToolCall, Usage } from "./port.ts";

/** One reply of a scripted model. */
export interface ScriptedReply {
  /** Streamed in these pieces. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly ModelToolCall[];
  readonly finish?: FinishReason;
  readonly usage?: Partial<Usage>;
  /** Thrown after the text. */
  readonly error?: Error;
  /** Awaited before each piece, so that a test can hold the model still. */
  readonly wait?: (signal: AbortSignal) => Promise<void>;
}

/** A model that plays a script, and its recorded requests. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
}

/** A reply, its text alone, or a function of the request and of the number of the call, from 0. */
export type Script = readonly (ScriptedReply | string)[] | ((request: ModelRequest, call: number) => ScriptedReply | string);

/**
 * A deterministic model for tests. A list is played once and then throws `model.script_exhausted`; a function is asked every time.
 * @example scripted((request) => `re:${request.messages.at(-1)?.text}`)
 */
export function scripted(script: Script): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: "scripted",
    requests,
    async *stream(request, { signal }): AsyncIterable<ModelPart> {
      const call = requests.push(request) - 1;
      const next = typeof script === "function" ? script(request, call) : script[call];
      if (next === undefined)
        throw new ThroughlineError("model.script_exhausted", `The script has ${script.length} replies; this is call ${call + 1}.`);
      const reply: ScriptedReply = typeof next === "string" ? { text: next } : next;
      for (const text of typeof reply.text === "string" ? [reply.text] : (reply.text ?? [])) {
        await reply.wait?.(signal);
        signal.throwIfAborted();
        yield { type: "text_delta", text };
      }
      if (reply.error !== undefined) throw reply.error;
      for (const toolCall of reply.calls ?? []) yield { type: "tool_call", call: toolCall };
      const reason = reply.finish ?? ((reply.calls ?? []).length > 0 ? "tool_calls" : "stop");
      yield { type: "finish", reason, usage: { input: 0, output: 0, cache_write: 0, cache_read: 0, reasoning: 0, ...reply.usage } };
    },
  };
}
