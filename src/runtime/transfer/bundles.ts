/** Taking conversations out of a database, and into another: loaded when it is done, since few programs do. */
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import type { ExportOptions } from "./export-bundle.ts";
import type { ImportOptions, ImportReport } from "./import-bundle.ts";

/** A session with its owner as lines of JSON; a fork with all that it shares. `session.not_found` if there is none. */
export async function* exportSession(store: Store, id: SessionId, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./export-bundle.ts")).sessionBundle(store, id, options);
}

/** A customer with memory and all sessions as lines of JSON; `customer.not_found` if there is none. */
export async function* exportCustomer(store: Store, id: string, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./export-bundle.ts")).customerBundle(store, id, options);
}

/**
 * Imports a bundle that is whole; anything else is refused as `bundle.invalid` before anything is written. A bundle of a customer who is there already is refused
 * with `customer.exists`, unless it holds one session, which is added to that customer.
 *
 * Sessions are written under an owner that nobody knows and given to the customer by one commit when all are whole, and workers leave them alone until then. What
 * an import that failed has written is erased; after one that was killed, importing the same bundle again does that first, or finishes what was whole.
 */
export async function importBundle(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  return (await import("./import-bundle.ts")).readIn(store, lines, options);
}
