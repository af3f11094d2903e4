/** Taking conversations out of a database: loaded when it is done, since few programs do. */
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import type { ExportOptions } from "./export-bundle.ts";

/** A session with its owner as lines of JSON; a fork with all that it shares. `session.not_found` if there is none. */
export async function* exportSession(store: Store, id: SessionId, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./export-bundle.ts")).sessionBundle(store, id, options);
}

/** A customer with memory and all sessions as lines of JSON; `customer.not_found` if there is none. */
export async function* exportCustomer(store: Store, id: string, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./export-bundle.ts")).customerBundle(store, id, options);
}
