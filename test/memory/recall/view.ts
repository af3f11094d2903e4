/** A memory for tests, as a process knows it. */
import type { Entry } from "../../../packages/throughline/src/memory/entry.ts";
import { createVectorIndex } from "../../../packages/throughline/src/memory/recall/dense.ts";
import { createMemoryIndex } from "../../../packages/throughline/src/memory/recall/memory-index.ts";
import { MemoryView } from "../../../packages/throughline/src/memory/view.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";

/** A view of these entries, in the order of their versions. */
export function viewOf(entries: Readonly<Record<string, Entry>>, embedding?: { readonly id: string; readonly dimensions: number }): MemoryView {
  const view = new MemoryView({ index: createMemoryIndex(), vectors: embedding === undefined ? undefined : createVectorIndex(embedding) });
  Object.entries(entries).forEach(([entry_id, entry], index) => {
    const { kind, data } = encodeEntry(entry_id, entry);
    view.apply({ version: index + 1, entry_id, kind, data, created_at: 0 });
  });
  return view;
}
