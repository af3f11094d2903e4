/** Middleware for every request: request id, host check, CORS, security headers and the access log. */
import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { ThroughlineError, seen } from "throughline/kernel";
import { isLoopback } from "throughline/internal";
import type { Operation } from "../protocol/operation.ts";
import { operations } from "../protocol/operations.ts";
import { nameOf, type Principal } from "./principal.ts";
import { problemOf } from "./to-problem.ts";
import type { Service } from "./service.ts";

/** Values that a request carries through the application. */
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

/** Adds the middleware to an application. */
export function addFront(app: Hono<Environment>, service: Service): void {
  app.use(describeAnswer(service), callFromPages(service), refuseAtTheDoor(service));
}

/** Assigns the request id, sets the response headers and writes the log line. */
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
    // Logs the declared route, because the URL contains ids and may contain tokens.
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

/** Lets pages of the listed origins call the service (CORS). */
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
    // Otherwise the browser could block listed origins from reading the response.
    context.res.headers.set("cross-origin-resource-policy", "cross-origin");
  };
}

/** Rejects requests for a foreign host name, and all requests while the service stops. Probes pass. */
function refuseAtTheDoor(service: Service): MiddlewareHandler<Environment> {
  return async (context, next) => {
    const refusal = probes.has(context.req.path) ? undefined : (refusalOf(service, context) ?? undefined);
    if (refusal === undefined) return next();
    context.res = problemOf(refusal, { request_id: context.get("request_id"), logger: service.logger });
    if (refusal.code === "service.draining") context.res.headers.set("connection", "close");
  };
}

function refusalOf({ reach, draining }: Service, context: Context): ThroughlineError | undefined {
  // A request line may contain an absolute URL. Its host takes precedence over the header (RFC 9112, 3.2.2).
  const { host } = new URL(context.req.url);
  const foreign = [context.req.header("host") ?? host, host].find((name) => !isOwnName(reach, name));
  if (foreign !== undefined) return new ThroughlineError("host.forbidden", `The request is for ${seen(foreign)}.`);
  return draining.aborted ? new ThroughlineError("service.draining") : undefined;
}

/**
 * Whether a host name belongs to the service. A service bound to loopback accepts only its own names, which prevents DNS rebinding. A service that
 * other machines can reach accepts any name unless `hosts` lists some.
 */
function isOwnName({ host, hosts }: Service["reach"], given: string): boolean {
  const url = `http://${given}`;
  if (!URL.canParse(url)) return false;
  const name = new URL(url).hostname.toLowerCase();
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  if (isLoopback(bare) || bare === host.toLowerCase() || hosts.has(bare)) return true;
  return !isLoopback(host) && hosts.size === 0;
}
