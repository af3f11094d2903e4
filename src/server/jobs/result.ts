import { ThroughlineError } from "../../kernel/error.ts";
import type { Store } from "../../store/port.ts";
import { findRecord } from "../../extension/lists.ts";
import { partKey, partKind, type Job, type PartData } from "./job.ts";

/**
 * The result of an export, read part by part as it is taken. `job.not_done`, `job.failed`, and `job.not_found` if there is none, or none any more. `broken` is called
 * when a part cannot be read, and says whether the connection is cut: nobody must take what came for whole.
 */
export async function resultOf(
  store: Store,
  { id, data }: Job,
  broken: (error: unknown) => boolean,
): Promise<{ readonly bytes: number; readonly text: ReadableStream<Uint8Array> }> {
  const { status, result, error } = data;
  if (status === "failed") throw new ThroughlineError("job.failed", `Job ${id} failed: ${error?.message ?? "nobody knows why"}`);
  if (status !== "done") throw new ThroughlineError("job.not_done", `Job ${id} is ${status}.`);
  const gone = (): ThroughlineError => new ThroughlineError("job.not_found", `Job ${id} has no result, or none any more.`);
  const partAt = async (index: number): Promise<Uint8Array> => {
    const part = await findRecord(store, partKind, partKey(id, index));
    if (part === undefined) throw gone();
    return new TextEncoder().encode((part.data as unknown as PartData).text);
  };
  if (result === undefined) throw gone();
  // Looked at before anything is sent: what is missing later breaks the answer off.
  const first = await partAt(0);
  let next = 0;
  const text = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        controller.enqueue(next === 0 ? first : await partAt(next));
        next += 1;
        if (next >= result.parts) controller.close();
      } catch (error) {
        if (!broken(error)) controller.error(error);
      }
    },
  });
  return { bytes: result.bytes, text };
}
