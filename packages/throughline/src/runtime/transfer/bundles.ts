/** Exports of conversations. The code is loaded on first use, because few programs need it. */
import type { SessionId } from "../../kernel/id.ts";
import type { Store } from "../../store/port.ts";
import type { ExportOptions } from "./export-bundle.ts";

/** Yields a session with its owner as lines of JSON. A fork includes its shared events. Throws `session.not_found` if there is none. */
export async function* exportSession(store: Store, id: SessionId, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./export-bundle.ts")).sessionBundle(store, id, options);
}

/** Yields a customer with memory and all sessions as lines of JSON. Throws `customer.not_found` if there is none. */
export async function* exportCustomer(store: Store, id: string, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
  yield* (await import("./export-bundle.ts")).customerBundle(store, id, options);
}
