/** The subpath `throughline/client`: the service from anywhere that has `fetch`. It needs no package, and nothing of Node. */
export { createClient } from "./client/create-client.ts";
export type { ClientOptions, ThroughlineClient } from "./client/create-client.ts";
export { RequestError } from "./client/request-error.ts";
export type { RequestOptions } from "./client/operation-call.ts";
