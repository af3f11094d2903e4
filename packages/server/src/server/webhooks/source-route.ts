/**
 * Receives webhooks: `POST /webhooks/{name}`. What a delivery does is committed before it is acknowledged. The sender repeats a delivery that was not
 * acknowledged, and the keys in the commits of its effects let each of them happen once.
 */
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import type { Session } from "throughline";
import { changeOf, findRecord, present } from "throughline/internal";
import { agentOf, changeVariables, type VariablesOf } from "throughline/internal/runtime";
import { isPlainObject, type Json, seen, ThroughlineError } from "throughline/kernel";
import type { IdempotencyOptions } from "throughline/session";
import { agentOwnerId, type RecordChange } from "throughline/store";
import type { Environment } from "../app.ts";
import { statusOf } from "../../protocol/wire-problem.ts";
import { readBytes, readJson, readText } from "../request-call.ts";
import { writeRecords } from "../service-records.ts";
import type { Service } from "../service.ts";
import { deliveryIdOf, signatureOf } from "./source-signature.ts";
import type { WebhookDelivery, WebhookEffect, WebhookPlace, WebhookSource } from "./webhook-source.ts";

/** The records of deliveries whose effects have happened. They hold no data of the delivery. */
const receivedKind = "webhook_received";
/** Milliseconds for which they are kept. Senders repeat a delivery for up to three days. */
const receivedMs = 7 * 86_400_000;

const path = "/webhooks/:name";

/** What became of a request. */
export type ReceivedResult = "accepted" | "repeated" | "unsigned" | "limited" | "refused" | "failed";

/** Options of the route. */
export interface SourceRouteOptions {
  readonly sources: readonly WebhookSource[];
  /** Called with what became of each request for a source. */
  readonly counted?: (source: string, result: ReceivedResult) => void;
}

/** Adds the route to an application. An unknown name is answered as every address at which there is nothing. */
export function addSourceRoute(app: Hono<Environment>, service: Service, { sources, counted = () => {} }: SourceRouteOptions): void {
  const byName = new Map(sources.map((source) => [source.name, source]));
  if (byName.size < sources.length) throw new ThroughlineError("input.invalid", "Two webhook sources have one name.");
  app.post(path, async (context, next) => {
    const source = byName.get(context.req.param("name"));
    if (source === undefined) return next();
    context.set("route", "/webhooks/{name}");
    const { headers } = context.req.raw;
    const bytes = await readBytes(context.req.raw, service.limits.bodyBytes).catch((error: unknown) => {
      counted(source.name, "refused");
      throw error;
    });
    const signature = signatureOf(source.scheme, source.secrets, { headers, bytes, now: service.clock.now() });
    if (signature === undefined) {
      service.logger.warn("a webhook without a valid signature was refused", { webhook: source.name });
      counted(source.name, "unsigned");
      return new Response(null, { status: 401 });
    }
    // After the check of the signature, so that nobody else can use up the limit.
    const rate = await service.rates.takeSource(source.name);
    if (rate.retryAfter !== undefined) {
      counted(source.name, "limited");
      throw new ThroughlineError("limit.rate", undefined, { details: { retry_after: rate.retryAfter } });
    }
    try {
      const body = bodyIn(headers, bytes);
      const challenge = source.scheme === "slack" && isPlainObject(body) && body["type"] === "url_verification" ? body["challenge"] : undefined;
      if (typeof challenge === "string") {
        counted(source.name, "accepted");
        return new Response(challenge, { headers: { "content-type": "text/plain; charset=utf-8" } });
      }
      const { id, known } = deliveryIdOf(source.scheme, { headers, body, signature });
      counted(source.name, await receive(service, source, { delivery: { id, headers: shownHeaders(headers), body }, known }));
    } catch (error) {
      const { code } = ThroughlineError.from(error);
      const isOurs = statusOf(code) >= 500;
      // The message of a refusal may quote the delivery.
      if (isOurs) service.logger.error("a webhook was not accepted", { webhook: source.name, code }, error);
      else service.logger.warn("a webhook was not accepted", { webhook: source.name, code });
      counted(source.name, isOurs ? "failed" : "refused");
      throw error;
    }
    return new Response(null, { status: 200 });
  });
}

/** Reads a body as JSON, or as a form. */
function bodyIn(headers: Headers, bytes: Uint8Array): Json {
  const text = readText(bytes);
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "")) return readJson(text);
  const fields: Readonly<Record<string, string>> = Object.fromEntries(new URLSearchParams(text));
  const { payload } = fields;
  return payload === undefined ? readJson(JSON.stringify(fields)) : { ...fields, payload: readJson(payload) };
}

/** The headers without those that prove who sent the request. */
const shownHeaders = (headers: Headers): Readonly<Record<string, string>> =>
  Object.fromEntries([...headers].filter(([name]) => !/^(?:authorization|proxy-authorization|cookie)$|signature/.test(name)));

/** Applies the effects of a delivery, unless they have happened. */
async function receive(
  service: Service,
  source: WebhookSource,
  { delivery, known }: { readonly delivery: WebhookDelivery; readonly known: string },
): Promise<"accepted" | "repeated"> {
  const { store, logger } = service;
  const key = `${source.name}/${createHash("sha256").update(known).digest("hex")}`;
  if ((await findRecord(store, receivedKind, key)) !== undefined) return "repeated";
  /** Writes, unless an earlier attempt has written for a body or a configuration that differed. */
  const write = async (work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!ThroughlineError.is(error, "session.idempotency_mismatch")) throw error;
      logger.warn("a repeated webhook differs from the first one, which counts", { webhook: source.name });
    }
  };
  for (const [index, effect] of source.effects(delivery).entries())
    await apply(service, effect, { write, idempotencyKey: `webhook ${key} ${index}` });
  const received: RecordChange = { kind: receivedKind, key, data: {}, keep_ms: receivedMs };
  await writeRecords(service, received);
  return "accepted";
}

/** The members of an effect's place. */
const placeMembers = ["session_id", "agent", "customer", "key"] as const;

async function apply(
  service: Service,
  effect: WebhookEffect,
  { write, ...once }: Required<IdempotencyOptions> & { readonly write: (work: Promise<unknown>) => Promise<void> },
): Promise<void> {
  // A function may return what a delivery does not have. Left out, it would select another session.
  const given: { readonly [name: string]: unknown } = { ...effect };
  for (const name of placeMembers)
    if (Object.hasOwn(given, name) && (typeof given[name] !== "string" || given[name] === ""))
      throw new ThroughlineError("input.invalid", `The effect's \`${name}\` needs a text, got ${seen(given[name])}.`, { details: { path: name } });
  if ("variables" in effect) {
    const { variables } = effect;
    const change = { asked: variables, decide: (values: { readonly [name: string]: Json }) => changeOf(values, variables, "variables") };
    await write(changeVariables(service, await ownerOf(service, effect), change, once));
    return;
  }
  if ("run" in effect) {
    const { run, input, ...where } = effect;
    await write(service.runtime.runs.start(run, input, { ...where, ...once }));
    return;
  }
  const session = await sessionOf(service, effect);
  const metadata = present({ metadata: effect.metadata });
  if ("message" in effect) {
    await write(session.post(effect.message, { ...once, ...metadata, ...present({ input: effect.input }) }));
    return;
  }
  const { custom, source = "system", wake = false } = effect;
  await write(session.postCustom(custom, { ...once, ...metadata, source }));
  // Also if the event was there: an earlier attempt may have ended between the two.
  if (wake)
    await session.startTurn({ idempotencyKey: `${once.idempotencyKey} turn` }).catch((error: unknown) => {
      // The operator who has the session reads the event.
      if (!ThroughlineError.is(error, "session.manual")) throw error;
    });
}

/** Finds or creates the session of an effect. */
async function sessionOf({ runtime }: Service, { session_id, agent, customer, key }: WebhookPlace): Promise<Session> {
  if (session_id !== undefined) return runtime.sessions.get(session_id);
  if (agent === undefined) throw new ThroughlineError("input.invalid", "The effect of a webhook needs `session_id` or `agent`.");
  return runtime.sessions.open({ agent, ...present({ customer, key }) });
}

/** Returns whose variables an effect changes. An unknown customer is created. */
async function ownerOf(service: Service, effect: Extract<WebhookEffect, { readonly variables: unknown }>): Promise<VariablesOf> {
  const { of = "customer", agent, customer } = effect;
  if (of === "session") return { session: (await sessionOf(service, effect)).id };
  if (of === "agent") return { owner: agentOwnerId(agentOf(service, agent ?? "").name) };
  if (customer === undefined) throw new ThroughlineError("input.invalid", "The effect of a webhook needs `customer`, whose variables it changes.");
  if ((await service.runtime.customers.find(customer)) === undefined)
    await service.runtime.customers.create({ id: customer }).catch((error: unknown) => {
      if (!ThroughlineError.is(error, "customer.exists")) throw error;
    });
  return { customer };
}
