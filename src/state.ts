/** Typed state in detail: fields, reducers, deltas and migrations. @module */

// Fields
export { isStateDefinition } from "./state/define.ts";
export type { FieldRecord, WithMessages, WritableName, StartOf } from "./state/define.ts";
export type { Codec, Field, FieldOptions, FieldTypes, Lifecycle, ReducedOptions, Show, TurnOptions } from "./state/field.ts";

// Reducers
export type { Clear, NoChange, Reducer, ReducerOptions, Using } from "./state/reducer.ts";
export { applyDelta } from "./state/apply.ts";

// Migrations
export { migrateDocument } from "./state/migrate.ts";
export type { Migration } from "./state/migrate.ts";

// What a view shows
export { viewSchema } from "./state/views.ts";
