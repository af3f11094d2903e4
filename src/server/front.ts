/** What stands in front of every request: its id, the name of the host, pages of other origins, headers of every answer, and one line of the log. */
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isLoopback } from "../kernel/loopback.ts";
import type { Operation } from "../protocol/operation.ts";
import { operations } from "../protocol/operations.ts";
import { nameOf, type Principal } from "./principal.ts";
import { problemOf } from "./to-problem.ts";
import type { Service } from "./service.ts";

/** What a request carries through the application. */
export type Environment = { Variables: { request_id: string; route?: string; principal?: Principal }; Bindings: Partial<HttpBindings> };

const requestIdPattern = /^[\w.:-]{1,100}$/;

const probes: ReadonlySet<string> = new Set(Object.values<Operation>(operations).flatMap(({ probe, path }) => (probe === true ? [path] : [])));

const securityHeaders = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const corsRequest = {
  methods: "GET, POST, PUT, PATCH, DELETE",
  headers: "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, Traceparent, X-Request-Id",
  exposed: "ETag, Idempotent-Replayed, Link, Location, Next-Offset, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id",
};

/** Puts what every request passes in front of an application. */
export function addFront(app: Hono<Environment>, service: Service): void {
  app.use(describeAnswer(service), callFromPages(service), refuseAtTheDoor(service));
}

/** The id of a request, the headers of its answer, and its line in the log. */
function describeAnswer({ ids, clock, logger }: Service): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const given = context.req.header("x-request-id");
    const request_id = given !== undefined && requestIdPattern.test(given) ? given : ids.trace();
    const begun = clock.monotonic();
    context.set("request_id", request_id);
    await next();
    const { headers, status } = context.res;
    headers.set("x-request-id", request_id);
    for (const [name, value] of Object.entries(securityHeaders)) if (!headers.has(name)) headers.set(name, value);
    const principal = context.get("principal");
    // The route as it is declared: addresses hold ids, and queries hold tokens.
    logger[probes.has(context.req.path) ? "debug" : "info"]("request", {
      request_id,
      method: context.req.method,
      route: context.get("route") ?? "none",
      status,
      ms: Math.round((clock.monotonic() - begun) * 10) / 10,
      ...(principal === undefined ? {} : { principal: nameOf(principal) }),
    });
  };
}

/** Lets pages of the origins that are listed call the service. */
function callFromPages({ reach: { origins } }: Service): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const origin = context.req.header("origin");
    const isListed = origin !== undefined && (origins.has(origin) || origins.has("*"));
    if (isListed && context.req.method === "OPTIONS" && context.req.header("access-control-request-method") !== undefined) {
      context.res = new Response(null, {
        status: 204,
        headers: {
          "access-control-allow-methods": corsRequest.methods,
          "access-control-allow-headers": corsRequest.headers,
          "access-control-max-age": "600",
        },
      });
    } else await next();
    if (origins.size > 0) context.res.headers.append("vary", "Origin");
    if (!isListed) return;
    context.res.headers.set("access-control-allow-origin", origin);
    context.res.headers.set("access-control-expose-headers", corsRequest.exposed);
    // The browser may keep other origins' pages from what it was told it may read.
    context.res.headers.set("cross-origin-resource-policy", "cross-origin");
  };
}

/** Refuses what was sent to a name that is not the service's, and whatever comes while it stops. */
function refuseAtTheDoor(service: Service): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const refusal = probes.has(context.req.path) ? undefined : (refusalOf(service, context) ?? undefined);
    if (refusal === undefined) return next();
    context.res = problemOf(refusal, { request_id: context.get("request_id"), logger: service.logger });
    if (refusal.code === "service.draining") context.res.headers.set("connection", "close");
  };
}

function refusalOf({ reach, draining }: Service, context: Context): ThroughlineError | undefined {
  // An address may name a host of its own, which counts before the header (RFC 9112, 3.2.2).
  const { host } = new URL(context.req.url);
  const foreign = [context.req.header("host") ?? host, host].find((name) => !isOwnName(reach, name));
  if (foreign !== undefined) return new ThroughlineError("host.forbidden", `The request is for ${seen(foreign)}.`);
  return draining.aborted ? new ThroughlineError("service.draining") : undefined;
}

/**
 * Whether a host is one that the service goes by. A service that only this machine reaches goes by no other name, whatever a foreign page's name
 * server says; one that all reach goes by any, unless its names are listed.
 */
function isOwnName({ host, hosts }: Service["reach"], given: string): boolean {
  const url = `http://${given}`;
  if (!URL.canParse(url)) return false;
  const name = new URL(url).hostname.toLowerCase();
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(bare) || bare === host.toLowerCase() || hosts.has(bare)) return true;
  return !isLoopback(host) && hosts.size === 0;
}
