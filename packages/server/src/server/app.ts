/** The service as a Hono application, which any Hono host can serve, and its middleware: request id, host check, CORS and the access log. */
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { describeRoute, generateSpecs } from "hono-openapi";
import { isLoopback } from "throughline/internal";
import { seen, ThroughlineError } from "throughline/kernel";
import type { Operation } from "../protocol/operation.ts";
import { type OperationId, operations } from "../protocol/operations.ts";
import { scopeMeanings } from "../protocol/wire-auth.ts";
import { handle } from "./handle-request.ts";
import { describe, frameSchemas } from "./openapi.ts";
import { nameOf, type Principal } from "./principal.ts";
import type { Handler, Handlers } from "./request-call.ts";
import { authRoutes, customerRoutes, jobRoutes } from "./routes/customer-routes.ts";
import { deliveryRoutes, eventRoutes, turnStreamRoutes } from "./routes/event-routes.ts";
import { memoryRoutes } from "./routes/memory-routes.ts";
import { agentRoutes, metaRoutes, statusRoutes } from "./routes/meta-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { safetyRoutes, sessionRoutes, usageRoutes } from "./routes/session-routes.ts";
import { handoverRoutes, stateRoutes, turnRoutes } from "./routes/turn-routes.ts";
import { variableRoutes } from "./routes/variable-routes.ts";
import { webhookRoutes } from "./routes/webhook-routes.ts";
import type { Service } from "./service.ts";
import { problemOf } from "./to-wire.ts";

/** The methods that a path supports. */
const methodsOf = (path: string): readonly string[] =>
  Object.values(operations).flatMap(({ path: own, method }) => (own !== path ? [] : method === "GET" ? ["GET", "HEAD"] : [method]));

const toHonoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

/** Creates the application of a service. */
export function createApp(service: Service): Hono<Environment> {
  const app = new Hono<Environment>();
  addFront(app, service);
  app.onError((error, context) => problemOf(error, { request_id: context.get("request_id"), logger: service.logger }));
  for (const [id, operation] of Object.entries(operations) as readonly [OperationId, Operation][]) {
    const handler = routes[id] as unknown as Handler<Operation>;
    app.on(operation.method, toHonoPath(operation.path), describeRoute(describe(id, operation)), (context) => answer(service, id, handler, context));
  }
  for (const path of new Set(Object.values(operations).map((operation) => operation.path)))
    app.all(toHonoPath(path), (context) => {
      const methods = methodsOf(path);
      const error = new ThroughlineError("request.method_not_allowed", `${path} takes ${methods.join(", ")}, not ${context.req.method}.`);
      const response = problemOf(error, { request_id: context.get("request_id"), logger: service.logger });
      response.headers.set("allow", methods.join(", "));
      return response;
    });
  app.notFound((context) => {
    throw new ThroughlineError("request.not_found", `There is nothing at ${context.req.path.slice(0, 200)}.`);
  });
  return app;
}

const answer = (service: Service, id: OperationId, handler: Handler<Operation>, context: Context<Environment>): Promise<Response> => {
  context.set("route", operations[id].path);
  const outgoing = context.env?.outgoing;
  return handle(service, id, handler, {
    request: context.req.raw,
    request_id: context.get("request_id"),
    path: context.req.param() as Record<string, string>,
    ...(outgoing === undefined
      ? {}
      : { cut: () => void outgoing.destroy(), over: (listen) => (outgoing.closed ? listen() : void outgoing.once("close", listen)) }),
    known: (principal) => context.set("principal", principal),
  });
};

const scopesInWords = [
  "An API key, or a customer's token. A key has scopes:",
  "",
  ...Object.entries(scopeMeanings).map(([scope, meaning]) => `- \`${scope}\`: ${meaning}`),
].join("\n");

/** Generates the OpenAPI document of the service. */
export async function openApiOf(app: Hono<Environment>, version: string): Promise<Awaited<ReturnType<typeof generateSpecs>>> {
  const document = await generateSpecs(app, {
    documentation: {
      openapi: "3.1.0",
      info: { title: "Throughline", version, description: "Sessions, events, customers and handover of conversational agents." },
      servers: [{ url: "/", description: "The service that serves this document." }],
      components: { securitySchemes: { bearer: { type: "http", scheme: "bearer", description: scopesInWords } } },
    },
    defaultValidationErrorResponse: false,
    excludeStaticFile: false,
  });
  return { ...document, components: { ...document.components, schemas: { ...(frameSchemas() as object), ...document.components?.schemas } } };
}

/** The handler of each operation. */
const routes: Handlers<OperationId> = {
  ...customerRoutes,
  ...variableRoutes,
  ...memoryRoutes,
  ...agentRoutes,
  ...sessionRoutes,
  ...usageRoutes,
  ...jobRoutes,
  ...eventRoutes,
  ...deliveryRoutes,
  ...turnStreamRoutes,
  ...stateRoutes,
  ...turnRoutes,
  ...handoverRoutes,
  ...runRoutes,
  ...safetyRoutes,
  ...webhookRoutes,
  ...authRoutes,
  ...statusRoutes,
  ...metaRoutes,
};

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
function addFront(app: Hono<Environment>, service: Service): void {
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
