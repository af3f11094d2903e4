/** Combines the findings into a decision. The higher of two levels counts. One narrow rule lowers a level, and floors hold if a finding is missing. */
import {
  type Assessment,
  type ClassifierVerdict,
  emergencyOf,
  type ReasonCode,
  type RiskSubject,
  type RiskType,
  riskTypes,
  type SafetyGround,
  safetyGrounds,
  type SafetyLevel,
  type SafetyOverride,
  type SafetyPath,
} from "./assessment.ts";
import { contextFrom, type CrisisPlan, isOpening, isSticky, type PlanQuestion, releasedBy, windowMax } from "./crisis-plan.ts";
import type { Screened } from "./screen/screened.ts";

/** The gate's findings in the messages of a turn. */
export interface Findings {
  /** The screened text, against which the classifier's evidence is checked. Without it, no level can be lowered. */
  readonly text?: string;
  /** Undefined if the screen itself failed. */
  readonly screened: Screened | undefined;
  readonly verdict?: ClassifierVerdict | undefined;
  /** The verdict comes from rules, not from a model. */
  readonly limited?: boolean;
  /** How the classifier was called: `deterministic_only` if there is none, `static` if the gate did not wait for it. */
  readonly path: Exclude<SafetyPath, "screen_error">;
  /** The crisis plan before this turn. */
  readonly plan?: CrisisPlan | undefined;
  /** The safety question in the last reply, if the plan did not ask it. */
  readonly asked?: PlanQuestion | undefined;
  /** The messages only leave what the agent is doing, and nothing before was a sign of danger. */
  readonly leaves?: boolean;
  readonly profile?: "adult" | "minor";
  /** The episode of the session. */
  readonly episode?: number;
  readonly now: number;
}

/** Reasons that can explain alarming words as harmless. "No plan" is not among them. */
const lowering: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  ...(["idiom", "fiction", "game", "quote"] as const),
  ...(["academic", "third_party_info", "past_resolved", "explicit_denial_in_context"] as const),
]);

const higher = (left: SafetyLevel, right: SafetyLevel): SafetyLevel => (left > right ? left : right);

/** Tells whether the evidence is a verbatim part of the text and contains every match. Evidence that leaves out a match has not judged it. */
function covers(evidence: string, text: string, matches: Screened["matches"]): boolean {
  const span = evidence.trim();
  if (span === "") return false;
  const places: (readonly [number, number])[] = [];
  for (let at = text.indexOf(span); at !== -1; at = text.indexOf(span, at + 1)) places.push([at, at + span.length]);
  return matches.every(({ span: [from, to] }) => places.some(([start, end]) => start <= from && to <= end));
}

/** Tells whether a verdict may lower the screen's level. A level that rests on an answer or on earlier turns has no words to judge, so it stays. */
function mayLower(verdict: ClassifierVerdict, screened: Screened, { text = "", plan }: Findings): boolean {
  return (
    screened.matches.length > 0 &&
    screened.matches.every(({ strength }) => strength === "soft") &&
    screened.subject === "self" &&
    screened.answer !== "yes" &&
    verdict.confidence === "high" &&
    lowering.has(verdict.reason_code) &&
    windowMax(plan) < 2 &&
    covers(verdict.evidence_span, text, screened.matches)
  );
}

interface Joined {
  readonly level: SafetyLevel;
  readonly override: SafetyOverride;
}

/** Joins the level of the screen and that of the classifier. */
function join(screened: Screened, verdict: ClassifierVerdict, findings: Findings): Joined {
  // Danger to another person is at least level 1, even if the classifier gives 0.
  const speaksOfOther = verdict.reason_code === "other_at_risk" || (verdict.subject === "other" && screened.level > 0);
  const claimed = speaksOfOther ? higher(verdict.level, 1) : verdict.level;
  if (claimed > screened.level) return { level: claimed, override: "raised" };
  if (claimed === screened.level || !mayLower(verdict, screened, findings)) return { level: screened.level, override: "none" };
  const lowest: SafetyLevel = screened.level === 3 ? 2 : 0;
  return { level: higher(claimed, lowest), override: "lowered" };
}

/** Tells whether the earlier turns leave a question open. A level of 1 no longer does once the person answered the direct question with no. */
function isUnclear({ plan, screened, asked = plan?.last_asked }: Findings): boolean {
  const denied = plan?.answers.suicide === "no" || (asked === "suicide" && screened?.answer === "no");
  return windowMax(plan) >= (denied ? 2 : 1);
}

/** Returns the level if no classifier answered. A text that was read in full and in which nothing was found is ordinary, unless a question is open. */
function alone(screened: Screened, findings: Findings): Joined {
  const unsure = screened.quality === "degraded" || isUnclear(findings);
  return screened.level === 0 && unsure ? { level: 1, override: "floor" } : { level: screened.level, override: "none" };
}

/** A person who was asked whether they are safe and says no may be in danger, although the screen takes a no as harmless. */
const isUnsafe = ({ screened, plan }: Findings): boolean => plan?.last_asked === "safe" && screened?.answer === "no";

const withAnswer = (findings: Findings): Findings =>
  findings.screened !== undefined && isUnsafe(findings)
    ? { ...findings, screened: { ...findings.screened, level: higher(findings.screened.level, 1) } }
    : findings;

/** Returns the level if the screen itself failed. */
const unscreened = (verdict: ClassifierVerdict | undefined): Joined =>
  verdict !== undefined && verdict.level > 1 ? { level: verdict.level, override: "raised" } : { level: 1, override: "floor" };

/** Concepts of words that can also be about an activity: "I don't want to go on". */
const ofActivity: ReadonlySet<string> = new Set(["hopeless", "disappear"]);

/** Tells whether a message leaves an activity in words that could mean more. A model that sees danger in it is believed; rules in its place are not. */
function onlyLeaves({ leaves = false, screened, verdict, limited = false }: Findings): boolean {
  if (!leaves || screened === undefined || screened.level === 0 || screened.level === 3 || screened.subject !== "self") return false;
  return screened.concepts.every((concept) => ofActivity.has(concept)) && (limited || (verdict?.level ?? 0) === 0);
}

/** Returns the reason why the turn ends a suspicion. Minors are let go by a no alone. */
function releaseOf({ plan, screened, verdict, profile }: Pick<Findings, "plan" | "screened" | "verdict" | "profile">): ReasonCode | undefined {
  const reason = (verdict?.level ?? 0) > 0 ? undefined : releasedBy(plan, screened);
  return profile === "minor" && reason === "ambiguous" ? undefined : reason;
}

function levelOf(findings: Findings): Joined {
  const held = heldLevel(findings);
  return held.level === 1 && held.override !== "raised" && releaseOf(findings) !== undefined ? { level: 0, override: "released" } : held;
}

function heldLevel(findings: Findings): Joined {
  const { screened, verdict, profile, plan, now, episode, limited = false } = findings;
  if (screened === undefined) return unscreened(verdict);
  if (onlyLeaves(findings)) return { level: 0, override: "lowered" };
  const joined = verdict === undefined ? alone(screened, findings) : join(screened, verdict, findings);
  // The first turn after a crisis, and the answer to its question, are part of the crisis.
  const goesOn = isSticky(plan, now) || isOpening(plan, { now, episode }) || plan?.last_asked === "last_time";
  if (goesOn && (joined.level === 0 || joined.override === "floor")) return { level: 1, override: "sticky" };
  // Rules in place of a model read no more than the screen did, so the reply asks about unread text.
  if (limited && joined.level === 0 && screened.quality === "degraded") return { level: 1, override: "floor" };
  return profile === "minor" && joined.level === 0 && screened.distress ? { level: 1, override: "floor" } : joined;
}

/** Returns what the level rests on. */
function groundsOf(findings: Findings, { level, override }: Joined): readonly SafetyGround[] {
  const { screened, verdict, plan, limited = false } = findings;
  if (level === 0) return [];
  const found = screened !== undefined && screened.level > 0;
  const answers = screened?.retracts !== undefined || (screened?.answer !== undefined && (screened.answer !== "no" || isUnsafe(findings)));
  const isUnfinished = override === "floor" && screened?.quality === "degraded";
  const isWeighed = (id: string): boolean => id.endsWith("/words");
  const applies: Readonly<Record<SafetyGround, boolean>> = {
    match: found && screened.matches.some(({ id }) => !isWeighed(id)),
    weights: found && screened.matches.some(({ id }) => isWeighed(id)),
    answer: found && answers,
    unclear_turns: found && screened.level === 2 && (contextFrom(plan).unclear ?? 0) >= 2,
    retraction: found && screened.matches.length === 0 && !answers,
    // Rules in place of a model read what the screen read, so that they agree with it confirms nothing.
    classifier: verdict !== undefined && (override === "raised" || (!limited && verdict.level > 0 && verdict.level >= level)),
    open_plan: override === "sticky" || (override === "floor" && screened?.quality === "full" && isUnclear(findings)),
    unread_language: isUnfinished && screened.why_degraded !== "too_long",
    too_long: isUnfinished && screened.why_degraded === "too_long",
    screen_failed: screened === undefined,
    distress: override === "floor" && findings.profile === "minor" && screened?.distress === true,
  };
  return safetyGrounds.filter((ground) => applies[ground]);
}

const isHard = (screened: Screened | undefined): boolean => screened?.matches.some(({ strength }) => strength === "hard") === true;

/**
 * Returns who is at risk. The writer's own explicit words make it the writer. Otherwise the source with the higher level decides. A tie means the
 * writer, who must not be left alone.
 */
function subjectOf({ screened, verdict, plan }: Findings, { override }: Joined): RiskSubject {
  if (override === "sticky" || (screened === undefined && verdict === undefined)) return plan?.subject ?? "self";
  const found = screened?.level ?? 0;
  // A finding that rests only on an answer concerns the person the question was about.
  const seen = screened?.matches.length === 0 && plan !== undefined ? plan.subject : (screened?.subject ?? "self");
  if (verdict === undefined || verdict.level < found || (seen === "self" && isHard(screened))) return seen;
  if (verdict.level > found || found === 0) return verdict.subject;
  return seen === "other" && verdict.subject === "other" ? "other" : "self";
}

const reasons: readonly (readonly [ReasonCode, readonly string[]])[] = [
  ["act", ["act_done"]],
  ["means", ["means_in_hand"]],
  ["timing", ["time_near"]],
  ["preparation", ["preparation", "farewell"]],
  ["plan", ["plan"]],
  ["ideation", ["kill_self", "wish_to_die", "ideation"]],
  ["self_harm", ["injure_self"]],
  ["passive_wish", ["passive_death", "disappear"]],
];

/** The reason that a yes to each question stands for. */
const answerReasons: Partial<Readonly<Record<PlanQuestion, ReasonCode>>> = {
  last_time: "ideation",
  suicide: "ideation",
  plan: "plan",
  means: "means",
  time: "timing",
};

/** Returns the reason code: the classifier's, unless the screen overruled it. */
function reasonOf(findings: Findings, { level, override }: Joined): ReasonCode {
  const { screened, verdict, plan, asked = plan?.last_asked } = findings;
  if (override === "released") return releaseOf(findings) ?? "none";
  if (verdict !== undefined && verdict.reason_code !== "none" && verdict.level >= level) return verdict.reason_code;
  if (override === "lowered") return verdict === undefined || verdict.reason_code === "none" ? "ambiguous" : verdict.reason_code;
  if (level === 0 || override === "sticky") return "none";
  if (screened !== undefined && emergencyOf(screened) !== undefined) return "other_risk";
  if (screened?.subject === "other" && screened.level > 0) return "other_at_risk";
  const told = screened?.retracts ?? (screened?.answer === "yes" ? asked : undefined);
  const answered = told === undefined ? undefined : answerReasons[told];
  if (answered !== undefined && plan?.subject !== "other") return answered;
  return reasons.find(([, ids]) => ids.some((id) => screened?.concepts.includes(id)))?.[0] ?? "ambiguous";
}

function risksOf({ screened, verdict, plan }: Findings, { level, override }: Joined): readonly RiskType[] {
  if (level === 0) return [];
  const found = new Set<RiskType>([
    ...(screened?.risk_types ?? []),
    ...(verdict?.risk_types ?? []),
    ...(override === "sticky" ? (plan?.risk_types ?? []) : []),
  ]);
  return riskTypes.filter((type) => found.has(type));
}

/**
 * Decides the assessment of a turn. A classifier verdict above the screen's level counts. One below it counts only if every match is idiom-prone, the
 * confidence is high, and the reason is one of eight. The evidence must also quote every match, and no turn of the window may be grave. A verdict
 * never lowers a level 3 of the screen below 2, or danger to another person to 0.
 * Words that only leave an activity of the agent are level 0 if nothing before was a sign of danger.
 * Without a verdict, the level is at least 1 for text that was not read in full, and while a question is open. After a level of 2 or more, the level is at least 1
 * for 6 turns or 24 hours, whichever is longer, and in the turn that opens the next session within seven days.
 */
export function combine(given: Findings): Assessment {
  const findings = withAnswer(given);
  const { screened, verdict, path } = findings;
  const joined = levelOf(findings);
  const { level, override } = joined;
  return Object.freeze({
    level,
    level_deterministic: screened === undefined ? 1 : screened.level,
    ...(verdict === undefined ? {} : { level_llm: verdict.level }),
    confidence: verdict !== undefined && verdict.level >= level ? verdict.confidence : isHard(screened) ? "high" : (verdict?.confidence ?? "medium"),
    risk_types: risksOf(findings, joined),
    subject: subjectOf(findings, joined),
    override,
    reason_code: reasonOf(findings, joined),
    path: screened === undefined ? "screen_error" : path,
    quality: screened?.quality === "full" && ((verdict !== undefined && findings.limited !== true) || path === "static") ? "full" : "degraded",
    matches: [...new Set(screened?.matches.map(({ id }) => id) ?? [])],
    grounds: groundsOf(findings, joined),
    ...(screened?.language === undefined ? {} : { language: screened.language }),
    needs_crisis_response: level >= 2,
    needs_clarification: level === 1,
  });
}
