/** The base of all other modules: errors, JSON, ids, time, and declarations of data. @module */

// Errors
export { seen, ThroughlineError } from "./kernel/error.ts";
export type { ErrorInfo, ErrorOptions } from "./kernel/error.ts";
export { errorCatalogue } from "./kernel/error-catalogue.ts";
export type { CatalogueEntry, ErrorCode, ErrorKind } from "./kernel/error-catalogue.ts";

// JSON
export { canonicalJson, formatPointer, isPlainObject, jsonEqual } from "./kernel/json.ts";
export type { Json, JsonArray, JsonObject, JsonPrimitive } from "./kernel/json.ts";
export { applyPatch } from "./kernel/json-patch.ts";
export type { PatchOperation } from "./kernel/json-patch.ts";
export { diff } from "./kernel/json-diff.ts";

// Ids, time and randomness
export { createIds, parseSessionId, traceOf } from "./kernel/id.ts";
export type { Ids, OwnerId, SessionId, TraceId, TurnId } from "./kernel/id.ts";
export { systemClock } from "./kernel/clock.ts";
export type { Clock } from "./kernel/clock.ts";
export { createBreaker } from "./kernel/breaker.ts";
export type { Breaker, BreakerOptions } from "./kernel/breaker.ts";
export { systemRandom } from "./kernel/random.ts";
export type { Random } from "./kernel/random.ts";

// Where data is stored by default
export { databaseLocation, defaultLocation } from "./kernel/process.ts";

// Logging and tracing
export { defaultLogger, silentLogger } from "./kernel/log.ts";
export type { Logger } from "./kernel/log.ts";
export { noTracer } from "./kernel/log.ts";
export type { SpanAttributes, Tracer } from "./kernel/log.ts";

// Descriptors: data declared once, with its audience
export { isShown, optionOf, shownTo } from "./kernel/descriptor.ts";
export type { Audience, Descriptor, ObjectShape, Shape } from "./kernel/descriptor.ts";
