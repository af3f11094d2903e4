/**
 * Requests that name themselves: answered once, in any process, and with the first answer from then on. The answer is a record. While it is looked for
 * the record is a lease, so that the request of a process that has died is taken up again; its effect is there once, because the runtime knows its key.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import { findRecord } from "../extension/lists.ts";
import { errorCatalogue } from "../kernel/error-catalogue.ts";
import { ThroughlineError } from "../kernel/error.ts";
import type { OwnerId, SessionId } from "../kernel/id.ts";
import { canonicalJson, type Json } from "../kernel/json.ts";
import { isGone, processName } from "../kernel/process.ts";
import { takenBackAfter } from "../memory/turn/taken-back.ts";
import type { OperationId } from "../protocol/operations.ts";
import { memoryOperations } from "../protocol/operations/memory-operations.ts";
import { statusOf } from "../protocol/wire-problem.ts";
import type { RecordChange, RecordRow } from "../store/port.ts";
import { callerOf } from "./principal.ts";
import { writeRecords } from "./records.ts";
import type { Answered, NamedRequest, Service } from "./service.ts";
import { problemOf } from "./to-problem.ts";

/** The kind of an answer's record. */
const responseKind = "response";
/** An answer is kept for so long. */
const keepMs = 86_400_000;
/** Whoever looks for an answer has so long before another process does. */
const leaseMs = 30_000;
/** A larger body is not kept: the runtime is asked again, which knows what it did. */
const largestBody = 256 * 1024;
const keptHeaders = ["content-type", "etag", "location", "cache-control"] as const;

const stored = z.discriminatedUnion("state", [
  z.object({ state: z.literal("open"), request: z.string(), holder: z.string(), until: z.number() }),
  z.object({
    state: z.literal("answered"),
    request: z.string(),
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    /** Absent if it was too large, or a token. */
    body: z.string().exactOptional(),
  }),
]);
type Stored = z.output<typeof stored>;

const hash = (...parts: readonly string[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/**
 * A caller's key for the session that the request is about: it says nothing of the caller, and nobody else has the same. A token for one session has keys
 * of its own, since it is shown less.
 */
export const keyOf = ({ principal, path, key }: Pick<NamedRequest, "principal" | "path" | "key">): string =>
  hash(callerOf(principal), principal.type === "customer" ? (principal.session ?? "") : "", path["session_id"] ?? "", key);

/** The same for two requests that ask for the same. */
function requestHash({ operation, target, ifVersion, body }: NamedRequest): string {
  const text = body === "" ? "" : canonicalJson(JSON.parse(body) as Json);
  return hash(operation, target, String(ifVersion ?? ""), text);
}

/** Whether an error is a decision: what may pass is not kept. */
const isDecision = (error: ThroughlineError): boolean => statusOf(error.code) < 500 && !errorCatalogue[error.code].retryable;

type Context = Pick<Service, "store" | "clock" | "ids" | "logger" | "runtime" | "draining">;

/** Answers of a service, kept in its store. */
export function createAnswered(service: Context): Answered {
  const own = `${processName()}/${service.ids.trace().slice(0, 8)}/`;
  /** Who of this process looks for an answer: each request by itself. */
  const atWork = new Set<string>();
  let count = 0;
  // Of its own requests a process knows whether they are still under way.
  const isAbandoned = (holder: string): boolean => (holder.startsWith(own) ? !atWork.has(holder) : isGone(holder));
  return {
    async once(named, answer) {
      const request = requestHash(named);
      const key = keyOf(named);
      const holder = `${own}${(count += 1)}`;
      atWork.add(holder);
      const letGo = (): void => void letGoOf(service, { key, holder });
      try {
        const taken = await take(service, { key, request, holder, isAbandoned }).catch((error: unknown) => {
          // Whether the lease was written is not known.
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

/** Looks for the answer to a request that was taken up, and keeps it. */
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

/** Waits between tries to let go of a request; in all they are shorter than the lease. */
const pausesMs = [100, 400, 1_600, 6_400, 15_000];

/** Removes the lease of a request that nobody answers any more, so that no other process waits for its end: as soon as the database takes it. */
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

/** Puts the answer in the place of the lease. Whoever cannot has given the answer all the same: asked again, the runtime knows what it did. */
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
      service.logger.warn("an answer was not kept", { operation, code: ThroughlineError.from(error).code });
      letGo();
    }
  };
}

/** Takes up a request that nobody has answered; else what was answered. `request.in_progress`, `request.key_reused`. */
async function take(
  service: Context,
  {
    key,
    request,
    holder,
    isAbandoned,
  }: { readonly key: string; readonly request: string; readonly holder: string; readonly isAbandoned: (holder: string) => boolean },
): Promise<{ readonly state: "open"; readonly version: number } | Replayable> {
  let current: RecordRow | undefined;
  // Most requests are new: they are taken without a look.
  for (;;) {
    const now = service.clock.now();
    const version = current?.version ?? 0;
    const data = { state: "open", request, holder, until: now + leaseMs };
    const written = await writeRecords(service, { kind: responseKind, key, depends: { version }, data, expires_at: now + keepMs });
    if (written.outcome === "committed") return { state: "open", version: version + 1 };
    current = await findRecord(service.store, responseKind, key);
    if (current === undefined) continue;
    const found = stored.parse(current.data);
    if (found.request !== request) throw new ThroughlineError("request.key_reused");
    if (found.state === "answered") return { ...found, created_at: current.created_at };
    if (service.clock.now() < found.until && !isAbandoned(found.holder))
      throw new ThroughlineError("request.in_progress", undefined, { details: { retry_after: 1 } });
  }
}

const replayed = (response: Response): Response => {
  response.headers.set("idempotent-replayed", "true");
  return response;
};

/** An answer that was kept, and when its request was first taken up. */
type Replayable = Extract<Stored, { state: "answered" }> & Pick<RecordRow, "created_at">;

/** Operations that give a token. A kept token could be given again after its revocation, so they are answered anew. */
const tokenOperations = ["createToken", "createStreamToken"] as const satisfies readonly OperationId[];
const givesToken = ({ operation }: NamedRequest, status: number): boolean => status < 400 && tokenOperations.some((id) => id === operation);

async function replay(service: Context, named: NamedRequest, kept: Replayable, answer: () => Promise<Response>): Promise<Response> {
  const { status, headers, body } = kept;
  if (givesToken(named, status)) return answer();
  if (body === undefined) return replayed(await answer());
  if (!(await mayQuoteForgotten(service, named, kept))) return replayed(new Response(body === "" ? null : body, { status, headers }));
  // For a posted event the runtime knows by the key what it did, and answers with what is left. A change of a memory would be done twice.
  if (named.operation in memoryOperations) throw new ThroughlineError("request.answer_removed");
  return replayed(await answer());
}

/** Changes of a memory whose answers are numbers. */
const countsAlone = /^(?:forget|clear|update(?:Customer|Session)Memory$)/u;

/** Whether an operation's answers can hold words of a person: messages, or what is remembered. */
const canQuote = (operation: string): boolean => operation === "postEvent" || (operation in memoryOperations && !countsAlone.test(operation));

/** Whether words of the person that an answer is about were taken back since its request came: the answer may quote them. */
async function mayQuoteForgotten(service: Context, named: NamedRequest, { headers, body = "", created_at }: Replayable): Promise<boolean> {
  if (body === "" || !canQuote(named.operation)) return false;
  const owner = await ownerOfAnswer(service, named, { location: headers["location"] ?? null, body });
  if (owner === undefined) return false;
  const owner_id = "owner_id" in owner ? owner.owner_id : (await service.store.open(owner))?.owner_id;
  return owner_id !== undefined && takenBackAfter(service.store, owner_id, created_at);
}

/** Keeps an answer, and returns it. */
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
  // What may hold a person's words goes with that person. An error about nobody who is there is decided anew, and so is what was made and is gone.
  const isKept = owner !== undefined || (response.ok && location === null);
  const answered = { state: "answered", request, status, headers, ...(body.length > largestBody || givesToken(named, status) ? {} : { body }) };
  await give({ data: isKept ? answered : null, ...owner });
  return new Response(body === "" ? null : body, { status, headers: response.headers });
}

/** What of a request's body may say whose its answer is. */
const mentions = z.object({
  id: z.string().optional().catch(undefined),
  customer_id: z.string().optional().catch(undefined),
  sessions: z.array(z.string()).optional().catch(undefined),
});

const located = /^\/v1\/(sessions|customers)\/([^/]+)/;

/** The session that an answer is about, else the customer's owner; undefined if it is about nobody who is there. */
async function ownerOfAnswer(
  { store, runtime }: Pick<Service, "store" | "runtime">,
  { path, body: asked }: NamedRequest,
  { location, body }: { readonly location: string | null; readonly body: string },
): Promise<{ readonly session_id: SessionId } | { readonly owner_id: OwnerId } | undefined> {
  const [, kind, name] = located.exec(location ?? "") ?? [];
  const made = name === undefined ? undefined : decodeURIComponent(name);
  const request = mentionsOf(asked);
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
