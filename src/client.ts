/** The subpath `throughline/client`: the service from anywhere that has `fetch`. It needs no package, and nothing of Node. */

// A client
export { createClient } from "./client/create-client.ts";
export type { ClientOptions, StreamOptions, ThroughlineClient } from "./client/create-client.ts";
export type { TokenSource } from "./client/credentials.ts";
export type { Fetch } from "./client/exchange.ts";
export { RequestError } from "./client/request-error.ts";
export type { RequestFailure } from "./client/request-error.ts";
export type { BodyFor, CallOf, QueryFor, RequestOptions, ResultOf } from "./client/operation-call.ts";

// Sessions
export type { ClientSessions } from "./client/sessions.ts";
export type { ClientSession } from "./client/session.ts";
export type { ClientEventFilter, FollowOptions, ClientMessage, SessionLog } from "./client/session-log.ts";
export type { SessionSettings } from "./client/session-settings.ts";
export type { SessionTurns } from "./client/session-turns.ts";
export type { SessionHandover, HandoverStanding } from "./client/session-handover.ts";
export type { ClientReply } from "./client/reply.ts";
export { eventText } from "./client/reply.ts";
export type { Streamed } from "./client/follow.ts";

// Customers and jobs
export type { ClientCustomer, ClientCustomers } from "./client/customers.ts";
export type { ClientJob, ClientJobs } from "./client/jobs.ts";
export type { ClientMemory } from "./client/memory.ts";
export type { ClientVariables } from "./client/variables.ts";

// What is on the wire
export type { OperationId, WireDraft, WireEvent, WireJson, WireJsonObject, WireProblem, WireSession } from "./client/wire.ts";
