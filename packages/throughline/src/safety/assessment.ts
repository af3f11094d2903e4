/** The result of the safety gate for a message, and the record that is kept. Neither contains any text of the person. */
import type { ThroughlineError } from "../kernel/error.ts";

/** 0: nothing acute. 1: unclear, needs a question. 2: thoughts of suicide, or self-harm. 3: imminent danger: a plan, means, a time or an act. */
export type SafetyLevel = 0 | 1 | 2 | 3;

/** Kinds of danger that the gate distinguishes. */
export const riskTypes = ["suicide", "self_harm", "eating_disorder", "violence_to_others", "abuse", "psychosis", "medical_emergency"] as const;
/** A kind of danger. */
export type RiskType = (typeof riskTypes)[number];

/** Kinds of danger that are answered as emergencies, without the questions of a crisis, unless suicide is spoken of besides. The gravest is first. */
export const emergencyRisks = ["medical_emergency", "abuse", "violence_to_others"] as const satisfies readonly RiskType[];
/** A kind of danger that is answered as an emergency. */
export type EmergencyRisk = (typeof emergencyRisks)[number];

/** Emergencies with replies of their own. `attack`: abuse that goes on at this moment. */
export const emergencyKinds = ["medical_emergency", "attack", "abuse", "violence_to_others"] as const;
/** An emergency with a reply of its own. */
export type EmergencyKind = (typeof emergencyKinds)[number];

/** Tells whether an assessment is about emergencies alone. */
export const isOfEmergency = ({ risk_types }: Pick<Assessment, "risk_types">): boolean =>
  risk_types.length > 0 && risk_types.every((type) => emergencyRisks.some((risk) => risk === type));

/** Returns the emergency of an assessment; undefined at levels 0 and 1, and if another kind of danger is spoken of besides. */
export function emergencyOf({ level, risk_types }: Pick<Assessment, "level" | "risk_types">): EmergencyKind | undefined {
  if (level < 2 || !isOfEmergency({ risk_types })) return undefined;
  const risk = emergencyRisks.find((one) => risk_types.includes(one));
  return risk === "abuse" && level === 3 ? "attack" : risk;
}

/** Who is at risk: the writer, or another person whom the writer describes. */
export type RiskSubject = "self" | "other";

/** Confidence in a level. */
export type SafetyConfidence = "low" | "medium" | "high";

/** Reasons for a classifier's decision. The list is closed, so no text of a message enters the audit. The codes in the second row can lower a soft match. */
export const reasonCodes = [
  ...["none", "ambiguous", "passive_wish", "ideation", "self_harm", "plan", "means", "timing", "preparation", "act", "other_at_risk", "other_risk"],
  ...["idiom", "fiction", "game", "quote", "academic", "third_party_info", "past_resolved", "explicit_denial_in_context"],
] as const;
/** The reason for a level. */
export type ReasonCode = (typeof reasonCodes)[number];

/** How a verdict was reached. `static`: the screen found level 3, so the gate waited for no model. `screen_error`: the screen itself failed. */
export const safetyPaths = [
  ...["union", "deterministic_only", "static", "llm_timeout", "llm_error", "llm_invalid", "breaker_open", "screen_error"],
] as const;
/** How an assessment was reached. */
export type SafetyPath = (typeof safetyPaths)[number];

/**
 * Why the level differs from the screen's finding: the degraded floor, a higher or lower classifier verdict, or the floor after a crisis. `released`: a
 * suspicion of earlier turns is over, as `reason_code` tells: `explicit_denial_in_context` after a no, `ambiguous` after two calm turns.
 */
export type SafetyOverride = "none" | "floor" | "raised" | "lowered" | "sticky" | "released";

/**
 * What a level rests on. `match`: rules, named in `matches`. `weights`: the learned weights. `answer`: the answer to a safety question.
 * `unclear_turns`: the third unclear turn of ten. `retraction`: an earlier statement was taken back. `classifier`: its verdict. `open_plan`: the floor
 * of a crisis or of a question that is not answered. `unread_language`, `too_long`, `screen_failed`: no one read the message in full. `distress`:
 * sadness of a minor.
 */
export const safetyGrounds = [
  ...["match", "weights", "answer", "unclear_turns", "retraction", "classifier", "open_plan"],
  ...["unread_language", "too_long", "screen_failed", "distress"],
] as const;
/** What a level rests on. */
export type SafetyGround = (typeof safetyGrounds)[number];

/** The gate's decision about the messages of a turn. The flags always follow from the level. */
export interface Assessment {
  readonly level: SafetyLevel;
  readonly level_deterministic: SafetyLevel;
  /** The classifier's level, if it answered. */
  readonly level_llm?: SafetyLevel;
  readonly confidence: SafetyConfidence;
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  readonly override: SafetyOverride;
  readonly reason_code: ReasonCode;
  readonly path: SafetyPath;
  /** `degraded`: no classifier answered, or the text could not be read in full. */
  readonly quality: "full" | "degraded";
  /** Ids of the screen's matches, never words. */
  readonly matches: readonly string[];
  /** What the level rests on: at least one above level 0, none at level 0. */
  readonly grounds: readonly SafetyGround[];
  /** Language of the message as the screen detected it, named as in the packs. Undefined if it detected none. */
  readonly language?: string;
  readonly needs_crisis_response: boolean;
  readonly needs_clarification: boolean;
}

/** A classifier's verdict on a message. */
export interface ClassifierVerdict {
  readonly level: SafetyLevel;
  readonly confidence: SafetyConfidence;
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  readonly reason_code: ReasonCode;
  /** The decisive part of the message, verbatim; blank for none. A verdict without evidence cannot lower a level. */
  readonly evidence_span: string;
}

/** Input of a classifier: the message, the messages before it, and the earlier level. */
export interface ClassifierInput {
  readonly text: string;
  readonly before: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  /** The highest level of the earlier turns. */
  readonly window_max: SafetyLevel;
}

/** Judges a message. Throws `safety.classifier_invalid` if the answer cannot be read as a verdict, and any error of its own. */
export interface SafetyClassifier {
  readonly name: string;
  /** Identifies the classifier's instructions in the audit, such as by a hash. */
  readonly prompt_version: string;
  /** The classifier uses rules instead of a model. Its silence proves nothing, so assessments stay `degraded`. */
  readonly limited?: true;
  /** `unusable`: why the answer before this one could not be used. A call is repeated once. */
  classify(input: ClassifierInput, options: { readonly signal: AbortSignal; readonly unusable?: string }): Promise<ClassifierVerdict>;
}

/** The consequence of an assessment. `none`: the turn continued as usual or ended without a reply; `reply_completed` tells which. */
export type SafetyAction = "none" | "clarify" | "crisis_reply" | "static_reply" | "manual";

/**
 * An assessment as it is stored, including level 0. It can be linked to a person only while that person's secret exists. Erasing the person destroys
 * the secret.
 */
export interface AssessmentRecord extends Omit<Assessment, "needs_crisis_response" | "needs_clarification" | "grounds"> {
  /** Absent in records of an older version. */
  readonly grounds?: Assessment["grounds"];
  readonly audit_id: string;
  readonly at: number;
  /** Keyed hashes; random if there is no key. */
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
  /** Region as an ISO code, never in the person's words. */
  readonly region?: string;
  /** Ids of the resources that the reply showed, and the version of their table. */
  readonly resources_shown: readonly string[];
  readonly resources_version?: string;
  /** What the output guard removed from a model's reply, and what the reply lacked: kinds, never words. */
  readonly guarded: readonly string[];
  readonly reply_completed: boolean;
  readonly escalation?: "queued" | "failed" | "none";
  readonly incognito?: true;
  /** Extends retention until this time, with the reason. */
  readonly hold?: { readonly until: number; readonly reason: string };
}

/** All that an alert tells about a person in danger. */
export interface EscalationEvent {
  /** Identifies the event that raised the alert. It stays the same on every delivery. */
  readonly key: string;
  readonly level: SafetyLevel;
  readonly risk_types: readonly RiskType[];
  readonly subject: RiskSubject;
  readonly at: number;
  readonly session_id: string;
}

/** Receives alerts about people in danger. Delivery is at least once per `key`. The runtime records the result that the sink reports and claims no more. */
export interface EscalationSink {
  readonly name: string;
  notify(event: EscalationEvent, options: { readonly signal: AbortSignal }): Promise<"queued">;
  /** Reports, once, that no one acknowledged an alert by its deadline (`sinkDeadlineMs`). */
  missed?(event: EscalationEvent, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** Fallback log on a separate disk: keeps assessments that the store does not accept until it does. `append` resolves once the line is durable. */
export interface AssessmentSpool {
  append(record: AssessmentRecord): Promise<void>;
  /** Passes each record to `write`, oldest first, and removes it once `write` resolves. Stops at the first failure. Returns the number of records left. */
  drain(write: (record: AssessmentRecord) => Promise<void>): Promise<number>;
  /** Returns the number of waiting records. */
  waiting?(): Promise<number>;
}

/** Reports that a gate or its audit works without one of its parts. Never throws. */
export type SafetyTrouble = (what: string, error: ThroughlineError) => void;
