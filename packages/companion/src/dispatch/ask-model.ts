/** Sends one structured request to a model: the companion's only model calls other than replies. Every message of the conversation is marked as data. */
import { asData, type Json, type Model, ThroughlineError, type TurnInfo } from "throughline";
import { z } from "zod";

/** A structured call. */
interface Question<Schema extends z.ZodType> {
  /** Name of the call, and `title` of its JSON Schema. The offline rules identify calls by it. */
  readonly name: CallName;
  readonly schema: Schema;
  readonly instructions: string;
  /** The subject as one text, in which all text of a person is marked as data. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Milliseconds that the answer may take; default 10,000. */
  readonly withinMs?: number;
  /** Maximum tokens of the answer; default 800. */
  readonly maxOutputTokens?: number;
}

/** The structured calls. */
const callNames = ["triage", "style", "exercise_selection", "exercise_reply", "lookup_preflight", "lookup_answer"] as const;
export type CallName = (typeof callNames)[number];

/** Returns the JSON Schema of a call. */
export const formatOf = (name: CallName, schema: z.ZodType): Json => ({
  ...(z.toJSONSchema(schema, { io: "output" }) as { [key: string]: Json }),
  title: name,
});

/** Extracts the JSON, because some models wrap it in code fences or text. */
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
 * Asks a model for one value and validates it. Throws the model's errors, `model.invalid_response` for an answer that does not fit the schema, and
 * the abort reason of the signal. Errors never contain the answer, because it can quote a person.
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

/** Collects the whole answer. It does not wait for a model that ignores the signal. */
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

/** Returns the person's messages in this turn, joined. */
export function saidIn({ messages }: Pick<TurnInfo, "messages">, message: string): string {
  const said = messages.filter(({ role, text }) => role === "user" && text !== "");
  return said.length === 0 ? message : said.map(({ text }) => text).join("\n");
}

/** Returns the last messages of both sides before this turn, oldest first; default 8. */
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

/** Returns the start of a text without splitting a surrogate pair. */
export const beginning = (text: string, most: number): string => text.slice(0, most).replace(/[\uD800-\uDBFF]$/u, "");
const end = (text: string, most: number): string => text.slice(-most).replace(/^[\uDC00-\uDFFF]/u, "");

/** Character limits for earlier messages and for this turn's. Triage needs the request, not the whole story. */
const limits = { before: 600, now: 6_000 } as const;

const line = (text: string, limit: number): string =>
  (text.length <= limit ? text : `${beginning(text, limit / 2)} … ${end(text, limit / 2)}`).replaceAll(/\s+/gu, " ");

/** Formats the conversation and the message as the text of a structured call. `notes`: the companion's own notes. */
export function conversationText(
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
