import { ThroughlineError } from "../kernel/error.ts";
import { systemClock, type Clock } from "../kernel/clock.ts";
import type { Model, ModelPart, ModelRequest } from "./port.ts";

/** The input of a rule: exactly the request of a language model. */
export interface RuleInput {
  /** The last message of the request. */
  readonly text: string;
  readonly request: ModelRequest;
  /** The text of a prompt section, if the request has it; of a section shown as data, the data. */
  section(name: string): string | undefined;
}

/** Answers when it returns a text; undefined leaves the answer to the next rule. */
export type ReplyRule = (input: RuleInput) => string | undefined;

/** Options of {@link rules}. */
export interface RulesOptions {
  /** Shown to people; say that no language model is at work. */
  readonly name?: string;
  /** Milliseconds between words, so that streaming can be seen; 0 by default. */
  readonly pace?: number;
  readonly clock?: Clock;
}

/**
 * A rules engine behind the model port: the first rule that answers, wins. It is no language model and does not pretend to be one; it reads the
 * same request and streams its answer, word by word, on the same path. Usage is counted in words.
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

/** What stands between the marks of data; the text itself if it has none. */
const dataIn = (text: string | undefined): string | undefined => text?.match(/^<data [^\n]*\n(.*)\n<\/data>$/msu)?.[1] ?? text;
