/** Events on the wire. Every way that an event leaves the service by goes through here, so that one caller gets the same JSON on all of them. */
import type { ErrorInfo } from "../../kernel/error.ts";
import { fieldsOf, publicOperations } from "../../state/views.ts";
import type { StateDefinition } from "../../state/define.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import type { WireEvent } from "../../protocol/event.ts";
import type { Event, EventOf, Outcome, SessionData, TurnData } from "../../session/event.ts";
import { allows, customerOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";

/** Data of the kind of its event: what is left of it for whoever reads it. */
type Data = object;

/**
 * An event as the caller is shown it; undefined if they are not. A key sees all but what needs a scope of its own: assessments, state that is not
 * public, metadata. A customer sees what was said to them, and what their own view of the conversation follows from.
 */
export function toWireEvent({ agents }: Pick<Service, "agents">, principal: Principal, agent: string, event: Event): WireEvent | undefined {
  // Nobody knows which fields of an agent that is not here are public.
  const definition = agents.get(agent)?.state;
  const isCustomer = customerOf(principal) !== undefined;
  const data = isCustomer ? shownToCustomer(definition, event) : shownToKey(definition, principal, event);
  if (data === undefined) return undefined;
  const { session_id, offset, id, kind, source, trace_id, turn_id, origin, created_at, metadata } = event;
  const wire = {
    session_id,
    offset,
    id,
    kind,
    source,
    trace_id,
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(origin === undefined || isCustomer ? {} : { origin }),
    created_at,
    data,
    ...(metadata === undefined || !allows(principal, "metadata:read") ? {} : { metadata }),
  };
  // Kind and data are those of one event.
  return wire as WireEvent;
}

function shownToKey(definition: StateDefinition | undefined, principal: Principal, event: Event): Data | undefined {
  const seesState = allows(principal, "state:read");
  switch (event.kind) {
    case "assessment":
      return allows(principal, "safety:read") ? event.data : undefined;
    case "status":
      return event.data.error === undefined ? event.data : { ...event.data, error: withoutDetails(event.data.error) };
    case "turn":
      return turnForKey(definition, seesState, event.data);
    case "state":
      return seesState ? event.data : publicChange(definition, event);
    case "session":
      return event.data.type !== "created" || seesState ? event.data : { ...event.data, state: publicState(definition, event.data.state) };
    default:
      return event.data;
  }
}

/** What an agent's own code has put into an error's details is nobody's but the log's. */
const withoutDetails = ({ code, message, hint }: ErrorInfo): ErrorInfo => ({ code, message, hint });

/** The fields that live for a turn are state, too. */
function turnForKey(definition: StateDefinition | undefined, seesState: boolean, data: TurnData): TurnData {
  switch (data.type) {
    case "stage":
      return seesState || data.patch === undefined ? data : { ...data, patch: publicPatch(definition, data.patch) };
    case "fields":
      return seesState ? data : { ...data, patch: publicPatch(definition, data.patch) };
    case "attempt":
      return { ...data, error: withoutDetails(data.error) };
    case "ended":
      return { ...data, outcome: toWireOutcome(data.outcome) };
    default:
      return data;
  }
}

/** How a turn ended, as it is told. */
export const toWireOutcome = (outcome: Outcome): Outcome =>
  outcome.status === "failed" ? { status: outcome.status, error: withoutDetails(outcome.error) } : outcome;

const publicPatch = (definition: StateDefinition | undefined, patch: readonly PatchOperation[]): readonly PatchOperation[] =>
  definition === undefined ? [] : publicOperations(definition, patch);

/** A change of the state as far as it is public; undefined if none of it is. */
function publicChange(definition: StateDefinition | undefined, { data }: EventOf<"state">): EventOf<"state">["data"] | undefined {
  const patch = publicPatch(definition, data.patch);
  return patch.length === 0 ? undefined : { ...data, patch };
}

function publicState(definition: StateDefinition | undefined, state: JsonObject): JsonObject {
  const shown = definition === undefined ? [] : fieldsOf(definition, "public");
  return Object.fromEntries(shown.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]])));
}

function shownToCustomer(definition: StateDefinition | undefined, event: Event): Data | undefined {
  switch (event.kind) {
    case "message":
      return isSaidToCustomer(event) ? messageForCustomer(event) : undefined;
    case "status":
      return { status: event.data.status };
    case "state": {
      const change = publicChange(definition, event);
      return change === undefined ? undefined : { patch: change.patch };
    }
    case "session":
      return sessionForCustomer(event.data);
    case "custom":
      return event.source === "customer_ui" || event.source === "customer" ? { value: event.data.value } : undefined;
    default:
      return undefined;
  }
}

/** Work on the way to an answer is not said to anybody, nor is what a system puts in for the model. */
const isSaidToCustomer = ({ source, data: { role, origin } }: EventOf<"message">): boolean =>
  role !== "system" && source !== "system" && (origin?.is_trace !== true || origin.stands_in === true);

function messageForCustomer({ source, data: { role, parts, participant, redacted } }: EventOf<"message">): Data {
  const name = participant?.display_name === undefined ? {} : { display_name: participant.display_name };
  // Only the customer's own id is the customer's to see.
  const id = source === "customer" && participant?.id !== undefined ? { id: participant.id } : {};
  return { role, parts, ...(participant === undefined ? {} : { participant: { ...id, ...name } }), ...(redacted === undefined ? {} : { redacted }) };
}

function sessionForCustomer(data: SessionData): Data | undefined {
  switch (data.type) {
    case "created":
      return { type: data.type, agent: data.agent, episode: data.episode };
    case "mode":
      return { type: data.type, mode: data.mode };
    case "withdrawn":
      return { type: data.type, from: data.from };
    case "consent":
    case "disclosure":
    case "redacted":
    case "title":
    case "episode":
      return data;
    default:
      return undefined;
  }
}
