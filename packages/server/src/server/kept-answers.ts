/**
 * Answers requests with an `Idempotency-Key` once across processes and returns the first response to repeats. The response is a record. While a
 * request runs, the record is a lease, so another process can take over the request of a dead one. The effect still happens once, because the runtime
 * deduplicates by the same key.
 */
import { createHash, createHmac } from "node:crypto";
import { z } from "zod";
import { findRecord, isGone, processName, takenBackAfter } from "throughline/internal";
import { errorCatalogue, ThroughlineError, type OwnerId, type SessionId, canonicalJson, type Json } from "throughline/kernel";
import type { OperationId } from "../protocol/operations.ts";
import { memoryOperations } from "../protocol/operations/memory-operations.ts";
import { statusOf } from "../protocol/wire-problem.ts";
import type { RecordChange, RecordRow } from "throughline/store";
import { callerOf } from "./principal.ts";
import { writeRecords } from "./service-records.ts";
import type { Answered, NamedRequest, Service } from "./service.ts";
import { problemOf } from "./to-wire.ts";

/** The record kind of stored responses. */
const responseKind = "response";
/** Retention of a response in milliseconds: one day. */
const keepMs = 86_400_000;
/** Milliseconds before another process may take over an unanswered request. */
const leaseMs = 30_000;
/** Maximum body size in characters. A larger body is not stored; the handler runs again and the runtime deduplicates. */
const largestBody = 256 * 1024;
const keptHeaders = ["content-type", "etag", "location", "cache-control"] as const;

const stored = z.discriminatedUnion("state", [
  z.object({ state: z.literal("open"), request: z.string(), holder: z.string(), until: z.number() }),
  z.object({
    state: z.literal("answered"),
    request: z.string(),
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    /** Absent if the body was too large or holds a token. */
    body: z.string().exactOptional(),
  }),
]);
type Stored = z.output<typeof stored>;

const hash = (...parts: readonly string[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/**
 * Derives a key from the caller, the session and the `Idempotency-Key`. The hash reveals nothing about the caller and never collides with another
 * caller's. A token for one session has separate keys, because its responses show less.
 */
export const keyOf = ({ principal, path, key }: Pick<NamedRequest, "principal" | "path" | "key">): string =>
  hash(callerOf(principal), principal.type === "customer" ? (principal.session ?? "") : "", path["session_id"] ?? "", key);

/**
 * Returns a hash that is equal for equal requests. It is keyed by the `Idempotency-Key`, which is not stored, because the record may outlive the person
 * whose text the body is.
 */
function requestHash(named: NamedRequest): string {
  return createHmac("sha256", named.key)
    .update(JSON.stringify(partsOf(named)))
    .digest("base64url");
}

/** Returns the hash that versions before decision 360 stored. Their answers are kept for 24 hours. */
const unkeyedHash = (named: NamedRequest): string => hash(...partsOf(named));

const partsOf = ({ operation, target, ifVersion, body }: NamedRequest): readonly string[] => [
  operation,
  target,
  String(ifVersion ?? ""),
  body === "" ? "" : canonicalJson(JSON.parse(body) as Json),
];

/** Whether an error is final. Temporary failures are not stored. */
const isDecision = (error: ThroughlineError): boolean => statusOf(error.code) < 500 && !errorCatalogue[error.code].retryable;

type Context = Pick<Service, "store" | "clock" | "ids" | "logger" | "runtime" | "draining">;

/** Creates the store of idempotent responses. */
export function createAnswered(service: Context): Answered {
  const own = `${processName()}/${service.ids.trace().slice(0, 8)}/`;
  /** Running requests of this process, one holder each. */
  const atWork = new Set<string>();
  let count = 0;
  // For its own requests, a process knows which ones still run.
  const isAbandoned = (holder: string): boolean => (holder.startsWith(own) ? !atWork.has(holder) : isGone(holder));
  return {
    async once(named, answer) {
      const request = requestHash(named);
      const key = keyOf(named);
      const holder = `${own}${(count += 1)}`;
      atWork.add(holder);
      const letGo = (): void => void letGoOf(service, { key, holder });
      try {
        const taken = await take(service, {
          key,
          request,
          isRequest: (kept) => kept === request || kept === unkeyedHash(named),
          holder,
          isAbandoned,
        }).catch((error: unknown) => {
          // The lease may or may not have been written.
          if (!ThroughlineError.is(error, "request.in_progress", "request.key_reused")) letGo();
          throw error;
        });
        if (taken.state === "answered") return await replay(service, named, taken, answer);
        const give = giveOf(service, { key, version: taken.version, operation: named.operation, letGo });
        return await answeredOnce(service, named, { request, give, answer });
      } finally {
        atWork.delete(holder);
      }
    },
  };
}

/** Runs a request whose lease was taken and stores the response. */
async function answeredOnce(
  service: Context,
  named: NamedRequest,
  { request, give, answer }: { readonly request: string; readonly give: Give; readonly answer: () => Promise<Response> },
): Promise<Response> {
  let response: Response;
  try {
    response = await answer();
  } catch (error) {
    const known = ThroughlineError.from(error);
    if (!isDecision(known)) {
      await give({ data: null });
      throw error;
    }
    response = problemOf(known, { request_id: named.request_id, logger: service.logger });
  }
  return keep(service, named, { request, response, give });
}

/** Delays between attempts to release a lease, in milliseconds. Their sum is shorter than the lease. */
const pausesMs = [100, 400, 1_600, 6_400, 15_000];

/** Deletes the lease of an unfinished request as soon as the database accepts writes, so that other processes need not wait for its expiry. */
async function letGoOf(service: Context, { key, holder }: { readonly key: string; readonly holder: string }): Promise<void> {
  for (const pause of pausesMs)
    try {
      await service.clock.sleep(pause, service.draining);
      const found = await findRecord(service.store, responseKind, key);
      if (found === undefined) return;
      const data = stored.parse(found.data);
      if (data.state === "open" && data.holder === holder)
        await writeRecords(service, { kind: responseKind, key, depends: { version: found.version }, data: null, expires_at: service.clock.now() });
      return;
    } catch {
      if (service.draining.aborted) return;
    }
}

type Give = (change: Pick<RecordChange, "data" | "owner_id" | "session_id">) => Promise<void>;

/** Replaces the lease with the response. If saving fails, the response was still sent; on a retry the runtime deduplicates. */
function giveOf(
  service: Context,
  { key, version, operation, letGo }: { readonly key: string; readonly version: number; readonly operation: string; readonly letGo: () => void },
): Give {
  const write = (change: Parameters<Give>[0]): ReturnType<typeof writeRecords> =>
    writeRecords(service, { kind: responseKind, key, depends: { version }, expires_at: service.clock.now() + keepMs, ...change });
  return async (change) => {
    try {
      const result = await write(change);
      const isErased = result.outcome === "refused" && (result.reason === "session_missing" || result.reason === "owner_missing");
      if (isErased) await write({ data: null });
    } catch (error) {
      service.logger.warn("a response was not stored", { operation, code: ThroughlineError.from(error).code }, error);
      letGo();
    }
  };
}

/** Takes the lease of a new request, or returns the stored response. Throws `request.in_progress` or `request.key_reused`. */
async function take(
  service: Context,
  {
    key,
    request,
    isRequest,
    holder,
    isAbandoned,
  }: {
    readonly key: string;
    readonly request: string;
    readonly isRequest: (kept: string) => boolean;
    readonly holder: string;
    readonly isAbandoned: (holder: string) => boolean;
  },
): Promise<{ readonly state: "open"; readonly version: number } | Replayable> {
  let current: RecordRow | undefined;
  // Most requests are new, so the lease is written without a read first.
  for (;;) {
    const now = service.clock.now();
    const version = current?.version ?? 0;
    const data = { state: "open", request, holder, until: now + leaseMs };
    const written = await writeRecords(service, { kind: responseKind, key, depends: { version }, data, expires_at: now + keepMs });
    if (written.outcome === "committed") return { state: "open", version: version + 1 };
    current = await findRecord(service.store, responseKind, key);
    if (current === undefined) continue;
    const found = stored.parse(current.data);
    if (!isRequest(found.request)) throw new ThroughlineError("request.key_reused");
    if (found.state === "answered") return { ...found, created_at: current.created_at };
    if (service.clock.now() < found.until && !isAbandoned(found.holder))
      throw new ThroughlineError("request.in_progress", undefined, { details: { retry_after: 1 } });
  }
}

const replayed = (response: Response): Response => {
  response.headers.set("idempotent-replayed", "true");
  return response;
};

/** A stored response and the time when its request was first accepted. */
type Replayable = Extract<Stored, { state: "answered" }> & Pick<RecordRow, "created_at">;

/** Operations that return a token or a secret. A stored one could be returned after its revocation, so these run again. */
const tokenOperations = ["createToken", "createStreamToken", "rotateWebhookSecret", "createKey"] as const satisfies readonly OperationId[];
const givesToken = ({ operation }: NamedRequest, status: number): boolean => status < 400 && tokenOperations.some((id) => id === operation);

async function replay(service: Context, named: NamedRequest, kept: Replayable, answer: () => Promise<Response>): Promise<Response> {
  const { status, headers, body } = kept;
  if (givesToken(named, status)) return answer();
  if (body === undefined) return replayed(await answer());
  if (!(await mayQuoteForgotten(service, named, kept))) return replayed(new Response(body === "" ? null : body, { status, headers }));
  // For a posted event the runtime deduplicates by key and returns the remaining data. A memory change would be applied twice.
  if (named.operation in memoryOperations) throw new ThroughlineError("request.answer_removed");
  return replayed(await answer());
}

/** Memory changes whose responses contain only numbers. */
const countsAlone = /^(?:forget|clear|update(?:Customer|Session)Memory$)/u;

/** Whether an operation's responses can contain a person's text, as messages or memory entries. */
const canQuote = (operation: string): boolean => operation === "postEvent" || (operation in memoryOperations && !countsAlone.test(operation));

/** Whether text was retracted from this owner's data after the request arrived. The stored response may quote it. */
async function mayQuoteForgotten(service: Context, named: NamedRequest, { headers, body = "", created_at }: Replayable): Promise<boolean> {
  if (body === "" || !canQuote(named.operation)) return false;
  const owner = await ownerOfAnswer(service, named, { location: headers["location"] ?? null, body });
  if (owner === undefined) return false;
  const owner_id = "owner_id" in owner ? owner.owner_id : (await service.store.open(owner))?.owner_id;
  return owner_id !== undefined && takenBackAfter(service.store, owner_id, created_at);
}

/** Whether a request starts a run. The answer quotes nothing of the input, so it needs no owner. */
const startsRun = ({ operation }: NamedRequest): boolean => operation === "startRun";

/** Stores a response and returns it. */
async function keep(
  service: Context,
  named: NamedRequest,
  { request, response, give }: { readonly request: string; readonly response: Response; readonly give: Give },
): Promise<Response> {
  const { status } = response;
  const body = await response.text();
  const headers = Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const location = response.headers.get("location");
  const owner = await ownerOfAnswer(service, named, { location, body }).catch(() => undefined);
  // Text of a person is erased with that person, so the record needs an owner. An error without an existing owner is decided again on a repeat. The
  // same applies to a created object that is gone.
  const isKept = owner !== undefined || (response.ok && (location === null || startsRun(named)));
  const answered = { state: "answered", request, status, headers, ...(body.length > largestBody || givesToken(named, status) ? {} : { body }) };
  await give({ data: isKept ? answered : null, ...owner });
  return new Response(body === "" ? null : body, { status, headers: response.headers });
}

/** Members of a request or response body that identify its owner. */
const mentions = z.object({
  id: z.string().optional().catch(undefined),
  customer_id: z.string().optional().catch(undefined),
  sessions: z.array(z.string()).optional().catch(undefined),
});

const located = /^\/v1\/(sessions|customers)\/([^/]+)/;

/** The session that a response is about, or else the customer's owner. Undefined if neither exists. */
async function ownerOfAnswer(
  { store, runtime }: Pick<Service, "store" | "runtime">,
  { path, body: requestBody }: NamedRequest,
  { location, body }: { readonly location: string | null; readonly body: string },
): Promise<{ readonly session_id: SessionId } | { readonly owner_id: OwnerId } | undefined> {
  const [, kind, name] = located.exec(location ?? "") ?? [];
  const made = name === undefined ? undefined : decodeURIComponent(name);
  const request = mentionsOf(requestBody);
  const answer = mentionsOf(body);
  const sessions = [path["session_id"], kind === "sessions" ? made : undefined, answer.id, request.sessions?.[0]];
  for (const id of sessions) {
    if (id?.startsWith("ses_") !== true) continue;
    const session = await store.open({ session_id: id as SessionId });
    if (session !== undefined) return { session_id: session.session_id };
  }
  const customers = [path["customer_id"], kind === "customers" ? made : undefined, request.customer_id, request.id];
  for (const id of customers) {
    const customer = id === undefined ? undefined : await runtime.customers.find(id);
    if (customer !== undefined) return { owner_id: customer.owner_id };
  }
  return undefined;
}

function mentionsOf(text: string): z.output<typeof mentions> {
  try {
    return mentions.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}
