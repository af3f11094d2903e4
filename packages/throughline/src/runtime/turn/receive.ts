import { invalidAt } from "../../extension/failure.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { type TraceId, traceOf } from "../../kernel/id.ts";
import { assertJson, isPlainObject, type Json, type JsonObject, present } from "../../kernel/json.ts";
import type { MessageData } from "../../session/event.ts";
import { withNamedChange } from "../../session/session-variables.ts";
import { decodeState, initialState } from "../../state/document.ts";
import { beginTurn } from "../../state/state-turn.ts";
import { inputValues, type Agent } from "../agent/agent.ts";
import { checkKey, hashOf } from "../commands/idempotency.ts";

/** A message from a caller. */
export interface Incoming {
  /** 1 to 100,000 characters, not blank. */
  readonly text: string;
  /** Values of the agent's other `input` fields; at most 1,048,576 characters as JSON, like `start`. */
  readonly input?: JsonObject;
  /** Updates of the agent's `start` fields. */
  readonly start?: JsonObject;
  /** Data for the integration. The agent never sees it. */
  readonly metadata?: JsonObject;
  /** Unique per session for the life of the log: the same key and body return the same message. 1 to 255 characters. */
  readonly idempotencyKey?: string;
  /** Trace of the turn. Defaults to that of `traceparent`, or a new one. */
  readonly traceId?: TraceId;
  /** W3C `traceparent` of the request that brought the message. Extensions such as telemetry continue its trace. */
  readonly traceparent?: string;
}

/** A message in the shape of the log, with a hash that detects a different body under the same key. */
export interface Received {
  readonly message: Pick<MessageData, "parts" | "input" | "start">;
  readonly body_hash: string;
}

/** Maximum characters of a customer's text. A gate reads a text of this length in full. */
export const textLimit = 100_000;
const nameLimit = 200;
const valueLimit = 1024 * 1024;

/** Checks the text of a message: 1 to 100,000 characters, not blank. */
export function checkText(text: unknown): void {
  if (isPlainObject(text))
    throw new ThroughlineError("input.invalid", "A message's text is a string, got an object.", {
      hint: "Pass the text first and everything else as options, such as post(text, { idempotencyKey }).",
      details: { path: "text" },
    });
  if (typeof text !== "string" || text.trim() === "")
    throw invalidAt("input.invalid", "text", `A message needs a text that is not blank, got ${seen(text)}.`);
  if (text.length > textLimit) throw invalidAt("input.invalid", "text", `A message has at most ${textLimit} characters, got ${text.length}.`);
}

/** Checks a value that becomes part of an event: JSON, of at most 1,048,576 characters. */
export function checkValue(path: string, value: unknown): Json {
  const json = assertJson(value, path);
  const size = JSON.stringify(json).length;
  if (size > valueLimit) throw invalidAt("input.invalid", path, `${path} has at most ${valueLimit} characters as JSON, got ${size}.`);
  return json;
}

/** Checks the metadata of an event, if present: an object within the limits of all metadata. */
export function checkMetadata(metadata: JsonObject | undefined): void {
  if (metadata === undefined) return;
  if (!isPlainObject(assertJson(metadata, "metadata")))
    throw invalidAt("input.invalid", "metadata", `A message's metadata is an object, got ${seen(metadata)}.`);
  withNamedChange({}, { set: metadata });
}

/** Checks a display name, if present: 1 to 200 characters. */
export function checkShownName(path: string, name: unknown): void {
  if (name === undefined || (typeof name === "string" && name.trim() !== "" && name.length <= nameLimit)) return;
  throw invalidAt("input.invalid", path, `${path} has 1 to ${nameLimit} characters, got ${seen(name)}.`);
}

/** Checks a message: its shape, and its values against the agent's input and start fields. */
export function receive(agent: Agent, incoming: Incoming): Received {
  if (!isPlainObject(incoming)) throw invalidAt("input.invalid", "", `A message is a text or an object with a text, got ${seen(incoming)}.`);
  const { text, input, start, metadata, idempotencyKey, traceId, traceparent } = incoming;
  checkText(text);
  checkMetadata(metadata);
  for (const [name, value] of Object.entries({ input, start })) {
    if (value !== undefined && !isPlainObject(checkValue(name, value)))
      throw invalidAt("input.invalid", name, `A message's ${name} is an object, got ${seen(value)}.`);
  }
  if (input !== undefined && Object.hasOwn(input, "message") && agent.state.fields["message"]?.lifecycle === "input")
    throw invalidAt("input.invalid", "input/message", "The field message is the message's text. Leave it out of the input.");
  checkKey(idempotencyKey);
  if (traceId !== undefined && !/^[0-9a-f]{32}$/.test(String(traceId)))
    throw invalidAt("input.invalid", "traceId", `A trace id has 32 hexadecimal digits, got ${seen(traceId)}.`);
  if (traceparent !== undefined && traceOf(traceparent) === undefined)
    throw invalidAt("input.invalid", "traceparent", `A traceparent has the form of W3C Trace Context, got ${seen(traceparent)}.`);
  const extra = { ...present({ input, start }) };
  const message = { parts: [{ type: "text", text }], ...extra } as const;
  // Starts a turn on the initial state, which checks the values as the real turn will.
  const first = decodeState(agent.state, initialState(agent.state));
  beginTurn(agent.state, first, { input: inputValues(agent, message), ...present({ start }) });
  return { message, body_hash: hashOf({ text, ...extra }) };
}
