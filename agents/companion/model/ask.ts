/** One structured request: the only way in which the companion asks a model anything but a reply. */
import { ThroughlineError, type Json, type Model } from "throughline";
import { z } from "zod";

/** What is asked of a model. */
export interface Question<Schema extends z.ZodType> {
  /** Names the call; the `title` of the JSON Schema that the model is given. A rules engine tells calls apart by it. */
  readonly name: CallName;
  readonly schema: Schema;
  readonly instructions: string;
  /** What it is about: one text, in which whatever a person wrote is marked as data. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Milliseconds that the answer may take; 10,000 by default. */
  readonly withinMs?: number;
  /** Tokens that the answer may have; 800 by default. */
  readonly maxOutputTokens?: number;
}

/** The structured calls there are. */
export const callNames = ["triage", "style", "exercise_selection", "exercise_reply", "lookup_preflight", "lookup_answer"] as const;
export type CallName = (typeof callNames)[number];

/** The JSON Schema that a call is sent with. */
export const formatOf = (name: CallName, schema: z.ZodType): Json => ({
  ...(z.toJSONSchema(schema, { io: "output" }) as { [key: string]: Json }),
  title: name,
});

/** Some models wrap what they were asked for as code, or in words of their own. */
function unwrapped(answer: string): string {
  const [from, to] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  return from === -1 || to < from ? answer : answer.slice(from, to + 1);
}

function parsed(name: CallName, answer: string): unknown {
  try {
    return JSON.parse(unwrapped(answer));
  } catch (cause) {
    throw new ThroughlineError("model.invalid_response", `The model's answer to "${name}" is no JSON.`, { cause });
  }
}

/**
 * Asks a model for one value and checks it. Throws what the model throws, `model.invalid_response` for an answer that is not of the schema, and the
 * signal's reason when that aborts. An answer's text is in no error: it may say what a person said.
 * @example await ask(control, { name: "triage", schema: triageSchema, instructions, text, signal })
 */
export async function ask<Schema extends z.ZodType>(model: Model, question: Question<Schema>): Promise<z.output<Schema>> {
  const { name, schema, instructions, text, withinMs = 10_000, maxOutputTokens = 800 } = question;
  const signal = AbortSignal.any([question.signal, AbortSignal.timeout(withinMs)]);
  const request = {
    sections: [{ name, text: instructions }],
    messages: [{ role: "user", text } as const],
    tools: [],
    response_format: formatOf(name, schema),
    max_output_tokens: maxOutputTokens,
  };
  const read = schema.safeParse(parsed(name, await answerOf(model.stream(request, { signal }), signal)));
  if (read.success) return read.data;
  const path = read.error.issues[0]?.path.join("/") ?? "";
  throw new ThroughlineError("model.invalid_response", `The model's answer to "${name}" does not fit its schema, at /${path}.`);
}

/** The whole answer; a model that does not heed the signal is not waited for. */
async function answerOf(stream: ReturnType<Model["stream"]>, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  aborted.promise.catch(() => {});
  try {
    return await Promise.race([collected(stream), aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function collected(stream: ReturnType<Model["stream"]>): Promise<string> {
  let answer = "";
  for await (const part of stream) if (part.type === "text_delta") answer += part.text;
  return answer;
}
