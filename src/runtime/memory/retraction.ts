import { retractFrom } from "../../memory/write/retract.ts";
import type { MemorySettings } from "../../memory/settings.ts";
import type { OwnerChange, SessionRow } from "../../store/port.ts";
import type { RuntimeContext } from "../context.ts";

/** What a withdrawal from an offset on takes back in the owner's memory, as part of its commit; undefined if nothing. */
export async function retraction(
  runtime: RuntimeContext,
  { owner_id, owner_version, session_id }: SessionRow,
  { settings, from }: { readonly settings: MemorySettings; readonly from: number },
): Promise<OwnerChange | undefined> {
  const view = await (await runtime.memory.cache()).whole(owner_id, settings, owner_version);
  const entries = retractFrom(view.entries(), session_id, from);
  return entries.length === 0 ? undefined : { owner_id, depends: { version: owner_version }, entries };
}
