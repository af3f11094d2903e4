/** One structured request: the only way in which the companion asks a model anything but a reply. The conversation is data in it, whoever wrote it. */
import { asData, type Json, type Model, ThroughlineError, type TurnInfo } from "throughline";
import { z } from "zod";

/** What is asked of a model. */
interface Question<Schema extends z.ZodType> {
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
const callNames = ["triage", "style", "exercise_selection", "exercise_reply", "lookup_preflight", "lookup_answer"] as const;
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

/** What is said in this turn: the person's messages that it answers, joined. */
export function saidIn({ messages }: Pick<TurnInfo, "messages">, message: string): string {
  const said = messages.filter(({ role, text }) => role === "user" && text !== "");
  return said.length === 0 ? message : said.map(({ text }) => text).join("\n");
}

/** The last messages of both sides before this turn, oldest first; 8 by default. */
export function before(
  { history, messages }: Pick<TurnInfo, "history" | "messages">,
  count = 8,
): readonly { readonly role: "user" | "assistant"; readonly text: string }[] {
  const first = messages[0]?.offset ?? Number.POSITIVE_INFINITY;
  return history
    .flatMap(({ role, text, offset, is_trace }) =>
      (role === "user" || role === "assistant") && !is_trace && offset < first && text !== "" ? [{ role, text }] : [],
    )
    .slice(-count);
}

/** The beginning of a text, never half of a letter that takes two units. */
export const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
const end = (text: string, most: number): string => text.slice(-most).replace(/^[\uDC00-\uDFFF]/u, "");

/** Characters that a message of before is cut to, and this turn's: triage needs what they ask, not all that they tell. */
const limits = { before: 600, now: 6_000 } as const;

const line = (text: string, limit: number): string =>
  (text.length <= limit ? text : `${beginning(text, limit / 2)} … ${end(text, limit / 2)}`).replaceAll(/\s+/gu, " ");

/** The conversation and the message as the text of a structured call; `notes` are the companion's own. */
export function asked(
  context: Pick<TurnInfo, "history" | "messages">,
  { message, notes }: { readonly message: string; readonly notes: readonly string[] },
): string {
  const said = before(context).map(({ role, text }) => `${role === "user" ? "person" : "companion"}: ${line(text, limits.before)}`);
  return [
    ...notes,
    ...(said.length === 0 ? [] : [asData("conversation", said)]),
    asData("message", [line(saidIn(context, message), limits.now)]),
  ].join("\n\n");
}
