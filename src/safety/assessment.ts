/** What a gate finds in a message, and what is kept of it. Neither holds a word of what a person wrote. */
import type { ThroughlineError } from "../kernel/error.ts";

/** 0 nothing acute; 1 unclear, to be asked about; 2 thoughts of suicide, or self-harm; 3 in danger now: a plan, means, a time, an act. */
export type SafetyLevel = 0 | 1 | 2 | 3;

/** Kinds of danger that a gate tells apart. */
export const riskTypes = ["suicide", "self_harm", "eating_disorder", "violence_to_others", "abuse", "psychosis", "medical_emergency"] as const;
/** A kind of danger. */
export type RiskType = (typeof riskTypes)[number];

/** Who is at risk: who writes, or somebody they write about. */
export type RiskSubject = "self" | "other";

/** How sure a level is. */
export type SafetyConfidence = "low" | "medium" | "high";

/** Why a classifier decided as it did: a closed list, so that nothing of a message gets into an audit. The second row may lower a soft match. */
export const reasonCodes = [
  ...["none", "ambiguous", "passive_wish", "ideation", "self_harm", "plan", "means", "timing", "preparation", "act", "other_at_risk", "other_risk"],
  ...["idiom", "fiction", "game", "quote", "academic", "third_party_info", "past_resolved", "explicit_denial_in_context"],
] as const;
/** Why a level is what it is. */
export type ReasonCode = (typeof reasonCodes)[number];

/** Where a verdict comes from. `static`: a level 3 of the screen, which waits for no model; `screen_error`: the screen itself failed. */
export const safetyPaths = [
  ...["union", "deterministic_only", "static", "llm_timeout", "llm_error", "llm_invalid", "breaker_open", "screen_error"],
] as const;
/** How an assessment came about. */
export type SafetyPath = (typeof safetyPaths)[number];

/** What moved the level away from what was found: the degraded floor, the classifier upwards or downwards, the floor after a crisis. */
export type SafetyOverride = "none" | "floor" | "raised" | "lowered" | "sticky";

/** What a gate has decided about the messages of a turn. The flags follow from the level, always. */
export interface Assessment {
  readonly level: SafetyLevel;
  readonly level_deterministic: SafetyLevel;
  /** What the classifier said, if it answered. */
  readonly level_llm?: SafetyLevel;
  readonly confidence: SafetyConfidence;
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  readonly override: SafetyOverride;
  readonly reason_code: ReasonCode;
  readonly path: SafetyPath;
  /** `degraded`: no classifier has answered, or the text could not be read whole. */
  readonly quality: "full" | "degraded";
  /** Ids of what the screen found, never words. */
  readonly matches: readonly string[];
  /** Language that the screen took the message for, as in its packs; undefined if none. */
  readonly language?: string;
  readonly needs_crisis_response: boolean;
  readonly needs_clarification: boolean;
}

/** What a classifier answers about a message. */
export interface ClassifierVerdict {
  readonly level: SafetyLevel;
  readonly confidence: SafetyConfidence;
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  readonly reason_code: ReasonCode;
  /** Part of the message that it rests on, word for word; blank for none. Without one a verdict cannot lower anything. */
  readonly evidence_span: string;
}

/** What a classifier is given: the message, what was said before it, and how grave it was. */
export interface ClassifierInput {
  readonly text: string;
  readonly before: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** The highest level of the turns before. */
  readonly window_max: SafetyLevel;
}

/** Judges a message. Throws `safety.classifier_invalid` for an answer that is none, and whatever else went wrong. */
export interface SafetyClassifier {
  readonly name: string;
  /** Names the instructions that it was given, such as a hash, for the audit. */
  readonly prompt_version: string;
  /** Rules, in the place of a model: what it does not see is no proof, and assessments stay `degraded`. */
  readonly limited?: true;
  classify(input: ClassifierInput, options: { readonly signal: AbortSignal }): Promise<ClassifierVerdict>;
}

/** What happened because of an assessment. `none`: the turn went on as usual, or ended without a reply (`reply_completed` tells which). */
export type SafetyAction = "none" | "clarify" | "crisis_reply" | "static_reply" | "manual";

/** An assessment as it is kept, level 0 included. Who it is about can be told only as long as the person's own secret exists, which erasing them destroys. */
export interface AssessmentRecord extends Omit<Assessment, "needs_crisis_response" | "needs_clarification"> {
  readonly audit_id: string;
  readonly at: number;
  /** Keyed hashes; random where there is no key. */
  readonly subject_ref: string;
  readonly session_ref: string;
  readonly turn_ref: string;
  readonly agent: string;
  readonly policy_version: string;
  readonly pack_versions: Readonly<Record<string, string>>;
  readonly classifier?: string;
  readonly prompt_version?: string;
  readonly gate_ms: number;
  readonly deterministic_ms: number;
  readonly llm_ms?: number;
  readonly action: SafetyAction;
  readonly lookup_status?: string;
  /** Region as an ISO code, never as the person wrote it. */
  readonly region?: string;
  /** Ids of the resources that were shown, and the version of their table. */
  readonly resources_shown: readonly string[];
  readonly resources_version?: string;
  /** What the output guard took out: kinds, never words. */
  readonly guarded: readonly string[];
  readonly reply_completed: boolean;
  readonly escalation?: "queued" | "failed" | "none";
  readonly incognito?: true;
  /** Kept for longer than others, until a time, and why. */
  readonly hold?: { readonly until: number; readonly reason: string };
}

/** What is said of a person in danger, and no more. */
export interface EscalationEvent {
  /** Names what raised it, the same however often it is told. */
  readonly key: string;
  readonly level: SafetyLevel;
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  readonly at: number;
  readonly session_id: string;
}

/** Told of a person in danger, so that somebody can look. At least once per `key`; the runtime writes down what it says and claims nothing else. */
export interface EscalationSink {
  readonly name: string;
  notify(event: EscalationEvent, options: { readonly signal: AbortSignal }): Promise<"queued">;
  /** Told, once, that nobody has seen to an alert by its deadline (`sinkDeadlineMs`). */
  missed?(event: EscalationEvent, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Keeps assessments that no store takes, on a disk of their own, until one does. `append` returns when the line is safe. */
export interface AssessmentSpool {
  append(record: AssessmentRecord): Promise<void>;
  /** Gives each record to `write`, oldest first, and removes it once that has resolved; stops at the first failure. Returns how many are left. */
  drain(write: (record: AssessmentRecord) => Promise<void>): Promise<number>;
  /** How many wait. */
  waiting?(): Promise<number>;
}

/** Told when a gate or its audit has to do without something; never throws. */
export type SafetyTrouble = (what: string, error: ThroughlineError) => void;
