/** Typed state in detail: fields, reducers, deltas and migrations. @module */

// Fields
export type { Schema } from "./kernel/schema.ts";
export { isStateDefinition } from "./state/define.ts";
export type { FieldRecord, WithMessages, WritableName, StartOf } from "./state/define.ts";
export type { Codec, DeclaredTypes, Field, FieldOptions, FieldTypes, Lifecycle, ReducedOptions, Show, TurnOptions } from "./state/field.ts";

// Reducers
export type { Clear, NoChange, Reducer, ReducerOptions, Using } from "./state/reducer.ts";
export type { Members } from "./state/reducers.ts";
export type { MessageValue } from "./state/messages-field.ts";
export { applyDelta } from "./state/apply.ts";

// Migrations
export { migrateDocument } from "./state/migrate-state.ts";
export type { Migration } from "./state/migrate-state.ts";

// Contents of views
export { viewSchema } from "./state/views.ts";
