/** What a person can say of a session when it ends, and what is kept of it. */

/** What can be said of a session. */
export const feedbackLabels = ["positive", "negative", "skip"] as const;
/** One of them. */
export type FeedbackLabel = (typeof feedbackLabels)[number];

/** Where it was said. */
export const feedbackSources = ["cli_end", "cli_exit", "api_end"] as const;
/** One of them. */
export type FeedbackSource = (typeof feedbackSources)[number];

/** What was said of a session. Whose it was can be told only as long as the person's own secret exists. */
export interface Feedback {
  readonly id: string;
  readonly label: FeedbackLabel;
  readonly source: FeedbackSource;
  readonly recorded_at: number;
  readonly turn_count_at_end: number;
  /** A keyed hash; by chance in an incognito session. */
  readonly session_ref: string;
  /** A keyed hash; null in an incognito session. */
  readonly subject_ref: string | null;
  readonly schema_version: 1;
}
