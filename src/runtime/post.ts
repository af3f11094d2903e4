/** What is posted to a session by others than its customer. No turn is queued. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { SafetySettings } from "../safety/settings.ts";
import { authorityOf, wordsIn } from "../session/authority.ts";
import type { Command } from "../session/decide.ts";
import { statuses, type MessageData, type StatusData } from "../session/event.ts";
import { eventSources, type EventSource, type LoadedSession } from "../store/port.ts";
import type { Agent } from "./agent.ts";
import { agentOf, type RuntimeContext } from "./context.ts";
import { append, doneOf, drive, hearing, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type Idempotency, type IdempotencyOptions } from "./idempotency.ts";
import { checkMetadata, checkShownName, checkText, checkValue, textLimit } from "./receive.ts";
import { gateOf, guarded } from "./safety/gate-of.ts";
import { isUrgent, screening } from "./safety/screening.ts";
import { superseding } from "./supersede.ts";

/** Options of posting something that is not a customer's message. */
export interface PostOptions extends IdempotencyOptions {
  readonly metadata?: JsonObject;
}

/** Options of posting what a person wrote. */
export interface OperatorOptions extends PostOptions {
  /** Shown to the customer: 1 to 200 characters. */
  readonly name?: string;
  /** In the agent's name; as themselves by default. */
  readonly onBehalfOfAgent?: boolean;
}

/** Options of posting a status. */
export interface StatusOptions extends PostOptions {
  /** `human_agent` by default. */
  readonly source?: EventSource;
  readonly data?: JsonObject;
}

const metadataGiven = (metadata: JsonObject | undefined) => (metadata === undefined ? {} : { metadata });

/** Posts what a person wrote. */
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
      ...(participant === undefined ? {} : { participant }),
      ...metadataGiven(metadata),
    },
    idempotencyOf(options, "post_operator", { text, name, source, metadata }),
  );
}

/** Options of posting a custom event. */
export interface CustomOptions extends PostOptions {
  /** Whose content it is; `system`, the operator's own, by default. What a customer wrote or did is `customer_ui` or `customer`. */
  readonly source?: EventSource;
}

/**
 * Posts any JSON for the agent to see. A customer's event to an agent with a gate is screened as a message is: it brings its assessment, and from level 2 on it is
 * answered at once. `agent` reads which agent the session has.
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
  if (!authorityOf("custom", source).gated || gateOf(runtime, undefined) === undefined) return ungated();
  const text = wordsIn(checked);
  const accept = async (): Promise<Done> => {
    const known = agentOf(runtime, await agent());
    return known.safety === undefined ? ungated() : postScreened(handle, { agent: known, safety: known.safety, text, command, idempotency });
  };
  const done = await guarded(runtime, id, { agent: undefined, text, accept, custom: true });
  if (done.turn_id !== undefined) drive(handle);
  return done;
}

/** Posts a customer's event to an agent with a gate. From level 2 on it takes the way of a message that waits for nothing. */
async function postScreened(
  handle: Handle,
  given: {
    readonly agent: Agent;
    readonly safety: SafetySettings;
    readonly text: string;
    readonly command: Extract<Command, { type: "post_custom" }>;
    readonly idempotency: Idempotency | undefined;
  },
): Promise<Done> {
  const { agent, safety, text, command, idempotency } = given;
  if (text.length > textLimit)
    throw new ThroughlineError("input.invalid", `A customer's event has at most ${textLimit} characters of text, got ${text.length}.`, {
      details: { path: "value" },
    });
  const { runtime, id } = handle;
  const screened = screening(safety, text);
  const urgent = isUrgent(screened);
  const accepting = urgent ? (loaded: LoadedSession) => superseding(runtime, { loaded, urgent }, acceptingOf(runtime, agent, command)) : command;
  const { acceptScreened } = await import("./safety/accept-screened.ts");
  const result = await acceptScreened(runtime, { session_id: id, agent, text, screened, accepting, idempotency });
  const { hurried, fenced } = hearing(handle);
  if (urgent) hurried();
  if (result?.fenced === true) fenced(result.epoch);
  return doneOf(handle, result);
}

/** The event as a message that must be answered before all others. */
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

/** Posts what somebody is doing: it is shown, and no model sees it. */
export async function postStatus(handle: Handle, status: StatusData["status"], options: StatusOptions): Promise<Done> {
  const { source = "human_agent", data, metadata } = options;
  if (!statuses.includes(status))
    throw new ThroughlineError("input.invalid", `A status is one of ${statuses.join(", ")}, got ${seen(status)}.`, { details: { path: "status" } });
  checkSource(source);
  checkMetadata(metadata);
  if (data !== undefined && !isPlainObject(checkValue("data", data)))
    throw new ThroughlineError("input.invalid", `A status's data is an object, got ${seen(data)}.`, { details: { path: "data" } });
  const trace_id = handle.runtime.ids.trace();
  const idempotency = idempotencyOf(options, "post_status", { status, source, data, metadata });
  const told = { status, ...(data === undefined ? {} : { data }) };
  return append(handle, { type: "post_status", source, data: told, trace_id, ...metadataGiven(metadata) }, idempotency);
}

function checkSource(source: unknown): void {
  if (eventSources.some((known) => known === source)) return;
  throw new ThroughlineError("input.invalid", `A source is one of ${eventSources.join(", ")}, got ${seen(source)}.`, { details: { path: "source" } });
}
