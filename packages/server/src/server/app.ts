/** The service as a Hono application. Any Hono host can serve it. */
import { type Context, Hono } from "hono";
import { describeRoute, generateSpecs } from "hono-openapi";
import { ThroughlineError } from "throughline/kernel";
import type { Operation } from "../protocol/operation.ts";
import { type OperationId, operations } from "../protocol/operations.ts";
import { scopeMeanings } from "../protocol/wire-auth.ts";
import type { Handler, Handlers } from "./request-call.ts";
import { addFront, type Environment } from "./front.ts";
import { handle } from "./handle-request.ts";
import { describe, frameSchemas } from "./openapi.ts";
import { authRoutes } from "./routes/auth-routes.ts";
import { customerRoutes, jobRoutes } from "./routes/customer-routes.ts";
import { deliveryRoutes, eventRoutes } from "./routes/event-routes.ts";
import { memoryRoutes } from "./routes/memory-routes.ts";
import { agentRoutes, metaRoutes } from "./routes/meta-routes.ts";
import { safetyRoutes, sessionRoutes, usageRoutes } from "./routes/session-routes.ts";
import { handoverRoutes, stateRoutes, turnRoutes } from "./routes/turn-routes.ts";
import { variableRoutes } from "./routes/variable-routes.ts";
import type { Service } from "./service.ts";
import { problemOf } from "./to-problem.ts";

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
  ...stateRoutes,
  ...turnRoutes,
  ...handoverRoutes,
  ...safetyRoutes,
  ...authRoutes,
  ...metaRoutes,
};
