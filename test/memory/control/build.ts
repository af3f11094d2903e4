import type { SessionId } from "../../../packages/throughline/src/kernel/id.ts";
import type { EntryRow } from "../../../packages/throughline/src/store/port.ts";
import { snapshotOf, type MemorySnapshot } from "../../../packages/throughline/src/memory/control/snapshot-listing.ts";
import {
  profileId,
  turnEntryId,
  type Arc,
  type EntryWrite,
  type Fact,
  type RememberedTurn,
  type Rule,
} from "../../../packages/throughline/src/memory/entry.ts";
import { encodeEntry } from "../../../packages/throughline/src/memory/write/decode.ts";

export const owner = "own_test";
export const session = "ses_00000000000000000000000001" as SessionId;
export const day = Date.UTC(2026, 2, 1);

export const fact = (quote: string, object: string, more: Partial<Fact> & { readonly offset?: number } = {}): Fact => {
  const { offset = 1, ...rest } = more;
  return {
    type: "fact",
    category: "relationship",
    subject: { type: "User", id: "user" },
    predicate: "KNOWS",
    object: { type: "Person", id: object },
    quote,
    confidence: "high",
    authority: "extraction",
    sources: [{ session_id: session, offset, at: day }],
    written: "episode_end",
    reason: "said so",
    policy: "test",
    recorded_at: day,
    sensitivity: "ordinary",
    ...rest,
  };
};

export const turn = (text: string, offset: number): RememberedTurn => ({
  type: "turn",
  text,
  source: { session_id: session, offset, at: day },
  episode: 1,
  recorded_at: day + offset,
  sensitivity: "ordinary",
});

export const arc = (summary: string, more: Partial<Arc> = {}): Arc => ({
  type: "arc",
  session_id: session,
  episode: 1,
  started_at: day,
  ended_at: day,
  from: 1,
  upto: 20,
  turn_count: 5,
  summary,
  themes: [],
  open_loops: [],
  resolved: [],
  policy: "test",
  recorded_at: day,
  sensitivity: "ordinary",
  ...more,
});

export const rule = (id: string, text: string, evidence: readonly string[]): Rule => ({
  id,
  text,
  evidence,
  sources: [],
  confidence: "high",
  authority: "extraction",
  added_at: day,
});

/** Writes as rows, after those there are; what is removed goes with all its versions, as a store does it. */
export function applied(rows: readonly EntryRow[], writes: readonly EntryWrite[]): readonly EntryRow[] {
  let version = rows.at(-1)?.version ?? 0;
  let after = [...rows];
  for (const { entry_id, kind, data } of writes) {
    if (data === null) after = after.filter((row) => row.entry_id !== entry_id);
    after.push({ version: (version += 1), entry_id, kind, data, created_at: day });
  }
  return after;
}

export const turnWrite = (text: string, offset: number): EntryWrite => encodeEntry(turnEntryId(session, offset), turn(text, offset));
export const profileWrite = (...rules: readonly Rule[]): EntryWrite =>
  encodeEntry(profileId, { type: "profile", recall_enabled: true, rules, archived: [] });

export const snapshot = (rows: readonly EntryRow[]): MemorySnapshot => snapshotOf(owner, rows);
export const memoryOf = (...writes: readonly EntryWrite[]): MemorySnapshot => snapshot(applied([], writes));
