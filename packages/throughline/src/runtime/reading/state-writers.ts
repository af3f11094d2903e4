/** Who wrote each field of the state last. */
import { headerOf } from "../../extension/commit.ts";
import { invalidAt } from "../../extension/failure.ts";
import { seen } from "../../kernel/error.ts";
import { parsePointer } from "../../kernel/json.ts";
import type { PatchOperation } from "../../kernel/json-patch.ts";
import type { Writer } from "../../session/event.ts";
import { decodeEvent } from "../../session/fold.ts";
import type { Handle } from "../commands/handle.ts";
import { stateAt } from "./state-at.ts";

/** The last change of a field. */
export interface FieldWritten {
  /** Offset of the change. For a field that no event of the log has changed, the offset that the log starts with. */
  readonly offset: number;
  /** Absent for a field that has its first value, or a value from before the log was cut. */
  readonly writer?: Writer;
}

/** The last writer of each field. */
export interface StateWriters {
  readonly offset: number;
  readonly fields: Readonly<Record<string, FieldWritten>>;
}

/** Offsets per read. The search goes backwards and ends when every field is found. */
const stride = 1_000;

/** Returns the fields that a patch changes; undefined if it replaces the whole state. */
function fieldsIn(patch: readonly PatchOperation[]): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  for (const operation of patch) {
    const paths = operation.op === "move" ? [operation.path, operation.from] : [operation.path];
    for (const path of operation.op === "test" ? [] : paths) {
      const [name] = parsePointer(path);
      if (name === undefined) return undefined;
      names.add(name);
    }
  }
  return names;
}

/** Returns the last writer of each stored field, at the head or at an offset. */
export async function stateWriters(handle: Pick<Handle, "runtime" | "id">, { at }: { readonly at?: number } = {}): Promise<StateWriters> {
  if (at !== undefined && !(Number.isSafeInteger(at) && at >= 0))
    throw invalidAt("input.invalid", "at", `at is a whole number from 0, got ${seen(at)}.`);
  const { runtime, id } = handle;
  const { offset, state_offset, document } = await stateAt(handle, at === undefined ? {} : { at });
  const { first_offset } = await headerOf(runtime, id);
  const missing = new Set(Object.keys(document));
  const found = new Map<string, FieldWritten>();
  for (let upto = state_offset; missing.size > 0 && upto >= first_offset; upto -= stride) {
    const min_offset = Math.max(first_offset, upto - stride + 1);
    const page = await runtime.store.read({ session_id: id, min_offset, max_offset: upto, kinds: ["state"], limit: stride, withdrawn: true });
    for (const stored of page?.events.toReversed() ?? []) {
      const event = decodeEvent(stored);
      if (event.kind !== "state") continue;
      const { patch, writer } = event.data;
      const changed = fieldsIn(patch) ?? missing;
      for (const name of [...missing].filter((one) => changed.has(one))) {
        missing.delete(name);
        found.set(name, { offset: event.offset, writer });
      }
    }
  }
  for (const name of missing) found.set(name, { offset: first_offset });
  return { offset, fields: Object.fromEntries([...found].toSorted(([left], [right]) => (left < right ? -1 : 1))) };
}
