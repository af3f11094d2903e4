/** What one request of the service is: as data, from which the server routes and checks, the OpenAPI document is written, and the client has its types. */
import type { z } from "zod";
import type { ErrorCode } from "throughline/kernel";
import type { Scope } from "./wire-auth.ts";

/** What an answer with one status holds; no schema for one without a body, or one that is not JSON. */
export interface AnswerShape {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** Media types of a body that is not JSON. */
  readonly media?: readonly string[];
}

/** A member of a query or body that needs a scope besides the operation's own. A customer's token may not send it. */
export interface MemberScope {
  readonly member: string;
  readonly scope: Scope;
  /** Needed for this value alone, or for a list that holds it; for any value if left out. */
  readonly value?: string | boolean;
  /** Not needed for this value. */
  readonly except?: string;
  /** A customer's token may send it, and is shown nothing by it. */
  readonly customers?: true;
}

/** Metadata, wherever a body has it. */
export const metadataMember = { member: "metadata", scope: "metadata:write" } as const satisfies MemberScope;

/** Whether a member's value needs its scope. */
export function needsScope({ value, except }: MemberScope, given: unknown): boolean {
  if (given === undefined || given === except) return false;
  return value === undefined || given === value || (Array.isArray(given) && given.includes(value));
}

/** One request of the service. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With parameters as `{session_id}`. */
  readonly path: `/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The scope that a key needs; `open` needs no authentication. */
  readonly scope: Scope | "open";
  /** A second scope that every request needs. */
  readonly also?: Scope;
  /** What single members of the query and the body need besides. */
  readonly members?: readonly MemberScope[];
  /** A customer token may send it, and gets only what is that customer's and public. */
  readonly customers?: true;
  /** It reads events: it is counted apart from other requests, and a stream token in the address may stand for a key. */
  readonly events?: true;
  /** A health check. It accepts any host name, and answers while the process stops. */
  readonly probe?: true;
  /** It is written to the audit log. */
  readonly audited?: true;
  /** It takes `If-Match` with the version that a change rests on. */
  readonly versioned?: true;
  readonly query?: z.ZodObject;
  /** A body may be left out if the schema takes `{}` and this says so. */
  readonly body?: z.ZodType;
  readonly bodyOptional?: true;
  readonly answers: { readonly [Status in 200 | 201 | 202 | 204]?: AnswerShape };
  /** Errors besides those that any request may meet. */
  readonly errors: readonly ErrorCode[];
}

/** Declares operations by their ids, which are names of the API. */
export const defineOperations = <const Table extends Readonly<Record<string, Operation>>>(table: Table): Table => table;

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** The parameters in an operation's path. */
export type PathOf<Op extends Operation> = { readonly [Name in Names<Op["path"]>]: string };
/** What was left out is not there, rather than undefined: JSON and addresses know no other way. */
type Exact<Value> = { [Name in keyof Value]: Exclude<Value[Name], undefined> };
/** What a handler gets as query. */
export type QueryOf<Op extends Operation> = Op["query"] extends z.ZodType ? Exact<z.output<Op["query"]>> : undefined;
/** What a handler gets as body. */
export type BodyOf<Op extends Operation> = Op["body"] extends z.ZodType ? Exact<z.output<Op["body"]>> : undefined;
type Answers<Op extends Operation> = Op["answers"];
/** The body of each answer. */
type AnswerBody<Shape> = Shape extends { readonly schema: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
/** What an operation answers with: a status, and the body of that status. */
export type AnswerOf<Op extends Operation> = {
  [Status in keyof Answers<Op>]: { readonly status: Status; readonly body: AnswerBody<Answers<Op>[Status]> };
}[keyof Answers<Op>];

/** Of a command to a session: others have changed it again and again, or its key was used for something else. */
export const ofCommand = ["session.not_found", "session.conflict", "session.idempotency_mismatch"] as const satisfies readonly ErrorCode[];

/** Of metadata that is written. */
export const ofMetadata = ["variables.invalid", "metadata.reserved"] as const satisfies readonly ErrorCode[];

/** Of a customer's id: there is none of that id, or nobody can have it. */
export const ofCustomer = ["customer.not_found", "input.invalid"] as const satisfies readonly ErrorCode[];

/** Of a change of the state: the agent's fields, reducers and version decide on it. */
export const ofStateChange = [
  ...(["agent.not_found", "state.unknown_field", "state.undeclared_write", "state.invalid_value"] as const),
  ...(["state.reducer_mismatch", "state.reducer_failed", "state.definition_newer", "state.migration_missing"] as const),
] as const satisfies readonly ErrorCode[];
