/**
 * The types of a state at the edges of the runtime, where values are JSON: what a caller sends, edits and reads. A field with a codec has the type of
 * its encoded value. The fields of a definition that is not known statically can hold any JSON.
 */
import type { Json, JsonObject } from "../kernel/json.ts";
import type { DeltaOf, StateDefinition } from "./define.ts";
import type { Field, FieldTypes } from "./field.ts";

type TypesOf<F> = F extends Field<infer Types> ? Types : never;
type Flat<T> = { [Key in keyof T]: T[Key] };
type Known<D extends StateDefinition, Types> = string extends keyof D["fields"] ? JsonObject : Types extends JsonObject ? Types : JsonObject;

/** The fields, or an object that takes none, and shows a sentence if it is given one. */
type OrNone<Fields, Sentence extends string> = [keyof Fields] extends [never] ? { readonly [field: string]: Sentence } : Fields;

/** The JSON of a value. Any JSON, if the schema's type is not one of JSON. */
type JsonOf<Types extends FieldTypes, Value> = [Types["encoded"]] extends [never]
  ? Value extends undefined
    ? never
    : Value extends Json
      ? Value
      : Json
  : Types["encoded"];

type InputName<D extends StateDefinition> = {
  [Name in keyof D["fields"] & string]: TypesOf<D["fields"][Name]>["lifecycle"] extends "input" ? Exclude<Name, "message"> : never;
}[keyof D["fields"] & string];
type RequiredName<D extends StateDefinition> = {
  [Name in InputName<D>]: TypesOf<D["fields"][Name]>["required"] extends true ? Name : never;
}[InputName<D>];
type ReducedName<D extends StateDefinition> = {
  [Name in keyof D["fields"] & string]: TypesOf<D["fields"][Name]>["lifecycle"] extends "reduced" ? Exclude<Name, "messages"> : never;
}[keyof D["fields"] & string];
type StartName<D extends StateDefinition> = {
  [Name in ReducedName<D>]: TypesOf<D["fields"][Name]>["start"] extends true ? Name : never;
}[ReducedName<D>];
type ShownName<D extends StateDefinition, Shown> = {
  [Name in keyof D["fields"] & string]: TypesOf<D["fields"][Name]>["show"] extends Shown ? Name : never;
}[keyof D["fields"] & string];

type GivenJson<D extends StateDefinition, Name extends keyof D["fields"]> = JsonOf<TypesOf<D["fields"][Name]>, TypesOf<D["fields"][Name]>["given"]>;
type ReadJson<D extends StateDefinition, Name extends keyof D["fields"]> = JsonOf<TypesOf<D["fields"][Name]>, TypesOf<D["fields"][Name]>["value"]>;

/** The input of a message: the `input` fields other than `message`, which is its text. */
export type InputJson<D extends StateDefinition> = Known<
  D,
  OrNone<
    Flat<
      { readonly [Name in RequiredName<D>]: GivenJson<D, Name> } & {
        readonly [Name in Exclude<InputName<D>, RequiredName<D>>]?: GivenJson<D, Name>;
      }
    >,
    "The state has no input field but the message"
  >
>;

/** Whether every message needs an input. */
export type NeedsInput<D extends StateDefinition> = string extends keyof D["fields"] ? false : [RequiredName<D>] extends [never] ? false : true;

/** The updates that a message may carry: those of the `reduced` fields with `start: true`. */
export type StartJson<D extends StateDefinition> = Known<
  D,
  OrNone<{ readonly [Name in StartName<D>]?: GivenJson<D, Name> }, "The state has no field with start: true">
>;

/** The updates of an operator's edit: those of the `reduced` fields. */
export type EditOf<D extends StateDefinition> = string extends keyof D["fields"]
  ? JsonObject
  : OrNone<{ readonly [Name in ReducedName<D> & keyof DeltaOf<D>]?: DeltaOf<D>[Name] }, "The state has no reduced field">;

/** The stored state: the `reduced` fields, encoded. A field without a value is absent, as is a field that is newer than the stored state. */
export type DocumentOf<D extends StateDefinition> = Known<D, { readonly [Name in ReducedName<D>]?: ReadJson<D, Name> }>;

/** What the caller of a turn receives: the fields with `show: "output"` or `"public"`, encoded. A message without a turn has none. */
export type OutputJson<D extends StateDefinition> = Known<D, { readonly [Name in ShownName<D, "output" | "public">]?: ReadJson<D, Name> }>;

/** What clients and customers see: the fields with `show: "public"`, encoded. */
export type PublicJson<D extends StateDefinition> = Known<D, { readonly [Name in ShownName<D, "public">]?: ReadJson<D, Name> }>;

/** The updates of an edit that arrives as JSON. Edits are not decoded, so a field with a codec takes only updates that are JSON. */
type EditJson<D extends StateDefinition> = Known<
  D,
  {
    readonly [Name in ReducedName<D>]?: [TypesOf<D["fields"][Name]>["encoded"]] extends [never]
      ? JsonOf<TypesOf<D["fields"][Name]>, TypesOf<D["fields"][Name]>["update"]>
      : Extract<TypesOf<D["fields"][Name]>["update"], Json>;
  }
>;

/**
 * The types of an agent's data, as a client of the service reads them from the agent's type. Unknown if the state is not known statically, so that a
 * typed agent takes the place of any.
 */
export type AgentTypes<D extends StateDefinition> = Flat<
  string extends keyof D["fields"]
    ? object
    : {
        readonly input: InputJson<D>;
        readonly needsInput: NeedsInput<D>;
        readonly start: StartJson<D>;
        readonly edit: EditJson<D>;
        readonly public: PublicJson<D>;
        readonly output: OutputJson<D>;
        readonly internal: DocumentOf<D>;
      }
>;
