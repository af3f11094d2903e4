/** Feedback on a session at its end: a label and numbers, without the person's identity, stored for 180 days. */
import { commitOnce, headerOf, refused } from "../../extension/commit.ts";
import { itemsOf } from "../../extension/lists.ts";
import type { ExtensionContext } from "../../extension/port.ts";
import { seen, ThroughlineError } from "../../kernel/error.ts";
import type { SessionId } from "../../kernel/id.ts";
import { isIncognito } from "../../session/session-view.ts";
import { dayMs, dayOf, refsFor } from "./assessment-record.ts";
import { addCounts, type Counts } from "../assessment-totals.ts";

/** The labels of feedback. */
export const feedbackLabels = ["positive", "negative", "skip"] as const;
/** A label of feedback. */
export type FeedbackLabel = (typeof feedbackLabels)[number];

/** Where the person gave the feedback. */
export const feedbackSources = ["cli_end", "cli_exit", "api_end"] as const;
/** A source of feedback. */
export type FeedbackSource = (typeof feedbackSources)[number];

/** Feedback on a session. It can be linked to a person only while that person's secret exists. */
export interface Feedback {
  readonly id: string;
  readonly label: FeedbackLabel;
  readonly source: FeedbackSource;
  readonly recorded_at: number;
  readonly turn_count_at_end: number;
  /** A keyed hash; random in an incognito session. */
  readonly session_ref: string;
  /** A keyed hash; null in an incognito session. */
  readonly subject_ref: string | null;
  readonly schema_version: 1;
}

/** Record kind of feedback; the key is the day and an id. */
const feedbackKind = "feedback";

const keptMs = 180 * dayMs;

function check(path: string, known: readonly string[], value: unknown): void {
  if (known.some((one) => one === value)) return;
  throw new ThroughlineError("input.invalid", `${path} is ${known.join(", ")}, got ${seen(value)}.`, { details: { path } });
}

/**
 * Stores a person's feedback on a session. Each call adds a record. Throws `input.invalid` for an unknown label or source. If the store fails, it
 * logs the failure and returns null, so the session can still end.
 */
export async function giveFeedback(
  runtime: ExtensionContext,
  session_id: SessionId,
  { label, source = "api_end" }: { readonly label: FeedbackLabel; readonly source?: FeedbackSource | undefined },
): Promise<Feedback | null> {
  check("label", feedbackLabels, label);
  check("source", feedbackSources, source);
  try {
    const session = await headerOf(runtime, session_id);
    const recorded_at = runtime.clock.now();
    const id = runtime.ids.trace();
    const { session_ref, subject_ref } = await refsFor(runtime, { session, turn_id: id });
    const data: Feedback = {
      ...{ id, label, source, recorded_at, turn_count_at_end: session.last_turn, session_ref },
      subject_ref: isIncognito(session) || subject_ref === "" ? null : subject_ref,
      schema_version: 1,
    };
    const key = `${dayOf(recorded_at)}/${id}`;
    const written = await commitOnce(runtime, { records: [{ kind: feedbackKind, key, data: { ...data }, expires_at: recorded_at + keptMs }] });
    if (written.outcome === "refused") throw refused(written, undefined);
    return data;
  } catch (error) {
    if (ThroughlineError.is(error, "session.not_found")) throw error;
    runtime.logger.warn("feedback was not kept", { session_id, code: ThroughlineError.from(error).code });
    return null;
  }
}

/** Counts the feedback per label within a range of days. */
export async function feedbackCounts(
  { store }: Pick<ExtensionContext, "store">,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Counts> {
  let counts: Counts = {};
  for await (const { key, data } of itemsOf(store, { of: "records", kind: feedbackKind })) {
    const day = key.slice(0, 10);
    if (day > to) break;
    if (day >= from && typeof data["label"] === "string") counts = addCounts(counts, { [data["label"]]: 1 });
  }
  return counts;
}
