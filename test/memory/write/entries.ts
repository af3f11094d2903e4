/** Entries for tests. */
import type { SessionId } from "../../../packages/throughline/src/kernel/id.ts";
import type { Arc, Fact, RememberedTurn, Source } from "../../../packages/throughline/src/memory/entry.ts";

export const sessionId = "ses_00000000000000000000000001" as SessionId;
export const source = (offset: number, at = offset * 1000, session_id = sessionId): Source => ({ session_id, offset, at });

export const fact = (more: Partial<Fact>): Fact => ({
  type: "fact",
  category: "context",
  subject: { type: "User", id: "user" },
  predicate: "LIVES_IN",
  object: { type: "Place", id: "Lisbon" },
  quote: "I live in Lisbon",
  confidence: "medium",
  authority: "extraction",
  sources: [source(1)],
  written: "episode_end",
  reason: "said so",
  policy: "test",
  recorded_at: 2000,
  sensitivity: "personal",
  ...more,
});

export const turn = (text: string, more: Partial<RememberedTurn> = {}): RememberedTurn => ({
  type: "turn",
  text,
  source: source(1),
  episode: 0,
  recorded_at: 1000,
  sensitivity: "ordinary",
  ...more,
});

export const arc = (more: Partial<Arc> = {}): Arc => ({
  type: "arc",
  session_id: sessionId,
  episode: 0,
  started_at: 1000,
  ended_at: 9000,
  from: 1,
  upto: 9,
  turn_count: 4,
  summary: "They talked about work.",
  themes: ["work"],
  open_loops: [],
  resolved: [],
  policy: "test",
  recorded_at: 9000,
  sensitivity: "ordinary",
  ...more,
});
