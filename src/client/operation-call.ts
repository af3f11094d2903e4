/** The arguments and results of each operation, derived from the operations of the protocol; and pages of lists. */
import type { OperationId, WireOperations } from "./wire.ts";

/** Options of any request. */
export interface RequestOptions {
  /** Gives the request up. */
  readonly signal?: AbortSignal;
  /** Names the request, so that it has its effect once however often it is sent: also over restarts of the caller. Made up if left out. */
  readonly idempotencyKey?: string;
  /** The version that a change rests on (`If-Match`): `request.precondition_failed` if there is a newer one. */
  readonly ifVersion?: number;
  /** Milliseconds that each try may take, its answer included. */
  readonly timeoutMs?: number;
}

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? unknown
  : Record<never, never> extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

/** The arguments of a call: path parameters, query and body, where the operation has them. */
export type CallOf<Id extends OperationId> = Part<"path", WireOperations[Id]["path"]> &
  Part<"query", QueryFor<Id>> &
  Part<"body", BodyFor<Id>> &
  RequestOptions;

/** The answer of an operation; undefined without a body. */
export type ResultOf<Id extends OperationId> = WireOperations[Id]["answer"];
/** The body of an operation, with its defaults. */
export type BodyFor<Id extends OperationId> = WireOperations[Id]["body"];
/** The query of an operation. */
export type QueryFor<Id extends OperationId> = WireOperations[Id]["query"];

/** A call whose operation is not known to the compiler. */
export interface AnyCall extends RequestOptions {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** That it is not there is what is wanted, if a try before may have seen to it. */
  readonly removes?: true;
}

/** Sends a request by the id of its operation. */
export type Caller = <Id extends OperationId>(id: Id, call: CallOf<Id> & Pick<AnyCall, "removes">) => Promise<ResultOf<Id>>;

/** A page of a list. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next_cursor: string | null;
}

/** The items of all pages, each page asked for when the one before is read. */
export async function* pagesOf<Item>(next: (cursor: { readonly cursor?: string }) => Promise<Page<Item>>): AsyncGenerator<Item, void, undefined> {
  for (let cursor: { readonly cursor?: string } | undefined = {}; cursor !== undefined;) {
    const page: Page<Item> = await next(cursor);
    yield* page.items;
    cursor = page.next_cursor === null ? undefined : { cursor: page.next_cursor };
  }
}
