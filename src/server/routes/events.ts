/** What is posted to a session's log, and taken back. */
import { ThroughlineError } from "../../kernel/error.ts";
import type { TraceId } from "../../kernel/id.ts";
import type { eventOperations } from "../../protocol/operations/events.ts";
import type { NewEventBody } from "../../protocol/post.ts";
import type { WireEvent } from "../../protocol/event.ts";
import type { IdempotencyOptions } from "../../runtime/commands/idempotency.ts";
import type { SessionInfo } from "../../runtime/reading/session-info.ts";
import type { Session } from "../../create-runtime.ts";
import { authorityOf } from "../../session/authority.ts";
import { sessionOf } from "../session-of.ts";
import type { Handlers } from "../call.ts";
import { customerOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { toWireEvent } from "../wire/event.ts";

/** What goes with a message: the trace that its turn belongs to. */
interface Traced extends IdempotencyOptions {
  readonly traceId?: TraceId;
  /** Aborts when nobody waits for the message to be taken any more. */
  readonly signal: AbortSignal;
}

/** Events of a session. */
export const eventRoutes: Handlers<keyof typeof eventOperations> = {
  async postEvent(service, { path, body, principal, once, trace_id, unanswered }) {
    const { session, info } = await sessionOf(service, principal, path.session_id);
    checkPoster(principal, body);
    checkSize(service, body);
    const traced = { ...once, ...(trace_id === undefined ? {} : { traceId: trace_id }), signal: unanswered };
    const offset = body.kind === "message" && body.source === "ai_agent" ? await firstOfTurn(session, once) : await post(session, body, traced);
    // Also if somebody has taken it back meanwhile: it was posted.
    const event = await wireEventAt(service, { principal, session, info }, offset, { withdrawn: true });
    return { status: 201, body: event, location: `/v1/sessions/${session.id}/events/${event.offset}` };
  },
  async getEvent(service, { path, principal }) {
    const { session, info } = await sessionOf(service, principal, path.session_id);
    return {
      status: 200,
      body: await wireEventAt(service, { principal, session, info }, /^\d{1,15}$/.test(path.event) ? Number(path.event) : path.event),
    };
  },
  async withdrawEvents(service, { path, query, principal, once }) {
    const { session } = await sessionOf(service, principal, path.session_id);
    await session.withdraw({ from: query.min_offset, ...once });
    return { status: 204, body: undefined };
  },
};

/** Source of an event that was posted without one. */
const usualSources = { custom: "system", status: "human_agent" } as const;

/** Refuses what the poster may not write: `authorities` says which kinds and sources a customer's token may. */
function checkPoster(principal: Principal, body: NewEventBody): void {
  if (customerOf(principal) === undefined) return;
  const source = body.kind === "message" ? body.source : (body.source ?? usualSources[body.kind]);
  if (!authorityOf(body.kind, source).postedBy.includes("customer"))
    throw new ThroughlineError(
      "auth.forbidden",
      "A customer's token posts the customer's messages, and custom events of source customer_ui, without metadata.",
    );
  if (body.kind === "message" && body.source === "customer" && (body.start !== undefined || body.input !== undefined))
    throw new ThroughlineError("auth.forbidden", "A customer's token posts messages without input and start values.");
}

function checkSize({ limits }: Service, body: NewEventBody): void {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes > limits.eventBytes)
    throw new ThroughlineError("request.too_large", `An event has at most ${limits.eventBytes} bytes, got ${bytes}.`, {
      details: { limit: limits.eventBytes, bytes },
    });
}

/** Posts what is not the agent's; the offset of its event. */
async function post(session: Session, body: Exclude<NewEventBody, { source: "ai_agent" }>, { traceId, signal, ...once }: Traced): Promise<number> {
  const metadata = body.metadata === undefined ? {} : { metadata: body.metadata };
  if (body.kind === "custom") {
    const source = body.source === undefined ? {} : { source: body.source };
    return (await session.postCustom(body.data, { ...source, ...metadata, ...once })).offset;
  }
  if (body.kind === "status") {
    const { status, data, source = "human_agent" } = body;
    return (await session.postStatus(status, { source, ...(data === undefined ? {} : { data }), ...metadata, ...once })).offset;
  }
  if (body.source === "customer") {
    const { text, input, start } = body;
    const given = {
      ...(input === undefined ? {} : { input }),
      ...(start === undefined ? {} : { start }),
      ...(traceId === undefined ? {} : { traceId }),
    };
    return (await session.post({ text, ...given, ...metadata, ...once }, { signal })).offset;
  }
  const { text, participant, source } = body;
  const name = participant === undefined ? {} : { name: participant.display_name };
  return (await session.postOperator(text, { ...name, onBehalfOfAgent: source !== "human_agent", ...metadata, ...once })).offset;
}

/** Queues a turn in which the agent speaks, and gives its first event, which the same commit has: its trace leads to the reply. */
async function firstOfTurn(session: Session, once: IdempotencyOptions): Promise<number> {
  const { turn_id } = await session.startTurn({ cause: "resume", ...once });
  const { trace_id } = await session.turn(turn_id);
  for await (const { offset } of session.events({ traceId: trace_id, kinds: ["status"], withdrawn: true, follow: false })) return offset;
  throw new ThroughlineError("internal", `Turn ${turn_id} was queued, and nothing says so.`);
}

/** One event as this caller may see it. */
async function wireEventAt(
  service: Service,
  { principal, session, info }: { readonly principal: Principal; readonly session: Session; readonly info: SessionInfo },
  at: number | string,
  options: { readonly withdrawn?: boolean } = {},
): Promise<WireEvent> {
  const event = toWireEvent(service, principal, info.agent, await session.event(at, options));
  if (event !== undefined) return event;
  throw new ThroughlineError("event.not_found", `There is no event ${at} in session ${session.id}.`);
}
