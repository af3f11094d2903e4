/** Models without a network: replies by rules, or in order from a script. */
import { type Clock, systemClock } from "../kernel/clock.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { FinishReason, Model, ModelPart, ModelRequest, ModelToolCall, Usage } from "./model-port.ts";

/** The input of a rule: the complete request to a language model. */
export interface RuleInput {
  /** The last message of the request. */
  readonly text: string;
  readonly request: ModelRequest;
  /** Returns the text of a prompt section, if the request has it. For a section shown as data, returns the data. */
  section(name: string): string | undefined;
}

/** Returns an answer, or undefined to leave it to the next rule. */
export type ReplyRule = (input: RuleInput) => string | undefined;

/** Options of {@link rules}. */
export interface RulesOptions {
  /** Display name. State that no language model is used. */
  readonly name?: string;
  /** Milliseconds between words, to make the streaming visible. Defaults to 0. */
  readonly pace?: number;
  readonly clock?: Clock;
}

/**
 * Creates a rules engine behind the model port. The first rule that answers wins. It is not a language model and does not pretend to be one. It reads
 * the same request and streams its answer word by word. Usage is counted in words.
 */
export function rules(list: readonly ReplyRule[], options: RulesOptions = {}): Model {
  const { name = "offline rules (no language model)", pace = 0, clock = systemClock } = options;
  return {
    name,
    async *stream(request, { signal }): AsyncIterable<ModelPart> {
      const input: RuleInput = {
        text: request.messages.at(-1)?.text ?? "",
        request,
        section: (wanted) => dataIn(request.sections.find((section) => section.name === wanted)?.text),
      };
      let answer: string | undefined;
      for (const rule of list) {
        answer = rule(input);
        if (answer !== undefined) break;
      }
      if (answer === undefined)
        throw new ThroughlineError("model.failed", "No rule answers this message.", { hint: "End the list with a rule that always answers." });
      const words = answer.match(/\S+\s*/g) ?? [];
      for (const word of words) {
        if (pace > 0) await clock.sleep(pace, signal);
        signal.throwIfAborted();
        yield { type: "text_delta", text: word };
      }
      const asked = [...request.sections, ...request.messages].reduce((sum, part) => sum + part.text.split(/\s+/).length, 0);
      yield { type: "finish", reason: "stop", usage: { input: asked, output: words.length, cache_write: 0, cache_read: 0, reasoning: 0 } };
    },
  };
}

/** Returns the text between the marks of data, or the text itself if it has none. */
const dataIn = (text: string | undefined): string | undefined => text?.match(/^<data [^\n]*\n(.*)\n<\/data>$/msu)?.[1] ?? text;

/** One reply of a scripted model. */
export interface ScriptedReply {
  /** Streamed in these pieces. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly ModelToolCall[];
  readonly finish?: FinishReason;
  readonly usage?: Partial<Usage>;
  /** Thrown after the text. */
  readonly error?: Error;
  /** Awaited before each piece, so that a test can delay the model. */
  readonly wait?: (signal: AbortSignal) => Promise<void>;
}

/** A model with a script, and its recorded requests. */
export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
}

/** A reply, its text alone, or a function of the request and of the call's number, from 0. */
export type Script = readonly (ScriptedReply | string)[] | ((request: ModelRequest, call: number) => ScriptedReply | string);

/**
 * Creates a deterministic model for tests. A list is played once and then throws `model.script_exhausted`. A function is called for every request.
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
