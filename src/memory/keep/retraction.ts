import type { MemorySettings } from "../settings.ts";
import { decodeEntries } from "../write/decode.ts";
import { retractFrom } from "../write/retract.ts";
import type { OwnerChange, SessionRow } from "../../store/port.ts";
import type { RuntimeContext } from "../../runtime/context.ts";
import { entriesOf } from "../../extension/lists.ts";

/**
 * What a withdrawal from an offset on takes back in the owner's memory, as part of its commit; undefined if nothing. Without `settings` (this process does
 * not have the session's agent, or has it without a memory) the entries are read from the store: what was remembered must go all the same.
 */
export async function retraction(
  { store, memory }: Pick<RuntimeContext, "store" | "memory">,
  { owner_id, owner_version, session_id }: SessionRow,
  { settings, from }: { readonly settings: MemorySettings | undefined; readonly from: number },
): Promise<OwnerChange | undefined> {
  const known =
    settings === undefined
      ? decodeEntries(await Array.fromAsync(entriesOf(store, { owner_id }))).entries
      : (await (await memory.cache()).whole(owner_id, settings, owner_version)).entries();
  const entries = retractFrom(known, session_id, from);
  return entries.length === 0 ? undefined : { owner_id, depends: { version: owner_version }, entries };
}
