/** Sends structured requests to a model: the companion's only model calls other than replies. Every message of the conversation is marked as data. */
import { asData, type Json, type Model, type ModelMessage, type ModelPart, ThroughlineError, type TurnInfo } from "throughline";
import { z } from "zod";

/** A structured call. */
interface Question<Schema extends z.ZodType> {
  /** Name of the call, and `title` of its JSON Schema. The offline rules identify calls by it. */
  readonly name: CallName;
  /** Reads the answer. It may be more tolerant than what is sent. */
  readonly schema: Schema;
  /** The JSON Schema that is sent; default that of `schema`. */
  readonly format?: Json;
  readonly instructions: string;
  /** The subject as one text, in which all text of a person is marked as data. */
  readonly text: string;
  readonly signal: AbortSignal;
  /** Milliseconds that the answer may take, with its repair; default 10,000. */
  readonly withinMs?: number;
  /** Maximum tokens of the answer; default 800. */
  readonly maxOutputTokens?: number;
}

/** The structured calls. */
const callNames = ["dispatch", "exercise_selection", "exercise_reply", "lookup_preflight", "lookup_answer"] as const;
export type CallName = (typeof callNames)[number];

/** Keywords of JSON Schema that services refuse in a strict schema. The answer is checked here. */
const refused: ReadonlySet<string> = new Set([
  ...["$schema", "default", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minItems", "maxItems", "uniqueItems"],
]);

/** Reduces a schema to what services accept in a strict one: no limits, and a value or null as one type. */
function strict(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const { anyOf, properties, ...rest } = schema as { readonly [key: string]: Json };
  const kept: { readonly [key: string]: Json } = Object.fromEntries(
    Object.entries(rest).flatMap(([name, value]) =>
      refused.has(name) ? [] : [[name, name === "enum" || name === "required" ? value : strict(value)]],
    ),
  );
  const members =
    properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties as object).map(([name, one]) => [name, strict(one as Json)])) };
  const one = Array.isArray(anyOf) ? nullable(anyOf.map(strict)) : undefined;
  return { ...kept, ...members, ...one };
}

/** Joins "a value of one type, or null" to one schema. */
function nullable(options: readonly Json[]): { readonly [key: string]: Json } {
  const [value, nothing] = options as readonly { readonly [key: string]: Json }[];
  if (options.length !== 2 || typeof value?.["type"] !== "string" || nothing?.["type"] !== "null") return { anyOf: options };
  const { type, enum: names, ...rest } = value;
  const named = Array.isArray(names) ? { enum: [...(names as readonly Json[]), null] } : {};
  return { type: [type, "null"], ...named, ...rest };
}

/** Returns the JSON Schema of a call: the strict subset that services accept. */
export const formatOf = (name: CallName, schema: z.ZodType): Json => ({
  ...(strict(z.toJSONSchema(schema, { io: "output" }) as Json) as { readonly [key: string]: Json }),
  title: name,
});

/** Extracts the JSON, because some models wrap it in code fences or text. */
function unwrapped(answer: string): string {
  const [from, to] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  return from === -1 || to < from ? answer : answer.slice(from, to + 1);
}

/** Longest part of an unusable answer that is sent back for its repair. */
const longestAnswer = 2_000;

/**
 * Asks a model for one value and validates it. An answer that does not fit is sent back once, with what is wrong. Throws the model's errors,
 * `model.invalid_response` if the second answer does not fit either, and the abort reason of the signal. Errors never contain the answer, because it
 * can quote a person.
 * @example await ask(control, { name: "dispatch", schema: dispatchSchema, instructions, text, signal })
 */
export async function ask<Schema extends z.ZodType>(model: Model, question: Question<Schema>): Promise<z.output<Schema>> {
  const { name, schema, format = formatOf(name, schema), instructions, text, withinMs = 10_000, maxOutputTokens = 800 } = question;
  const signal = AbortSignal.any([question.signal, AbortSignal.timeout(withinMs)]);
  const send = (messages: readonly ModelMessage[]): Promise<string> => {
    const request = { sections: [{ name, text: instructions }], messages, tools: [], response_format: format, max_output_tokens: maxOutputTokens };
    return answerOf(model.stream(request, { signal }), signal);
  };
  const asked = { role: "user", text } as const;
  const answer = await send([asked]);
  const read = readAnswer(answer, schema);
  if ("value" in read) return read.value;
  const said = answer.trim() === "" ? [] : [{ role: "assistant", text: beginning(answer, longestAnswer) } as const];
  const repair = `That answer cannot be used: ${read.fault}. Answer again with one JSON object of the schema, and nothing else.`;
  const again = readAnswer(await send([asked, ...said, { role: "user", text: repair }]), schema);
  if ("value" in again) return again.value;
  throw new ThroughlineError("model.invalid_response", `The model's answer to "${name}" cannot be used: ${again.fault}.`);
}

/** Reads an answer, or tells what is wrong with it without quoting it. */
function readAnswer<Schema extends z.ZodType>(answer: string, schema: Schema): { readonly value: z.output<Schema> } | { readonly fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(unwrapped(answer));
  } catch {
    return { fault: "it is no JSON" };
  }
  const read = schema.safeParse(value);
  return read.success ? { value: read.data } : { fault: `it does not fit the schema at /${read.error.issues[0]?.path.join("/") ?? ""}` };
}

/**
 * Wraps a model so that equal requests are sent once. What was asked ahead of a stage, from a state that may since have changed, counts only if the
 * stage asks the same.
 */
export function remembering(model: Model): Model {
  const known = new Map<string, Promise<readonly ModelPart[]>>();
  return {
    name: model.name,
    stream: async function* (request, options) {
      const key = JSON.stringify(request);
      const parts = known.get(key) ?? Array.fromAsync(model.stream(request, options));
      known.set(key, parts);
      yield* await parts;
    },
  };
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

/** Returns the last messages of both sides before this turn, oldest first; default 6. */
export function before(
  { history, messages }: Pick<TurnInfo, "history" | "messages">,
  count = 6,
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
const limits = { before: 400, now: 6_000 } as const;

const line = (text: string, limit: number): string =>
  (text.length <= limit ? text : `${beginning(text, limit / 2)} … ${end(text, limit / 2)}`).replaceAll(/\s+/gu, " ");

/** Formats the conversation and the message as the text of a structured call. `notes`: the companion's own notes. */
export function conversationText(
  context: Pick<TurnInfo, "history" | "messages">,
  { message, notes }: { readonly message: string; readonly notes: readonly string[] },
): string {
  const said = before(context).map(({ role, text }) => `${role === "user" ? "person" : "companion"}: ${line(text, limits.before)}`);
  const now = asData("message", [line(saidIn(context, message), limits.now)]);
  // That marks hold data is said once.
  return [...notes, ...(said.length === 0 ? [now] : [asData("conversation", said), now.slice(now.indexOf("<data "))])].join("\n\n");
}
