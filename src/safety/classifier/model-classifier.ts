import { createHash } from "node:crypto";
import type { Model, ModelRequest } from "../../model/port.ts";
import type { ClassifierInput, SafetyClassifier } from "../assessment.ts";
import { classifierInstructions } from "./instructions.ts";
import { parseVerdict, verdictSchema } from "./verdict.ts";

/** Options of {@link modelClassifier}. */
export interface ModelClassifierOptions {
  readonly model: Model;
  /** On every assessment; `model:` and the model's name by default. */
  readonly name?: string;
  /** Tokens that the answer may have; 400 by default. */
  readonly maxOutputTokens?: number;
}

/** Messages before the one that is judged. */
const mostBefore = 10;
const mostCharacters = { before: 1_000, end: 6_000 } as const;

/** A text that is too long loses its middle, never its end: what matters most is often said last. */
function cut(text: string, end: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= 2 * end) return whole;
  return `${whole.slice(0, end)} […] ${whole.slice(-end)}`.toWellFormed();
}

/** One line of JSON that cannot close the marks around it, nor look like another line. */
const asLine = (value: object): string => JSON.stringify(value).replaceAll("<", "\\u003c");

function requestOf({ text, before, window_max }: ClassifierInput, maxOutputTokens: number): ModelRequest {
  const earlier = before
    .slice(-mostBefore)
    .map(({ role, text: said }) => asLine({ from: role === "user" ? "person" : "companion", text: cut(said, mostCharacters.before) }));
  const data = [
    `window_max: ${window_max}`,
    `<conversation>\n${earlier.join("\n")}\n</conversation>`,
    `<message>\n${asLine({ from: "person", text: cut(text, mostCharacters.end) })}\n</message>`,
  ];
  return {
    sections: [{ name: "safety_classifier", text: classifierInstructions }],
    messages: [{ role: "user", text: data.join("\n") }],
    tools: [],
    response_format: verdictSchema,
    max_output_tokens: maxOutputTokens,
  };
}

const promptVersion = createHash("sha256").update(classifierInstructions).update(JSON.stringify(verdictSchema)).digest("hex").slice(0, 16);

/**
 * A classifier that asks a model for one structured answer. The message and up to ten before it are sent as data; of a long text, both ends. Throws
 * `safety.classifier_invalid` for an answer that holds no level, and what the model throws. Give the model a temperature of 0 where its adapter has one.
 */
export function modelClassifier(options: ModelClassifierOptions): SafetyClassifier {
  const { model, name = `model:${model.name}`, maxOutputTokens = 400 } = options;
  return Object.freeze({
    name,
    prompt_version: promptVersion,
    async classify(input: ClassifierInput, { signal }: { readonly signal: AbortSignal }) {
      signal.throwIfAborted();
      let answer = "";
      for await (const part of model.stream(requestOf(input, maxOutputTokens), { signal })) if (part.type === "text_delta") answer += part.text;
      return parseVerdict(answer);
    },
  });
}
