/** What everything stands on: errors, ids, time and JSON. @module */

// Errors
export { errorCatalogue } from "./kernel/error-catalogue.ts";
export type { CatalogueEntry, ErrorKind } from "./kernel/error-catalogue.ts";
export type { ErrorOptions } from "./kernel/error.ts";

// JSON
export type { JsonArray, JsonPrimitive } from "./kernel/json.ts";

// Tracing
export type { SpanAttributes } from "./kernel/trace.ts";
