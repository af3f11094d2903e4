/** The subpath `@throughline/client`: the service from anywhere that has `fetch`. It needs no package, and nothing of Node. */

// A client
export { createClient } from "./create-client.ts";
export type { ClientOptions, LiveOptions, ThroughlineClient } from "./create-client.ts";
export type { TokenSource } from "./transport.ts";
export type { Fetch } from "./transport.ts";
export { RequestError } from "./request-errors.ts";
export type { RequestFailure } from "./request-errors.ts";
export type { BodyFor, CallOf, QueryFor, RequestOptions, ResultOf } from "./operation-call.ts";

// Sessions
export type { ClientSessions } from "./client-session.ts";
export type { ClientSession } from "./client-session.ts";
export type { ClientAgent, ClientLivePart, ClientMessage, ClientState, ClientStateEdit, ClientTurnResult } from "./agent-types.ts";
export type { ClientEventFilter, FollowOptions, SessionLog } from "./session-log.ts";
export type { SessionSettings } from "./client-session.ts";
export type { SessionTurns } from "./client-session.ts";
export type { SessionHandover, HandoverStanding } from "./client-session.ts";
export type { ClientReply } from "./session-log.ts";
export { eventText } from "./session-log.ts";
export type { ClientTurnStream, ClientFollowOptions, ClientStreamOptions } from "./client-turn-stream.ts";
export type { Streamed } from "./follow-log.ts";
export type { AllOptions, EventOfAll } from "./follow-all.ts";

// Customers and jobs
export type { ClientCustomer, ClientCustomers } from "./client-customers.ts";
export type { ClientJob, ClientJobs } from "./client-customers.ts";
export type { ClientMemory } from "./client-customers.ts";
export type { ClientVariables } from "./client-customers.ts";

// Runs of routines
export type { ClientRun, ClientRuns } from "./client-runs.ts";

// What is on the wire
export type {
  OperationId,
  WireDraft,
  WireEvent,
  WireJson,
  WireJsonObject,
  WireLivePart,
  WireProblem,
  WireSession,
  WireStreamAccepted,
  WireTurnResult,
} from "./wire.ts";
