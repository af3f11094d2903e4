/** Operations as data. The server's routing and checks, the OpenAPI document and the client's types derive from them. */
import type { z } from "zod";
import type { ErrorCode } from "throughline/kernel";
import type { Scope } from "./wire-auth.ts";

/** The shape of a response. It has no schema if there is no body, or if the body is not JSON. */
export interface AnswerShape {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Media types of a body that is not JSON. */
  readonly media?: readonly string[];
  /** The frames of a body that is a stream of server-sent events. */
  readonly frames?: z.ZodType;
}

/** A member of a query or body that needs a scope in addition to the operation's. Customer tokens may not send it. */
export interface MemberScope {
  readonly member: string;
  readonly scope: Scope;
  /** The scope is needed only for this value, or for a list that contains it. By default it is needed for any value. */
  readonly value?: string | boolean;
  /** The scope is not needed for this value. */
  readonly except?: string;
  /** Customer tokens may send the member. It reveals nothing to them. */
  readonly customers?: true;
}

/** Metadata in any body. */
export const metadataMember = { member: "metadata", scope: "metadata:write" } as const satisfies MemberScope;

/** Whether a member's value needs its scope. */
export function needsScope({ value, except }: MemberScope, given: unknown): boolean {
  if (given === undefined || given === except) return false;
  return value === undefined || given === value || (Array.isArray(given) && given.includes(value));
}

/** One request of the service. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with parameters such as `{session_id}`. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs; `open` needs no authentication. */
  readonly scope: Scope | "open";
  /** A second scope that every request needs. */
  readonly also?: Scope;
  /** Scopes that single members of the query and the body need. */
  readonly members?: readonly MemberScope[];
  /** Whether customer tokens may send it. They see only the customer's own public data. */
  readonly customers?: true;
  /** Whether it reads events. Such requests have a separate rate limit and accept a stream token in the URL. */
  readonly events?: true;
  /** Whether the body is a customer's message. Its author may get a reply even if the message is not accepted. */
  readonly takesMessage?: true;
  /** A health check. It accepts any host name and responds while the process stops. */
  readonly probe?: true;
  /** Whether it changes nothing, although its method is not GET. Its response is not stored for repeats. */
  readonly reads?: true;
  /** Whether it is recorded in the audit log. */
  readonly audited?: true;
  /** Whether it accepts `If-Match` with the version that a change is based on. */
  readonly versioned?: true;
  readonly query?: z.ZodObject;
  /** Whether the body may be omitted. The schema must then accept `{}`. */
  readonly body?: z.ZodType;
  readonly bodyOptional?: true;
  readonly answers: { readonly [Status in 200 | 201 | 202 | 204]?: AnswerShape };
  /** Errors other than those that every request may return. */
  readonly errors: readonly ErrorCode[];
}

/** Whether the response of a change is stored and returned to repeats. A stream continues the work of the first request instead. */
export const keepsAnswer = ({ method, reads, answers }: Operation): boolean =>
  method !== "GET" && reads !== true && answers[200]?.frames === undefined;

/** Declares operations by id. Ids are part of the public API. */
export const defineOperations = <const Table extends Readonly<Record<string, Operation>>>(table: Table): Table => table;

type WithSchema<Schema> = { readonly description: string; readonly schema: Schema };
/** The responses of an operation that answers 200 with a JSON body. */
export const answer = <Schema extends z.ZodType>(description: string, schema: Schema): { readonly 200: WithSchema<Schema> } => ({
  200: { description, schema },
});
/** The responses of an operation that answers 201, because it creates something. */
export const created = <Schema extends z.ZodType>(description: string, schema: Schema): { readonly 201: WithSchema<Schema> } => ({
  201: { description, schema },
});
/** The responses of an operation that answers 202, because the work continues. */
export const accepted = <Schema extends z.ZodType>(description: string, schema: Schema): { readonly 202: WithSchema<Schema> } => ({
  202: { description, schema },
});

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** The parameters in an operation's path. */
export type PathOf<Op extends Operation> = { readonly [Name in Names<Op["path"]>]: string };
/** Excludes undefined values. JSON and URLs omit absent members. */
type Exact<Value> = { [Name in keyof Value]: Exclude<Value[Name], undefined> };
/** The query that a handler receives. */
export type QueryOf<Op extends Operation> = Op["query"] extends z.ZodType ? Exact<z.output<Op["query"]>> : undefined;
/** The body that a handler receives. */
export type BodyOf<Op extends Operation> = Op["body"] extends z.ZodType ? Exact<z.output<Op["body"]>> : undefined;
type Answers<Op extends Operation> = Op["answers"];
/** The body of each response. */
type AnswerBody<Shape> = Shape extends { readonly schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
/** The response of an operation: a status with its body. */
export type AnswerOf<Op extends Operation> = {
  [Status in keyof Answers<Op>]: { readonly status: Status; readonly body: AnswerBody<Answers<Op>[Status]> };
}[keyof Answers<Op>];

/** Errors of session commands: repeated concurrent changes, or a key that was used for another command. */
export const ofCommand = ["session.not_found", "session.conflict", "session.idempotency_mismatch"] as const satisfies readonly ErrorCode[];

/** Errors of writing metadata. */
export const ofMetadata = ["variables.invalid", "metadata.reserved"] as const satisfies readonly ErrorCode[];

/** Errors of a customer id: it does not exist, or it is not valid. */
export const ofCustomer = ["customer.not_found", "input.invalid"] as const satisfies readonly ErrorCode[];

/** Errors of a state change, which depends on the agent's fields, reducers and version. */
export const ofStateChange = [
  ...(["agent.not_found", "state.unknown_field", "state.undeclared_write", "state.invalid_value"] as const),
  ...(["state.reducer_mismatch", "state.reducer_failed", "state.definition_newer", "state.migration_missing"] as const),
] as const satisfies readonly ErrorCode[];
