/** A turn that cannot even begin: what was written is answered all the same, and that it was looked at is on record. */
import type { Extension, InsteadOfApology } from "../../extension/port.ts";
import type { Assessment } from "../assessment.ts";
import { combine } from "../combine.ts";
import type { SafetySettings } from "../settings.ts";
import { newEvent } from "../../session/new-event.ts";
import type { LoadedSession } from "../../store/port.ts";
import { lastWords } from "./without-store.ts";
import { assessmentRecord, recordChange } from "../audit/record.ts";
import { refsFor } from "../audit/refs.ts";
import { screening } from "./screening.ts";

/** What is said in the place of an answer, and the assessment, for the commit that ends the turn. One that an earlier attempt has left is not made again. */
export async function unbegunSafely(
  safety: SafetySettings,
  { context: runtime, claim, loaded, agent, text }: Parameters<NonNullable<Extension["insteadOfApology"]>>[0],
): Promise<InsteadOfApology> {
  const assessed = assessedIn(loaded);
  const said = lastWords(safety, text, { saved: true, now: runtime.clock.now(), atLeast: assessed?.level ?? 0 });
  const reply = said ?? agent.apology;
  if (assessed !== undefined || text === "") return { text: reply, events: [], records: [] };
  const { turn_id, number, created_at: at } = claim.turn;
  const { session } = loaded;
  const { screened } = screening(safety, text);
  const path = screened?.level === 3 ? "static" : "deterministic_only";
  const assessment = combine({ text, screened, path, profile: safety.profile, now: at });
  const refs = await refsFor(runtime, { session, turn_id });
  const action = said === undefined ? "none" : assessment.level === 1 ? "clarify" : "static_reply";
  const record = assessmentRecord({ assessment, refs, agent, safety, at, session, action, reply_completed: said !== undefined });
  const { audit_id, level } = record;
  return {
    text: reply,
    events: [newEvent("assessment", "system", { audit_id, level }, { turn: number })],
    records: [recordChange(record, safety.retentionDays, session)],
  };
}

/** What an earlier attempt has found. */
function assessedIn({ journal }: LoadedSession): Assessment | undefined {
  const entry = journal.find(({ kind, data }) => kind === "turn" && data["assessment"] !== undefined);
  return entry?.data["assessment"] as unknown as Assessment | undefined;
}
