/** State definitions: the fields that an agent's stages and tools share. */
import { ThroughlineError, seen } from "../kernel/error.ts";
import { isPlainObject, isSafeSegment } from "../kernel/json.ts";
import { validate } from "../kernel/schema.ts";
import { checkValue, initialOf } from "./check-value.ts";
import { type Field, type FieldTypes, isField } from "./field.ts";
import { automaticMessages, messagesField, notMessages } from "./messages-field.ts";
import { type AnyReducer, type Clear, isStock, type NoChange, type Using } from "./reducer.ts";

/** Fields by name. */
export type FieldRecord = Readonly<Record<string, Field>>;

/** `messages` may be redeclared as a reduced list of objects of your own type. */
export interface MessagesRule {
  readonly messages?: Field<FieldTypes & { readonly lifecycle: "reduced"; readonly value: readonly object[] }>;
}

/** The fields of a definition: the declared fields, plus `messages`. */
export type WithMessages<Fields extends FieldRecord> = Fields extends { readonly messages: Field }
  ? Fields
  : Fields & { readonly messages: typeof automaticMessages };

/** A declared state. Frozen. */
export interface StateDefinition<Fields extends FieldRecord = FieldRecord> {
  readonly fields: Fields;
}

type TypesOf<F> = F extends Field<infer Types> ? Types : never;
type FieldsOf<Definition extends StateDefinition> = Definition["fields"];
type Flat<T> = { [Key in keyof T]: T[Key] };
type Select<F extends FieldRecord, Wanted> = { [Name in keyof F]: TypesOf<F[Name]> extends Wanted ? Name : never }[keyof F];
type ReadOf<F extends FieldRecord, Names extends keyof F> = Flat<
  { readonly [Name in Names as AlwaysPresent<F, Name>]: TypesOf<F[Name]>["value"] } & {
    readonly [Name in Names as Exclude<Name, AlwaysPresent<F, Name>>]?: TypesOf<F[Name]>["value"];
  }
>;
type AlwaysPresent<F extends FieldRecord, Name extends keyof F> = Name extends "messages"
  ? Name
  : TypesOf<F[Name]>["present"] extends true
    ? Name
    : never;
type GivenOf<F extends FieldRecord, Names extends keyof F> = Flat<
  { readonly [Name in Names as IsRequired<F, Name>]: TypesOf<F[Name]>["given"] } & {
    readonly [Name in Names as Exclude<Name, IsRequired<F, Name>>]?: TypesOf<F[Name]>["given"] | undefined;
  }
>;
type IsRequired<F extends FieldRecord, Name extends keyof F> = TypesOf<F[Name]>["required"] extends true ? Name : never;

/** The state that a stage reads: every field. Fields that can be absent are optional. */
export type StateOf<D extends StateDefinition> = ReadOf<FieldsOf<D>, keyof FieldsOf<D>>;
/** The updates that a stage or a tool returns, by field. Input fields cannot be written. */
export type DeltaOf<D extends StateDefinition> = {
  readonly [Name in keyof FieldsOf<D> as TypesOf<FieldsOf<D>[Name]>["lifecycle"] extends "input" ? never : Name & string]?:
    | TypesOf<FieldsOf<D>[Name]>["update"]
    | Using<TypesOf<FieldsOf<D>[Name]>["value"]>
    | (TypesOf<FieldsOf<D>[Name]>["lifecycle"] extends "loaded" ? never : Clear)
    | NoChange
    | undefined;
};
type KindOf<Value> = [Value] extends [never]
  ? "another value"
  : [Value] extends [number]
    ? "a number"
    : [Value] extends [boolean]
      ? "true or false"
      : [Value] extends [string]
        ? string extends Value
          ? "a string"
          : "another string"
        : "another value";
/**
 * Sentences about the members of a delta that fields of a state do not take. `never` if all of them fit. The compiler shows a sentence in two lines,
 * where it would explain a nested type in up to twelve.
 */
export type DeltaMistake<Delta, D extends StateDefinition, Writes> = unknown extends Delta
  ? never
  : Delta extends undefined | void
    ? never
    : Delta extends object
      ? {
          [Name in keyof Delta & string]-?: Name extends Writes
            ? Delta[Name] extends DeltaOf<D>[Name & keyof DeltaOf<D>] | undefined
              ? never
              : `The field "${Name}" takes ${KindOf<TypesOf<FieldsOf<D>[Name]>["update"]>}`
            : Delta[Name] extends undefined
              ? never
              : Name extends WritableName<D>
                ? `"writes" does not list the field "${Name}"`
                : Name extends keyof FieldsOf<D>
                  ? `The field "${Name}" is an input field, which cannot be written`
                  : `The state has no field "${Name}"`;
        }[keyof Delta & string]
      : "An object with fields of the state is wanted";
/** The input fields, as a caller passes them. */
export type InputOf<D extends StateDefinition> = GivenOf<FieldsOf<D>, Select<FieldsOf<D>, { readonly lifecycle: "input" }>>;
/** The values that a caller may pass with a message: input fields, and reduced fields with `start: true`. */
export type StartOf<D extends StateDefinition> = GivenOf<
  FieldsOf<D>,
  Select<FieldsOf<D>, { readonly lifecycle: "input" } | { readonly start: true }>
>;
/** The fields that the caller of a turn receives. */
export type OutputOf<D extends StateDefinition> = ReadOf<FieldsOf<D>, Select<FieldsOf<D>, { readonly show: "output" | "public" }>>;
/** The fields that clients see. */
export type PublicOf<D extends StateDefinition> = ReadOf<FieldsOf<D>, Select<FieldsOf<D>, { readonly show: "public" }>>;
/** The names of the fields that a delta may hold. */
export type WritableName<D extends StateDefinition> = Exclude<
  Extract<keyof FieldsOf<D>, string>,
  Select<FieldsOf<D>, { readonly lifecycle: "input" }>
>;

const definitions = new WeakSet<object>();

/** Whether {@link defineState} created the value. */
export const isStateDefinition = (value: unknown): value is StateDefinition => typeof value === "object" && value !== null && definitions.has(value);

/**
 * Declares a state, and adds the field `messages` if it is not declared. Throws `state.definition_invalid` with the field's name, also if a declared
 * default fails its own schema. Throws `schema.async` for a schema that validates asynchronously.
 */
export function defineState<const Fields extends FieldRecord & MessagesRule>(fields: Fields): StateDefinition<WithMessages<Fields>> {
  if (!isPlainObject(fields)) throw new ThroughlineError("state.definition_invalid", `defineState() takes fields by name; saw ${seen(fields)}.`);
  const all: Record<string, Field> = {};
  for (const [name, field] of Object.entries<unknown>(fields)) all[checkName(name)] = checkField(name, field);
  all[messagesField] ??= automaticMessages;
  checkReducers(all);
  return register(all as WithMessages<Fields>);
}

/** Returns the definition with other reducers for some fields. */
export function withReducers<Fields extends FieldRecord>(
  definition: StateDefinition<Fields>,
  reducers: Readonly<Record<string, AnyReducer>>,
): StateDefinition<Fields> {
  const fields = Object.entries(definition.fields).map(([name, field]) => [
    name,
    Object.hasOwn(reducers, name) ? Object.freeze({ ...field, reducer: reducers[name] }) : field,
  ]);
  return register(Object.fromEntries(fields) as Fields);
}

function register<Fields extends FieldRecord>(fields: Fields): StateDefinition<Fields> {
  const definition = Object.freeze({ fields: Object.freeze(fields) });
  definitions.add(definition);
  return definition;
}

/** Checks a definition for sessions, where `messages` is a projection of events. Throws `agent.invalid` if the reducer of `messages` does not append. */
export function assertProjectedMessages(definition: StateDefinition): void {
  const reducer = definition.fields[messagesField]?.reducer;
  if (reducer === undefined || reducer.name === "append" || reducer.name === "by_value") return;
  throw new ThroughlineError("agent.invalid", `The field \`messages\` has the reducer ${seen(reducer.name)}.`, {
    hint: "In a session `messages` is the log itself, which only grows: leave its `reduce` out.",
    details: { field: messagesField, reducer: reducer.name },
  });
}

function invalid(name: string, why: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError("state.definition_invalid", `The field ${seen(name)} ${why}.`, { details: { field: name }, cause });
}

function checkName(name: string): string {
  if (name === "") throw invalid(name, "has an empty name");
  if (!isSafeSegment(name)) throw invalid(name, "has a name that is refused, because it reaches an object's prototype");
  return name;
}

function checkField(name: string, field: unknown): Field {
  if (!isField(field)) throw invalid(name, `is not made with input(), reduced(), loaded() or turn(); saw ${seen(field)}`);
  try {
    // Detects most asynchronous schemas now, rather than at the first write.
    validate(field.schema, undefined);
    if (field.initial !== undefined) checkValue(name, field, initialOf(field));
  } catch (error) {
    if (ThroughlineError.is(error, "schema.async"))
      throw new ThroughlineError("schema.async", `The schema of the field ${seen(name)} validates asynchronously.`, { cause: error });
    throw invalid(name, `has a wrong \`initial\`: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  const offence = name === messagesField ? notMessages(field) : undefined;
  if (offence !== undefined) throw invalid(name, offence);
  return field;
}

/** Within a state, a reducer's name and version identify one function. Throws `state.definition_invalid` otherwise. */
function checkReducers(fields: FieldRecord): void {
  const known = new Map<string, AnyReducer>();
  for (const [name, { reducer }] of Object.entries(fields)) {
    if (isStock(reducer)) continue;
    const key = `${reducer.name}@${reducer.version}`;
    const other = known.get(key);
    if (other !== undefined && other.reduce !== reducer.reduce) {
      throw invalid(name, `has a reducer ${seen(reducer.name)}, version ${reducer.version}, that another field uses for another function`);
    }
    known.set(key, reducer);
  }
}
