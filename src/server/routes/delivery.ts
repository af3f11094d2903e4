/** How events reach those who read them. */
import { ThroughlineError, seen } from "../../kernel/error.ts";
import { parseSessionId, type SessionId, type TraceId } from "../../kernel/id.ts";
import type { deliveryOperations } from "../../protocol/operations/delivery.ts";
import { sessionOf } from "../session-of.ts";
import type { Call, Handlers } from "../call.ts";
import { preferredWait, wantsStream } from "../delivery/accept.ts";
import { openStream, refuseOfStream } from "../delivery/open-stream.ts";
import { afterLastEvent, formatPositions, parsePositions, type Positions } from "../delivery/positions.ts";
import { readPage, type Page } from "../delivery/read-page.ts";
import { kindsFor, type Reader } from "../delivery/reader.ts";
import { customerOf } from "../principal.ts";
import type { Service } from "../service.ts";

type ListCall = Call<(typeof deliveryOperations)["listEvents"]>;
type StreamCall = Call<(typeof deliveryOperations)["streamEvents"]>;

/** Events. */
export const deliveryRoutes: Handlers<keyof typeof deliveryOperations> = {
  async listEvents(service, call) {
    const isStream = wantsStream(call.query.format, call.headers);
    const reader = await readerOf(service, call);
    // The log's beginning, wherever retention has moved it.
    const minOffset = call.query.min_offset === 0 ? undefined : call.query.min_offset;
    return isStream ? streamOne(service, call, reader, minOffset) : answerPage(service, call, reader, minOffset);
  },
  streamEvents: (service, call) => streamMany(service, call),
};

async function readerOf(service: Service, { path, query, principal }: ListCall): Promise<Reader> {
  const { kinds, source, trace_id, withdrawn } = query;
  if (withdrawn === true && customerOf(principal) !== undefined)
    throw new ThroughlineError("auth.forbidden", "A customer's token does not read what was taken back.");
  const { info } = await sessionOf(service, principal, path.session_id);
  return {
    session_id: info.id,
    agent: info.agent,
    principal,
    kinds: kindsFor(principal, kinds),
    ...(source === undefined ? {} : { source }),
    ...(source === "ai_agent" && kinds?.every((kind) => kind === "message") === true ? { replies: true } : {}),
    ...(trace_id === undefined ? {} : { traceId: trace_id as TraceId }),
    ...(withdrawn === undefined ? {} : { withdrawn }),
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

/** A page that is not empty, or the one there is when the time is over, the caller leaves, or the service stops. */
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

async function streamMany(service: Service, call: StreamCall): Promise<Response> {
  const { query, principal, headers } = call;
  const ids = sessionsOf(query.sessions);
  const kinds = kindsFor(principal, query.kinds);
  const last = headers.get("last-event-id") ?? "";
  const resumed = last === "" ? undefined : parsePositions(last, "header/last-event-id");
  const given = query.offsets === undefined ? [] : [...parsePositions(query.offsets, "query/offsets")];
  const positions = new Map([...given, ...(resumed ?? [])].filter(([id, offset]) => offset > 0 && ids.includes(id)));
  const readers: Reader[] = [];
  const gone: SessionId[] = [];
  for (const id of ids) {
    const found = await sessionOf(service, principal, id).catch((error: unknown) => {
      // Whoever has read it may know that it is gone, and goes on with the others.
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
