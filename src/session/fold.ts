import { ThroughlineError } from "../kernel/error.ts";
import type { JsonObject } from "../kernel/json.ts";
import { foldPatches, parseOperations } from "../kernel/json-patch.ts";
import type { LoadedSession } from "../store/port.ts";
import type { StateData } from "./event.ts";
import { decodeEvent } from "./upcast.ts";

/** The fold's weight: bytes of its patches, and 256 for each row. A checkpoint is due when it outweighs the base. */
export const patchWeight = (bytes: number): number => bytes + 256;

/** Below this weight no checkpoint is due, however small the base is. */
export const checkpointFloor = 16 * 1024;

/** Whether patches of that weight since a base of `baseBytes` make a checkpoint due. */
export const checkpointDue = (weight: number, baseBytes: number): boolean => weight > Math.max(baseBytes, checkpointFloor);

/** State at an offset: the base and the patches after it, applied in order. Needs no reducer and no code of the agent. */
export function foldState(loaded: Pick<LoadedSession, "session" | "base" | "patches">): {
  readonly document: JsonObject;
  readonly weight: number;
  /** Version of the agent's definition that wrote the last patch; undefined when the base is all there is. */
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
      weight: loaded.patches.reduce((sum, patch) => sum + patchWeight(patch.bytes), 0),
      definition: data.at(-1)?.definition,
    };
  } catch (cause) {
    throw new ThroughlineError("state.corrupt", `The state of session ${session_id} does not fold after offset ${loaded.base.offset}.`, {
      cause,
      details: { session_id, base: loaded.base.offset },
    });
  }
}

const emptyEvent = { id: "" as never, kind: "state", source: "system", trace_id: "" as never, created_at: 0 } as const;
