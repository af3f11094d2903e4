/** The subpath `throughline/server`: sessions, customers and events over HTTP. */
export { createServer } from "./server/create-server.ts";
export type { ServerOptions, ThroughlineServer } from "./server/create-server.ts";
export type { Limits } from "./server/service.ts";
export type { JobOptions } from "./server/jobs/jobs.ts";
