/** Events: posting, withdrawing, and reading by page or stream. */
import type { Session, SessionInfo } from "throughline";
import { seen, ThroughlineError, parseSessionId, type SessionId, type TraceId } from "throughline/kernel";
import type { deliveryOperations, eventOperations, turnStreamOperations } from "../../protocol/operations/event-operations.ts";
import type { NewEventBody, WireEvent } from "../../protocol/wire-event.ts";
import type { IdempotencyOptions } from "throughline/session";
import { authorityOf, present } from "throughline/internal";
import { type Call, type Handlers, inSession, sessionOf } from "../request-call.ts";
import { kindsFor, type Page, type Reader, readPage } from "../delivery/event-reader.ts";
import { readSummaries } from "../delivery/event-summaries.ts";
import { afterLastEvent, formatPositions, openStream, parsePositions, type Positions, refuseOfStream } from "../delivery/event-stream.ts";
import { openAllStream, parseCursor } from "../delivery/all-stream.ts";
import { openTurnStream, type StreamedTurn } from "../delivery/turn-frames.ts";
import { customerOf, type Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { toWireEvent } from "../to-wire.ts";

/** Options of a posted message. */
interface Traced extends IdempotencyOptions {
  readonly traceparent?: string;
  /** Aborts when the caller no longer waits for the message to be accepted. */
  readonly signal: AbortSignal;
}

/** Handlers for the events of a session. */
export const eventRoutes: Handlers<keyof typeof eventOperations> = {
  postEvent: inSession(async ({ session, info }, { body, principal, once, traceparent, unanswered }, service) => {
    checkPosted(service, principal, body);
    const traced = { ...once, ...present({ traceparent }), signal: unanswered };
    const offset = body.kind === "message" && body.source === "ai_agent" ? await firstOfTurn(session, once) : await post(session, body, traced);
    // Includes withdrawn events, because another request may have withdrawn the event since it was posted.
    const event = await wireEventAt(service, { principal, session, info }, offset, { withdrawn: true });
    return { status: 201, body: event, location: `/v1/sessions/${session.id}/events/${event.offset}` };
  }),
  getEvent: inSession(async ({ session, info }, { path, principal }, service) => {
    return {
      status: 200,
      body: await wireEventAt(service, { principal, session, info }, /^\d{1,15}$/.test(path.event) ? Number(path.event) : path.event),
    };
  }),
  withdrawEvents: inSession(async ({ session }, { query, once }) => {
    await session.withdraw({ from: query.min_offset, ...once });
    return { status: 204, body: undefined };
  }),
};

/** The default source of a posted event. */
const usualSources = { custom: "system", status: "human_agent" } as const;

/** Throws `auth.forbidden` if the caller may not post this event. `authorities` lists the kinds and sources allowed to customer tokens. */
function checkPoster(principal: Principal, body: NewEventBody): void {
  if (customerOf(principal) === undefined) return;
  const source = body.kind === "message" ? body.source : (body.source ?? usualSources[body.kind]);
  if (!authorityOf(body.kind, source).postedBy.includes("customer"))
    throw new ThroughlineError(
      "auth.forbidden",
      "A customer's token may only post the customer's messages and custom events of source customer_ui, without metadata.",
    );
  if (body.kind === "message" && body.source === "customer" && (body.start !== undefined || body.input !== undefined))
    throw new ThroughlineError("auth.forbidden", "A customer's token may not post messages with input or start values.");
}

/** Throws if the caller may not post this event, or if it is too large. */
function checkPosted({ limits }: Service, principal: Principal, body: NewEventBody): void {
  checkPoster(principal, body);
  const bytes = Buffer.byteLength(JSON.stringify(body));
  if (bytes > limits.eventBytes)
    throw new ThroughlineError("request.too_large", `An event has at most ${limits.eventBytes} bytes, got ${bytes}.`, {
      details: { limit: limits.eventBytes, bytes },
    });
}

/** Posts an event of a person or an integration, and returns its offset. */
async function post(
  session: Session,
  body: Exclude<NewEventBody, { source: "ai_agent" }>,
  { traceparent, signal, ...once }: Traced,
): Promise<number> {
  const metadata = present({ metadata: body.metadata });
  if (body.kind === "custom") {
    const source = present({ source: body.source });
    return (await session.postCustom(body.data, { ...source, ...metadata, ...once })).offset;
  }
  if (body.kind === "status") {
    const { status, data, source = "human_agent" } = body;
    return (await session.postStatus(status, { source, ...present({ data }), ...metadata, ...once })).offset;
  }
  if (body.source === "customer") return (await postMessage(session, body, { ...once, ...present({ traceparent }), signal })).offset;
  const { text, participant, source } = body;
  const name = participant === undefined ? {} : { name: participant.display_name };
  return (await session.postOperator(text, { ...name, onBehalfOfAgent: source !== "human_agent", ...metadata, ...once })).offset;
}

/** Posts a customer's message. */
function postMessage(
  session: Session,
  { text, input, start, metadata }: Extract<NewEventBody, { readonly kind: "message"; readonly source: "customer" }>,
  traced: Traced,
): ReturnType<Session["post"]> {
  return session.post(text, { ...traced, ...present({ input, start, metadata }) });
}

/** Queues a turn in which the agent speaks. Returns the offset of the turn's first event, which shares its commit. Its trace id leads to the reply. */
async function firstOfTurn(session: Session, once: IdempotencyOptions): Promise<number> {
  const { turn_id } = await session.startTurn({ cause: "resume", ...once });
  const { trace_id } = await session.turn(turn_id);
  for await (const { offset } of session.events({ traceId: trace_id, kinds: ["status"], withdrawn: true, follow: false })) return offset;
  throw new ThroughlineError("internal", `Turn ${turn_id} was queued without an event in the log.`);
}

/** Reads one event in the caller's view. Throws `event.not_found` if the caller may not see it. */
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

/** Handlers for streaming one turn. */
export const turnStreamRoutes: Handlers<keyof typeof turnStreamOperations> = {
  streamMessage: inSession(async ({ session, info }, call, service) => {
    const { body, principal, once, traceparent, unanswered } = call;
    const message = { ...body, kind: "message", source: "customer" } as const;
    checkPosted(service, principal, message);
    const place = service.waiters.enter(principal);
    try {
      const of = postMessage(session, message, { ...once, ...present({ traceparent }), signal: unanswered });
      return await openTurnStream(service, call, { session, agent: info.agent, of, place });
    } catch (error) {
      place.leave();
      throw error;
    }
  }),
  followMessage: inSession(async ({ session, info }, call, service) => {
    if (!/^\d{1,15}$/.test(call.path.offset))
      throw new ThroughlineError("log.offset_invalid", `An offset is a whole number from 0, got ${seen(call.path.offset)}.`);
    return followTurn(service, call, { session, agent: info.agent, of: Number(call.path.offset) });
  }),
  followTurn: inSession(async ({ session, info }, call, service) => followTurn(service, call, { session, agent: info.agent, of: call.path.turn_id })),
};

async function followTurn(
  service: Service,
  call: Call<(typeof turnStreamOperations)["followTurn" | "followMessage"]>,
  streamed: Pick<StreamedTurn, "session" | "agent" | "of">,
): Promise<Response> {
  const next = afterLastEvent(call.headers);
  const after = next === undefined ? call.query.after : next - 1;
  const place = service.waiters.enter(call.principal);
  try {
    return await openTurnStream(service, call, { ...streamed, ...present({ after }), resumed: next !== undefined, place });
  } catch (error) {
    place.leave();
    throw error;
  }
}

type ListCall = Call<(typeof deliveryOperations)["listEvents"]>;
type StreamCall = Call<(typeof deliveryOperations)["streamEvents"]>;

/** Handlers for reading events. */
export const deliveryRoutes: Handlers<keyof typeof deliveryOperations> = {
  async listEvents(service, call) {
    const isStream = wantsStream(call.query.format, call.headers);
    const reader = await readerOf(service, call);
    // Offset 0 means the first retained event.
    const minOffset = call.query.min_offset === 0 ? undefined : call.query.min_offset;
    return isStream ? streamOne(service, call, reader, minOffset) : answerPage(service, call, reader, minOffset);
  },
  async listEventSummaries(service, { path, query, principal }) {
    const { kinds, source, withdrawn, min_offset, max_offset, order = "asc", limit = 1000 } = query;
    checkWithdrawn(principal, withdrawn);
    const { info } = await sessionOf(service, principal, path.session_id);
    const row = await service.store.open({ session_id: info.id });
    if (row === undefined) throw new ThroughlineError("session.not_found");
    if (min_offset !== undefined && min_offset > 0 && min_offset < row.first_offset)
      throw new ThroughlineError("log.retained_from", undefined, { details: { first_offset: row.first_offset } });
    const reader = { session_id: info.id, agent: info.agent, principal, kinds: kindsFor(principal, kinds), ...present({ source, withdrawn }) };
    const range = { first: row.first_offset, head: row.head, minOffset: min_offset, maxOffset: max_offset, order };
    const page = await readSummaries(service, reader, { ...range, limit: Math.min(limit, service.limits.pageEvents) });
    return { status: 200, body: page };
  },
  streamEvents: (service, call) => (call.query.sessions === undefined ? streamAll(service, call) : streamMany(service, call, call.query.sessions)),
};

function checkWithdrawn(principal: Principal, withdrawn: boolean | undefined): void {
  if (withdrawn === true && customerOf(principal) !== undefined)
    throw new ThroughlineError("auth.forbidden", "A customer's token may not read withdrawn events.");
}

async function readerOf(service: Service, { path, query, principal }: ListCall): Promise<Reader> {
  const { kinds, source, trace_id, withdrawn } = query;
  checkWithdrawn(principal, withdrawn);
  const { info } = await sessionOf(service, principal, path.session_id);
  return {
    session_id: info.id,
    agent: info.agent,
    principal,
    kinds: kindsFor(principal, kinds),
    ...present({ source }),
    ...(source === "ai_agent" && kinds?.every((kind) => kind === "message") === true ? { replies: true } : {}),
    ...(trace_id === undefined ? {} : { traceId: trace_id as TraceId }),
    ...present({ withdrawn }),
  };
}

async function answerPage(service: Service, call: ListCall, reader: Reader, minOffset: number | undefined): Promise<Response> {
  const { query, headers } = call;
  const preferred = query.wait === undefined ? preferredWait(headers) : undefined;
  const seconds = query.wait ?? preferred;
  const options = { minOffset, limit: Math.min(query.limit ?? 100, service.limits.pageEvents) };
  const page =
    seconds === undefined || seconds === 0
      ? await readPage(service, reader, options)
      : await waitForPage(service, call, reader, { ...options, ms: Math.min(seconds * 1000, service.limits.waitMs) });
  const answered = new Headers({ "cache-control": "no-store", "next-offset": String(page.next_offset) });
  if (preferred !== undefined) answered.set("preference-applied", `wait=${preferred}`);
  if (seconds !== undefined && page.texts.length === 0) return new Response(null, { status: 204, headers: answered });
  answered.set("content-type", "application/json");
  if (page.next_offset <= page.head) answered.set("link", `<${addressOfNext(reader.session_id, query, page)}>; rel="next"`);
  return new Response(`{"items":[${page.texts.join(",")}],"next_offset":${page.next_offset},"head":${page.head}}`, { headers: answered });
}

/** Waits for a page with events. Returns an empty page when the time is over, the caller disconnects or the service stops. */
async function waitForPage(
  service: Service,
  { principal, signal }: ListCall,
  reader: Reader,
  { ms, ...options }: { readonly ms: number; readonly minOffset: number | undefined; readonly limit: number },
): Promise<Page> {
  const place = service.waiters.enter(principal);
  const over = new AbortController();
  const done = AbortSignal.any([signal, place.ended]);
  const timer = service.clock.sleep(ms, AbortSignal.any([done, over.signal])).then(
    () => over.abort(),
    () => {},
  );
  try {
    return await readPage(service, reader, { ...options, wait: AbortSignal.any([done, over.signal]) });
  } finally {
    place.leave();
    over.abort();
    await timer;
  }
}

function addressOfNext(session_id: SessionId, query: ListCall["query"], { next_offset }: Page): string {
  const { wait: _wait, format: _format, drafts: _drafts, idle: _idle, ...rest } = query;
  const parameters = new URLSearchParams(
    Object.entries({ ...rest, min_offset: next_offset }).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return `/v1/sessions/${session_id}/events?${parameters.toString()}`;
}

async function streamOne(service: Service, call: ListCall, reader: Reader, minOffset: number | undefined): Promise<Response> {
  refuseOfStream(call.query);
  const after = afterLastEvent(call.headers);
  const from = after ?? minOffset;
  const { session_id } = reader;
  const where = (positions: Positions): number => positions.get(session_id) ?? 0;
  const positions: Positions = new Map(from === undefined ? [] : [[session_id, from]]);
  return openStream(
    service,
    call,
    { readers: [reader], positions, resumed: after !== undefined },
    {
      id: (now) => (where(now) === 0 ? undefined : String(where(now) - 1)),
      where: (now) => String(where(now)),
    },
  );
}

const mostSessions = 100;

function sessionsOf(text: string): readonly SessionId[] {
  const ids = [...new Set(text.split(",").map((part) => part.trim()))].map((part) => parseSessionId(part));
  if (ids.length <= mostSessions) return ids;
  const message = `at most ${mostSessions} sessions`;
  throw new ThroughlineError("request.invalid", `A stream has ${message}, got ${seen(ids.length)}.`, {
    details: { errors: [{ pointer: "query/sessions", message }] },
  });
}

/** Throws `request.invalid` for a parameter of the other stream. */
function refuseTogether(name: string, isPresent: boolean, message: string): void {
  if (isPresent)
    throw new ThroughlineError("request.invalid", `\`${name}\`: ${message}.`, { details: { errors: [{ pointer: `query/${name}`, message }] } });
}

async function streamAll(service: Service, call: StreamCall): Promise<Response> {
  const { query, principal, headers } = call;
  if (customerOf(principal) !== undefined || principal.type === "stream")
    throw new ThroughlineError(
      "auth.forbidden",
      "The stream over all sessions needs an API key with the scope sessions:read. Tokens name `sessions`.",
    );
  refuseTogether("offsets", query.offsets !== undefined, "needs `sessions`; the stream over all sessions takes `after`");
  refuseTogether("drafts", query.drafts === true, "needs `sessions`; the stream over all sessions has no drafts");
  const last = headers.get("last-event-id") ?? "";
  return openAllStream(service, call, { kinds: kindsFor(principal, query.kinds), cursor: parseCursor(last === "" ? (query.after ?? "0") : last) });
}

async function streamMany(service: Service, call: StreamCall, sessions: string): Promise<Response> {
  const { query, principal, headers } = call;
  refuseTogether("after", query.after !== undefined, "belongs to the stream over all sessions, without `sessions`; several sessions take `offsets`");
  const ids = sessionsOf(sessions);
  const kinds = kindsFor(principal, query.kinds);
  const last = headers.get("last-event-id") ?? "";
  const resumed = last === "" ? undefined : parsePositions(last, "header/last-event-id");
  const given = query.offsets === undefined ? [] : [...parsePositions(query.offsets, "query/offsets")];
  const positions = new Map([...given, ...(resumed ?? [])].filter(([id, offset]) => offset > 0 && ids.includes(id)));
  const readers: Reader[] = [];
  const gone: SessionId[] = [];
  for (const id of ids) {
    const found = await sessionOf(service, principal, id).catch((error: unknown) => {
      // A reader with a position knew the session, so the stream reports it as gone and continues with the others.
      if (resumed?.has(id) === true && ThroughlineError.is(error, "session.not_found")) return gone.push(id);
      throw error;
    });
    if (typeof found !== "number") readers.push({ session_id: id, agent: found.info.agent, principal, kinds });
  }
  return openStream(
    service,
    call,
    { readers, gone, positions, resumed: resumed !== undefined },
    {
      id: (now) => (now.size === 0 ? undefined : formatPositions(now)),
      where: formatPositions,
    },
  );
}

/** A media type of an `Accept` header with its quality value. */
interface Wanted {
  readonly type: string;
  readonly quality: number;
}

function wantedTypes(accept: string): readonly Wanted[] {
  const wanted = accept.split(",").map((part): Wanted => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  return wanted.filter(({ quality }) => quality > 0).toSorted((left, right) => right.quality - left.quality);
}

const streamType = "text/event-stream";
const pageTypes: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/** Whether a request wants a stream instead of a page. The parameter `format` decides; otherwise `Accept` must name the stream type. */
function wantsStream(format: "json" | "sse" | undefined, headers: Headers): boolean {
  if (format !== undefined) return format === "sse";
  const accept = headers.get("accept");
  if (accept === null || accept.trim() === "") return false;
  const first = wantedTypes(accept).find(({ type }) => type === streamType || pageTypes.has(type));
  if (first !== undefined) return first.type === streamType;
  throw new ThroughlineError("request.not_acceptable", `Events are \`application/json\` or \`${streamType}\`, not ${seen(accept)}.`);
}

/** The seconds of `Prefer: wait=20` (RFC 7240). Other preferences are ignored. */
function preferredWait(headers: Headers): number | undefined {
  const match = /(?:^|,)\s*wait\s*=\s*"?(\d{1,5})"?\s*(?:[;,]|$)/i.exec(headers.get("prefer") ?? "");
  return match === null ? undefined : Number(match[1]);
}
