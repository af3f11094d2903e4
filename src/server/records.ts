/** Records of the service: writing them, and changing one that others may change at the same time. */
import { createIds } from "../kernel/id.ts";
import { systemClock } from "../kernel/clock.ts";
import { silentLogger } from "../kernel/log.ts";
import { ThroughlineError } from "../kernel/error.ts";
import { changes, commitOnce } from "../extension/commit.ts";
import type { WriterContext } from "../extension/port.ts";
import { findRecord } from "../extension/lists.ts";
import type { CommitResult, RecordChange, RecordRow } from "../store/port.ts";

/** What writing records needs; what is left out is the system's own. */
export type RecordWriter = Pick<WriterContext, "store"> & Partial<WriterContext>;

/** Writes records in one commit, repeated if its answer is lost. */
export function writeRecords(writer: RecordWriter, ...records: readonly RecordChange[]): Promise<CommitResult> {
  const { store, clock = systemClock, ids = createIds({ clock }), logger = silentLogger } = writer;
  return commitOnce({ store, clock, ids, logger }, { records });
}

/** What a record becomes, and records that are written with it. */
export interface RecordDecision extends Omit<RecordChange, "kind" | "key" | "depends"> {
  readonly also?: readonly RecordChange[];
}

/** Changes a record as it stands, and anew if somebody else was faster. `decide` gets undefined where there is none, and gives it for no change. */
export async function changeRecord(
  writer: RecordWriter,
  { kind, key }: { readonly kind: string; readonly key: string },
  decide: (current: RecordRow | undefined) => RecordDecision | undefined,
): Promise<RecordRow | undefined> {
  for (let tries = 1; ; tries++) {
    const current = await findRecord(writer.store, kind, key);
    const decided = decide(current);
    if (decided === undefined) return current;
    const { also = [], ...change } = decided;
    const result = await writeRecords(writer, { kind, key, depends: { version: current?.version ?? 0 }, ...change }, ...also);
    if (result.outcome === "committed") return findRecord(writer.store, kind, key);
    if (result.reason !== "stale_record" || tries === changes)
      throw new ThroughlineError("store.failed", `A record of kind ${kind} was refused: ${result.reason}.`);
  }
}
