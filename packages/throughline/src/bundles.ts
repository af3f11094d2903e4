/** Exports and imports of conversations. The code is loaded on first use, because few programs need it. */
import { kept } from "./create-runtime.ts";
import type { SessionId } from "./kernel/id.ts";
import type { ExportOptions } from "./runtime/transfer/export-bundle.ts";
import type { ImportOptions, ImportReport } from "./runtime/transfer/import-bundle.ts";
import type { Store } from "./store/port.ts";

/** Yields a session with its owner as lines of JSON. A fork includes its shared events. Throws `session.not_found` if there is none. */
export async function* exportSession(store: Store, id: SessionId, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./runtime/transfer/export-bundle.ts")).sessionBundle(store, id, options);
}

/** Yields a customer with memory and all sessions as lines of JSON. Throws `customer.not_found` if there is none. */
export async function* exportCustomer(store: Store, id: string, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./runtime/transfer/export-bundle.ts")).customerBundle(store, id, options);
}

/**
 * Imports a complete bundle. Throws `bundle.invalid` for an incomplete one before anything is written. A bundle of an existing customer throws
 * `customer.exists`, unless it holds one session, which is added to that customer.
 *
 * Sessions are written under a temporary owner. When all are complete, one commit assigns them to the customer. Workers do not claim them until then.
 * A failed import is erased. After an import was killed, importing the same bundle again erases its remains, or completes it.
 */
export async function importBundle(
  store: Store,
  lines: AsyncIterable<string> | Iterable<string>,
  options: ImportOptions = {},
): Promise<ImportReport> {
  return (await import("./runtime/transfer/import-bundle.ts")).readIn(store, lines, options, kept);
}
