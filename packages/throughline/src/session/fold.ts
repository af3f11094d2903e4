import { ThroughlineError } from "../kernel/error.ts";
import type { JsonObject } from "../kernel/json.ts";
import { foldPatches, parseOperations } from "../kernel/json-patch.ts";
import type { LoadedSession } from "../store/port.ts";
import type { StateData } from "./event.ts";
import { decodeEvent } from "./upcast.ts";

/** Weight of a patch in the fold: its bytes, plus 256 for its row. A checkpoint is due when the patches outweigh the base. */
export const patchWeight = (bytes: number): number => bytes + 256;

/** Below this weight no checkpoint is due, even if the base is smaller. */
export const checkpointFloor = 16 * 1024;

/** Whether a checkpoint is due after patches of this total weight. `baseBytes`: size of the base. */
export const checkpointDue = (weight: number, baseBytes: number): boolean => weight > Math.max(baseBytes, checkpointFloor);

/**
 * Returns the state at an offset: the base with all later patches applied in order. Needs no reducer and no agent code. Throws `state.corrupt` if a
 * patch does not apply.
 */
export function foldState(loaded: Pick<LoadedSession, "session" | "base" | "patches">): {
  readonly document: JsonObject;
  readonly weight: number;
  /** Version of the agent's definition that wrote the last patch; undefined if there are no patches. */
  readonly definition: number | undefined;
} {
  const { session_id } = loaded.session;
  const data = loaded.patches.map((patch): StateData => {
    const event = decodeEvent({ ...emptyEvent, session_id, offset: patch.offset, version: patch.version, data: patch.data });
    if (event.kind !== "state") throw new ThroughlineError("internal");
    return event.data;
  });
  try {
    return {
      document: foldPatches(
        loaded.base.state,
        data.map((state) => parseOperations(state.patch)),
      ),
      weight: loaded.patches.reduce((sum, patch) => sum + patchWeight(patch.bytes), loaded.base.folded?.weight ?? 0),
      definition: data.at(-1)?.definition ?? loaded.base.folded?.definition,
    };
  } catch (cause) {
    throw new ThroughlineError("state.corrupt", `The state of session ${session_id} does not fold after offset ${loaded.base.offset}.`, {
      cause,
      details: { session_id, base: loaded.base.offset },
    });
  }
}

const emptyEvent = { id: "" as never, kind: "state", source: "system", trace_id: "" as never, created_at: 0 } as const;
