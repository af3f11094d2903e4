/** The subpath `throughline/client`: the service from anywhere that has `fetch`. It needs no package, and nothing of Node. */

// A client
export { createClient } from "./client/create-client.ts";
export type { ClientOptions, StreamOptions, ThroughlineClient } from "./client/create-client.ts";
export type { TokenSource } from "./client/transport.ts";
export type { Fetch } from "./client/transport.ts";
export { RequestError } from "./client/request-errors.ts";
export type { RequestFailure } from "./client/request-errors.ts";
export type { BodyFor, CallOf, QueryFor, RequestOptions, ResultOf } from "./client/operation-call.ts";

// Sessions
export type { ClientSessions } from "./client/client-session.ts";
export type { ClientSession } from "./client/client-session.ts";
export type { ClientEventFilter, FollowOptions, ClientMessage, SessionLog } from "./client/session-log.ts";
export type { SessionSettings } from "./client/client-session.ts";
export type { SessionTurns } from "./client/client-session.ts";
export type { SessionHandover, HandoverStanding } from "./client/client-session.ts";
export type { ClientReply } from "./client/session-log.ts";
export { eventText } from "./client/session-log.ts";
export type { Streamed } from "./client/follow-log.ts";

// Customers and jobs
export type { ClientCustomer, ClientCustomers } from "./client/client-customers.ts";
export type { ClientJob, ClientJobs } from "./client/client-customers.ts";
export type { ClientMemory } from "./client/client-customers.ts";
export type { ClientVariables } from "./client/client-customers.ts";

// What is on the wire
export type { OperationId, WireDraft, WireEvent, WireJson, WireJsonObject, WireProblem, WireSession } from "./client/wire.ts";
