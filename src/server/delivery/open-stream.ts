import { ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { refused } from "../../extension/commit.ts";
import type { EventSource } from "../../store/port.ts";
import type { Principal } from "../principal.ts";
import type { Service } from "../service.ts";
import { EventStream, type EventStreamOptions } from "./event-stream.ts";
import { draftFrame } from "./frames.ts";
import type { Positions } from "./positions.ts";
import type { Reader } from "./reader.ts";
import { itemsOf, type Item } from "./session-items.ts";

/** What of the request a stream goes by. */
export interface StreamRequest {
  readonly principal: Principal;
  readonly request_id: string;
  readonly signal: AbortSignal;
  readonly cut?: (() => void) | undefined;
  readonly query: { readonly drafts?: boolean; readonly idle?: number; readonly source?: EventSource };
}

/** What a stream reads. */
export interface Streamed {
  readonly readers: readonly Reader[];
  /** Sessions that the reader knows and that are not there any more. */
  readonly gone?: readonly SessionId[];
  readonly positions: Positions;
  /** The reader was cut and has come back: what it has of drafts is void. */
  readonly resumed: boolean;
}

/** Opens a stream of server-sent events. What is wrong with the request is said before its headers are sent. */
export async function openStream(
  service: Service,
  request: StreamRequest,
  streamed: Streamed,
  form: Pick<EventStreamOptions, "id" | "where">,
): Promise<Response> {
  const { readers, positions, resumed, gone = [] } = streamed;
  const { principal, query, request_id, signal, cut } = request;
  for (const reader of readers) await checkPosition(service, reader, positions.get(reader.session_id));
  const place = service.waiters.enter(principal);
  const stream = new EventStream(service, {
    ...form,
    positions,
    place,
    request_id,
    cut,
    left: leftOf(service, signal),
    idleMs: query.idle === undefined ? undefined : query.idle * 1000,
    first: resumed ? readers.flatMap((reader) => (hasDrafts(reader, query.drafts) ? [resumedFrame(reader)] : [])).join("") : "",
    open: (ended) => [
      ...gone.map(goneOf),
      ...readers.map((reader) =>
        itemsOf(service, reader, { minOffset: positions.get(reader.session_id), drafts: hasDrafts(reader, query.drafts), signal: ended }),
      ),
    ],
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
  return new Response(stream.body(), { headers });
}

/** A stream goes on when the service stops, to say so; it ends when its reader leaves. */
function leftOf({ draining }: Service, signal: AbortSignal): AbortSignal {
  const left = new AbortController();
  signal.addEventListener("abort", () => draining.aborted || left.abort(), { once: true });
  return left.signal;
}

/** Drafts are of messages that are not in the log yet, so that only whoever reads all messages as they come is shown them. */
const hasDrafts = ({ kinds, source, traceId, withdrawn }: Reader, wanted = true): boolean =>
  wanted && kinds.includes("message") && source === undefined && traceId === undefined && withdrawn !== true;

const resumedFrame = ({ session_id }: Reader): string => draftFrame({ type: "draft.reset", session_id, reason: "resumed" });

async function* goneOf(session_id: SessionId): AsyncGenerator<Item, void, undefined> {
  yield { type: "gone", session_id };
}

/** `log.retained_from` if the log does not reach back that far. */
async function checkPosition({ store }: Service, { session_id }: Reader, minOffset: number | undefined): Promise<void> {
  if (minOffset === undefined) return;
  const page = await store.read({ session_id, min_offset: minOffset, limit: 1 });
  if (page === undefined) throw refused({ reason: "session_missing" }, session_id);
}

/** `request.invalid` for parameters that mean something for a page alone. */
export function refuseOfStream(query: { readonly limit?: number; readonly wait?: number }): void {
  for (const name of ["limit", "wait"] as const) {
    if (query[name] === undefined) continue;
    const errors = [{ pointer: `query/${name}`, message: "a stream has none" }];
    throw new ThroughlineError("request.invalid", `A stream takes no \`${name}\`: it goes on for as long as it is read.`, { details: { errors } });
  }
}
