/** What is posted to a session by others than its customer. No turn is queued. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, type Json, type JsonObject } from "../kernel/json.ts";
import { statuses, type MessageData, type StatusData } from "../session/event.ts";
import { eventSources, type EventSource } from "../store/port.ts";
import { append, type Done, type Handle } from "./handle.ts";
import { idempotencyOf, type IdempotencyOptions } from "./idempotency.ts";
import { checkMetadata, checkShownName, checkText, checkValue } from "./receive.ts";

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

/** Posts any JSON for the agent to see. */
export async function postCustom(handle: Handle, value: Json, options: PostOptions & { readonly source?: EventSource }): Promise<Done> {
  const { source = "system", metadata } = options;
  checkSource(source);
  checkMetadata(metadata);
  const checked = checkValue("value", value);
  const trace_id = handle.runtime.ids.trace();
  const idempotency = idempotencyOf(options, "post_custom", { value: checked, source, metadata });
  return append(handle, { type: "post_custom", source, value: checked, trace_id, ...metadataGiven(metadata) }, idempotency);
}

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
