import { ThroughlineError, seen } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { eventAt, headerOf } from "../../extension/commit.ts";
import type { Handle } from "../commands/handle.ts";
import type { Sought } from "./outcome.ts";
import { turnOf } from "./turns.ts";

/** Resolves the offset of a customer's message or the id of a turn. Throws if it does not exist. */
export async function soughtBy(handle: Handle, of: number | string): Promise<Omit<Sought, "idle">> {
  const { runtime, id } = handle;
  if (typeof of === "string") {
    // Read before the turn: if the turn has not started, all its events come after this head.
    const { head } = await headerOf(runtime, id);
    const { turn_id, started_offset } = await turnOf(runtime.store, id, of);
    return { offset: started_offset ?? head, turn_id, message: false };
  }
  const event = Number.isSafeInteger(of) && of >= 0 ? await eventAt(runtime, id, of) : undefined;
  if (event?.kind === "message" && event.source === "customer") return { offset: of, turn_id: undefined, message: true };
  throw noMessage(id, of);
}

const noMessage = (id: SessionId, offset: number): ThroughlineError =>
  new ThroughlineError("log.offset_invalid", `There is no customer's message at offset ${seen(offset)} of session ${id}.`, { details: { offset } });
