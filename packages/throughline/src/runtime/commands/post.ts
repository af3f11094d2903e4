/** Posts events to a session by participants other than its customer, and records consents. */
import { invalidAt } from "../../extension/failure.ts";
import { acceptedBy, extensionsWith, hasPoint, type Screened } from "../../extension/port.ts";
import { seen } from "../../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject, present } from "../../kernel/json.ts";
import { authorityOf, wordsIn } from "../../session/authority.ts";
import type { Command } from "../../session/decide-command.ts";
import { type MessageData, type StatusData, statuses } from "../../session/event.ts";
import { type EventSource, eventSources, type LoadedSession } from "../../store/port.ts";
import type { Agent } from "../agent/agent.ts";
import { agentOf, type RuntimeContext } from "../context.ts";
import { executeAccepted, superseding } from "../turn/accept-input.ts";
import { checkMetadata, checkShownName, checkText, checkValue, textLimit } from "../turn/receive.ts";
import { postSafely } from "../turn/unsaved.ts";
import { append, type Done, doneOf, drive, type Handle, hearing } from "./handle.ts";
import { type Idempotency, idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";

/** Options of a post that is not a customer's message. */
export interface PostOptions extends IdempotencyOptions {
  readonly metadata?: JsonObject;
}

/** Options of posting an operator's message. */
export interface OperatorOptions extends PostOptions {
  /** Shown to the customer: 1 to 200 characters. */
  readonly name?: string;
  /** Whether to post in the agent's name. By default it is posted in the operator's. */
  readonly onBehalfOfAgent?: boolean;
}

/** Options of posting a status. */
export interface StatusOptions extends PostOptions {
  /** Defaults to `human_agent`. */
  readonly source?: EventSource;
  readonly data?: JsonObject;
}

const metadataGiven = (metadata: JsonObject | undefined) => present({ metadata });

/** Posts an operator's message. */
export async function postOperator(handle: Handle, text: string, options: OperatorOptions): Promise<Done> {
  const { name, metadata, onBehalfOfAgent = false } = options;
  checkText(text);
  checkShownName("name", name);
  checkMetadata(metadata);
  const participant: MessageData["participant"] = name === undefined ? undefined : { display_name: name };
  const source = onBehalfOfAgent ? "human_agent_on_behalf_of_ai_agent" : "human_agent";
  return append(
    handle,
    {
      type: "post_message",
      source,
      parts: [{ type: "text", text }],
      trace_id: handle.runtime.ids.trace(),
      ...present({ participant }),
      ...metadataGiven(metadata),
    },
    idempotencyOf(options, "post_operator", { text, name, source, metadata }),
  );
}

/** Options of posting a custom event. */
export interface CustomOptions extends PostOptions {
  /** Source of the content. Defaults to `system`, the operator's own. Use `customer_ui` or `customer` for text and actions of a customer. */
  readonly source?: EventSource;
}

/**
 * Posts JSON for the agent to read. If the agent has a gate, a customer's event is screened as a message is. Its assessment is recorded with it, and
 * from level 2 on it is answered immediately. `agent` reads the session's agent.
 */
export async function postCustom(handle: Handle, value: Json, options: CustomOptions, agent: () => Promise<string>): Promise<Done> {
  const { runtime, id } = handle;
  const { source = "system", metadata } = options;
  checkSource(source);
  checkMetadata(metadata);
  const checked = checkValue("value", value);
  const idempotency = idempotencyOf(options, "post_custom", { value: checked, source, metadata });
  const command = { type: "post_custom", source, value: checked, trace_id: runtime.ids.trace(), ...metadataGiven(metadata) } as const;
  const ungated = (): Promise<Done> => append(handle, command, idempotency);
  if (!authorityOf("custom", source).gated || extensionsWith(runtime, "accept").length === 0) return ungated();
  const text = wordsIn(checked);
  const accept = async (screened?: Screened): Promise<Done> => {
    const known = agentOf(runtime, await agent());
    return !known.extensions.some((extension) => hasPoint(extension, "accept"))
      ? ungated()
      : postHeard(handle, { agent: known, screened, text, command, idempotency });
  };
  const done = await postSafely(runtime, { agent: undefined, session_id: id, text, custom: true }, { accept });
  if (done.turn_id !== undefined) drive(handle);
  return done;
}

/** Posts a customer's event to an agent whose extensions screen it. An urgent event is accepted like an urgent message. */
async function postHeard(
  handle: Handle,
  given: {
    readonly agent: Agent;
    readonly screened: Screened | undefined;
    readonly text: string;
    readonly command: Extract<Command, { type: "post_custom" }>;
    readonly idempotency: Idempotency | undefined;
  },
): Promise<Done> {
  const { agent, screened, text, command, idempotency } = given;
  if (text.length > textLimit)
    throw invalidAt("input.invalid", "value", `A customer's event has at most ${textLimit} characters of text, got ${text.length}.`);
  const { runtime, id } = handle;
  const { effect } = acceptedBy({ agent, text, kind: "custom" }, screened);
  const urgent = effect?.urgent === true;
  const accepting = urgent ? (loaded: LoadedSession) => superseding(runtime, { loaded, urgent }, acceptingOf(runtime, agent, command)) : command;
  const result = await executeAccepted(runtime, { session_id: id, effect, accepting, idempotency });
  const { hurried, fenced } = hearing(handle);
  if (urgent) hurried();
  if (result?.fenced === true) fenced(result.epoch);
  return doneOf(handle, result);
}

/** Converts the event to a message that must be answered before all others. */
const acceptingOf = (
  { clock }: RuntimeContext,
  { episodeSilenceMs, onMessageWhilePaused }: Agent,
  { source, value, trace_id, metadata }: Extract<Command, { type: "post_custom" }>,
): Extract<Command, { type: "accept" }> => ({
  type: "accept",
  urgent: true,
  message: { source, value },
  trace_id,
  at: clock.now(),
  silenceMs: episodeSilenceMs,
  wake: onMessageWhilePaused === "reject",
  ...metadataGiven(metadata),
});

/** Posts the activity of a participant. Readers see it, models do not. */
export async function postStatus(handle: Handle, status: StatusData["status"], options: StatusOptions): Promise<Done> {
  const { source = "human_agent", data, metadata } = options;
  if (!statuses.includes(status)) throw invalidAt("input.invalid", "status", `A status is one of ${statuses.join(", ")}, got ${seen(status)}.`);
  checkSource(source);
  checkMetadata(metadata);
  if (data !== undefined && !isPlainObject(checkValue("data", data)))
    throw invalidAt("input.invalid", "data", `A status's data is an object, got ${seen(data)}.`);
  const trace_id = handle.runtime.ids.trace();
  const idempotency = idempotencyOf(options, "post_status", { status, source, data, metadata });
  const activity = { status, ...present({ data }) };
  return append(handle, { type: "post_status", source, data: activity, trace_id, ...metadataGiven(metadata) }, idempotency);
}

function checkSource(source: unknown): void {
  if (eventSources.some((known) => known === source)) return;
  throw invalidAt("input.invalid", "source", `A source is one of ${eventSources.join(", ")}, got ${seen(source)}.`);
}

/** A consent, or its revocation. */
export interface ConsentOptions extends IdempotencyOptions {
  /** Whether the customer consents from now on. */
  readonly given: boolean;
  /** Version of the text that the customer was shown: 1 to 100 characters. */
  readonly textVersion: string;
  /** Purpose of the consent: 1 to 100 characters, `service` by default. Each purpose has its own consent. */
  readonly purpose?: string;
}

function checkPurpose(path: string, value: unknown): void {
  if (typeof value === "string" && value.trim() !== "" && value.length <= 100) return;
  throw invalidAt("input.invalid", path, `A consent's ${path} has 1 to 100 characters, got ${seen(value)}.`);
}

/** Records the consent. Throws `input.invalid`, which names the invalid option. */
export async function giveConsent(handle: Handle, options: ConsentOptions): Promise<Done> {
  const { given, textVersion: text_version, purpose = "service" } = options;
  if (typeof given !== "boolean") throw invalidAt("input.invalid", "given", `given is true or false, got ${seen(given)}.`);
  checkPurpose("textVersion", text_version);
  checkPurpose("purpose", purpose);
  const consent = { given, text_version, purpose };
  const command = { type: "consent", ...consent, trace_id: handle.runtime.ids.trace() } as const;
  return append(handle, command, idempotencyOf(options, "consent", consent));
}
