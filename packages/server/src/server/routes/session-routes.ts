/** Sessions, their usage and their safety assessments. */
import { exportSession, importBundle } from "throughline";
import { eventsOf, extensionsWith, present } from "throughline/internal";
import { ThroughlineError } from "throughline/kernel";
import type { safetyOperations, sessionOperations, usageOperations } from "../../protocol/operations/session-operations.ts";
import type { Session, SessionFilter, SessionInfo } from "throughline";
import type { SafetyLevel } from "throughline/safety";
import { decodeEvent } from "throughline/session";
import { type Handlers, inSession, ok, sessionOf } from "../request-call.ts";
import type { Service } from "../service.ts";
import { previewOfSession } from "../erasure-preview.ts";
import { customerOf, type Principal } from "../principal.ts";
import { toWireListed, toWireSession, writable } from "../to-wire.ts";

const addressOf = (id: string): string => `/v1/sessions/${id}`;

/** Members of a request that only integrations may set. */
interface Given {
  readonly customer_id?: string;
  readonly metadata?: unknown;
  readonly labels?: unknown;
}

function forbid(what: string): never {
  throw new ThroughlineError("auth.forbidden", `This token does not allow ${what}.`);
}

/** Whether the token is limited to named sessions. */
const isBound = (principal: Principal): boolean => principal.type === "stream" || (principal.type === "customer" && principal.session !== undefined);

/** Returns the customer for whom a session is opened. A customer's token opens sessions only for that customer and may not set metadata or labels. */
function openedFor(principal: Principal, { customer_id, metadata, labels }: Given): string | undefined {
  if (isBound(principal)) forbid("to open sessions");
  const customer = customerOf(principal);
  if (customer === undefined) return customer_id;
  if (metadata !== undefined || labels !== undefined) forbid("to set metadata or labels");
  if (customer_id !== undefined && customer_id !== customer) forbid("to open a session for another customer");
  return customer;
}

type Query = Parameters<(typeof sessionRoutes)["listSessions"]>[1]["query"];

/** Filters that a customer's token may use. The others would reveal integration data. */
const customersFilters: ReadonlySet<string> = new Set(["agent", "customer_id", "mode", "order", "limit", "cursor"]);

function filterOf(principal: Principal, query: Query): SessionFilter {
  const { customer_id, labels, external_id, "metadata.external_id": sameId, updated_from, updated_before, ...rest } = query;
  const customer = customerOf(principal);
  const other = Object.keys(query).find((name) => !customersFilters.has(name));
  if (customer !== undefined && other !== undefined) forbid(`to list sessions by ${other}`);
  if (external_id !== undefined && sameId !== undefined && external_id !== sameId)
    throw new ThroughlineError("request.invalid", "`external_id` and `metadata.external_id` are the same filter but have different values.", {
      details: { errors: [{ pointer: "query/external_id", message: "given twice" }] },
    });
  const whose = customer ?? customer_id;
  const externalId = external_id ?? sameId;
  return {
    ...rest,
    ...present({ customer: whose, labels, externalId, updatedFrom: updated_from, updatedBefore: updated_before }),
  };
}

const shown = (info: SessionInfo, principal: Principal) => ok(toWireSession(info, principal), info.version);
const created = async (session: Session, principal: Principal) =>
  ({ ...shown(await session.info(), principal), status: 201, location: addressOf(session.id) }) as const;

/** Handlers for sessions. */
export const sessionRoutes: Handlers<keyof typeof sessionOperations> = {
  async createSession({ runtime }, { body, principal, once }) {
    const { customer_id, greet = false, ...rest } = body;
    const session = await runtime.sessions.create({
      ...rest,
      ...present({ customer: customer_id }),
      ...once,
    });
    if (greet) await session.startTurn({ cause: "greeting", ...once });
    return created(session, principal);
  },
  async openSession({ runtime }, { body, principal }) {
    const { customer_id: _, ...rest } = body;
    const customer = openedFor(principal, body);
    const register = customerOf(principal) === undefined;
    const opened = runtime.sessions.openOrCreate({ ...rest, register, ...present({ customer }) });
    const { session, created: isNew } = await opened.catch((error: unknown) => {
      // The token's customer was erased after authentication.
      throw !register && ThroughlineError.is(error, "customer.not_found") ? new ThroughlineError("auth.invalid") : error;
    });
    const answer = await created(session, principal);
    return isNew ? answer : { ...answer, status: 200 };
  },
  async listSessions({ runtime }, { query, principal }) {
    if (isBound(principal)) forbid("to list sessions");
    const customer = customerOf(principal);
    // Does not reveal whether other customers have sessions.
    if (customer !== undefined && query.customer_id !== undefined && query.customer_id !== customer)
      return ok({ items: [], next_cursor: null, total: 0 });
    const page = await runtime.sessions.list({ ...filterOf(principal, query), ends: true });
    return ok({ ...page, items: page.items.map((session) => toWireListed(session, principal)) });
  },
  getSession: inSession(async ({ info }, { principal }) => {
    return shown(info, principal);
  }),
  updateSession: inSession(async ({ session }, { body, principal, condition, once }) => {
    return shown(await session.patch(body, { ...condition, ...once }), principal);
  }),
  async deleteSession(service, { path }) {
    await service.runtime.sessions.delete(path.session_id);
    return { status: 204, body: undefined };
  },
  previewSessionErasure: inSession(async ({ info }, _call, service) => {
    return ok(await previewOfSession(service, info));
  }),
  exportSession: inSession(async ({ session }, { query, cut, request_id }, { store, clock, logger }) => {
    const lines = exportSession(store, session.id, { ...query, clock });
    const broken = (error: unknown): boolean => {
      logger.warn("an export was cut off", { request_id, code: ThroughlineError.from(error).code }, error);
      cut?.();
      return cut !== undefined;
    };
    const headers = { "content-type": "application/x-ndjson", "cache-control": "no-store" };
    return new Response(bytesOf(lines, broken), { status: 200, headers });
  }),
  async importBundle(service, { body, signal }) {
    const { store, clock, ids } = service;
    const extensions = extensionsWith(service, "imported");
    const report = await importBundle(store, body.bundle.split("\n"), { clock, ids, extensions, signal }).catch((error: unknown) => {
      // Not kept as the answer of the idempotency key, so that the caller can send the request again.
      throw ThroughlineError.is(error, "aborted") ? new ThroughlineError("service.draining", undefined, { cause: error }) : error;
    });
    // The record of the audit log names the first ones.
    return { status: 201, body: report, objects: { sessions: Object.values(report.sessions).slice(0, 100).join(" ") } };
  },
  async deleteSessions({ runtime }, { query: { agent, customer_id } }) {
    const filter = present({ agent, customer: customer_id });
    return ok({ deleted: await runtime.sessions.deleteAll(filter) });
  },
  endEpisode: inSession(async ({ session }, { principal, once }) => {
    await session.endEpisode(once);
    return shown(await session.info(), principal);
  }),
  closeEpisode: inSession(async ({ session }, { once }) => {
    return ok(writable(await session.closeEpisode(once)));
  }),
  identifySession: inSession(async ({ session }, { body, principal, once }) => {
    const { customer_id, carry = false } = body;
    await session.identify({ customer: customer_id, carry, ...once });
    return shown(await session.info(), principal);
  }),
  forkSession: inSession(async ({ session }, { body, principal, once }) => {
    return created(await session.fork({ ...body, ...once }), principal);
  }),
};

/** Handlers for usage. */
export const usageRoutes: Handlers<keyof typeof usageOperations> = {
  async getCustomerUsage({ runtime }, { path }) {
    return ok(await runtime.customers.usage(path.customer_id));
  },
  getSessionUsage: inSession(async ({ session }) => {
    return ok(await session.usage());
  }),
};

/** Streams lines. If reading fails after the answer has begun, the connection is cut, so that the reader does not take a part for the whole. */
function bytesOf(lines: AsyncGenerator<string, void, undefined>, broken: (error: unknown) => boolean): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const line = await lines.next();
        if (line.done === true) controller.close();
        else controller.enqueue(encoder.encode(`${line.value}\n`));
      } catch (error) {
        if (!broken(error)) controller.error(error);
      }
    },
    cancel: async () => void (await lines.return()),
  });
}

/** The highest level of a session's assessments; undefined if there is no such session. */
async function safetyOfSession(service: Service, principal: Principal, id: string) {
  const found = await sessionOf(service, principal, id).catch((error: unknown) => {
    if (ThroughlineError.is(error, "session.not_found")) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const session_id = found.session.id;
  let highest: { readonly level: number; readonly offset: number; readonly at: number } | undefined;
  let assessments = 0;
  for await (const stored of eventsOf(service.store, { session_id, kinds: ["assessment"], withdrawn: true })) {
    const { kind, data, offset, created_at } = decodeEvent(stored);
    if (kind !== "assessment") continue;
    assessments += 1;
    if (data.level >= (highest?.level ?? 0)) highest = { level: data.level, offset, at: created_at };
  }
  return { session_id, level: highest?.level ?? null, ...present({ offset: highest?.offset, at: highest?.at }), assessments };
}

/** Narrows the level of a request, which its schema limits to 0 to 3. */
const levelOf = (level: number): SafetyLevel => (level === 0 || level === 1 || level === 2 ? level : 3);

/** Handlers for safety assessments, reports, feedback and consent. */
export const safetyRoutes: Handlers<keyof typeof safetyOperations> = {
  async listAssessments({ runtime }, { query }) {
    const { level, ...page } = query;
    const listed = await runtime.safety.assessments({ ...page, ...(level === undefined ? {} : { level: levelOf(level) }) });
    return ok({ ...listed, items: listed.items.map((record) => ({ ...writable(record) })) });
  },
  async listSessionSafety(service, { query, principal }) {
    const items = [];
    for (const id of new Set(query.sessions)) {
      const safety = await safetyOfSession(service, principal, id);
      if (safety !== undefined) items.push(safety);
    }
    return ok({ items });
  },
  async getSafetyReport({ runtime }, { query }) {
    return ok(writable(await runtime.safety.report(query)));
  },
  giveFeedback: inSession(async ({ session }, { body }) => {
    const { label, ...source } = body;
    const given = await session.feedback(label, source);
    if (given === null) return ok({ feedback: null });
    const { id, recorded_at, turn_count_at_end } = given;
    return ok({ feedback: { id, label: given.label, source: given.source, recorded_at, turn_count_at_end } });
  }),
  giveConsent: inSession(async ({ session }, { body, once }) => {
    const { text_version: textVersion, ...rest } = body;
    return ok({ offset: (await session.consent({ ...rest, textVersion, ...once })).offset });
  }),
};
