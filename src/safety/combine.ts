/** From what was found to what is decided: the higher of two levels, with one narrow way down, and floors that hold where something is missing. */
import {
  type Assessment,
  type ClassifierVerdict,
  type ReasonCode,
  type RiskSubject,
  type RiskType,
  riskTypes,
  type SafetyLevel,
  type SafetyOverride,
  type SafetyPath,
} from "./assessment.ts";
import { type CrisisPlan, isSticky, type PlanQuestion, windowMax } from "./crisis-plan.ts";
import type { Screened } from "./screen/screened.ts";

/** What a gate has found in the messages of a turn. */
export interface Findings {
  /** The text as it was screened: what a classifier's evidence is held against. Without it nothing can be lowered. */
  readonly text?: string;
  /** Undefined if the screen itself failed. */
  readonly screened: Screened | undefined;
  readonly verdict?: ClassifierVerdict | undefined;
  /** The verdict is one of rules, not of a model. */
  readonly limited?: boolean;
  /** How the classifier was asked: `deterministic_only` if there is none, `static` if nobody waited for it. */
  readonly path: Exclude<SafetyPath, "screen_error">;
  /** Where the crisis stood before this turn. */
  readonly plan?: CrisisPlan | undefined;
  /** What the reply before has asked, where the plan has not. */
  readonly asked?: PlanQuestion | undefined;
  readonly profile?: "adult" | "minor";
  readonly now: number;
}

/** Reasons for which words that sound dangerous may turn out not to be. "No plan" is not among them. */
const lowering: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  ...(["idiom", "fiction", "game", "quote"] as const),
  ...(["academic", "third_party_info", "past_resolved", "explicit_denial_in_context"] as const),
]);

const higher = (left: SafetyLevel, right: SafetyLevel): SafetyLevel => (left > right ? left : right);

/** Whether the evidence is in the text, word for word, and every match within it: one that leaves out a match has not judged it. */
function covers(evidence: string, text: string, matches: Screened["matches"]): boolean {
  const span = evidence.trim();
  if (span === "") return false;
  const places: (readonly [number, number])[] = [];
  for (let at = text.indexOf(span); at !== -1; at = text.indexOf(span, at + 1)) places.push([at, at + span.length]);
  return matches.every(({ span: [from, to] }) => places.some(([start, end]) => start <= from && to <= end));
}

/** Whether a verdict below the screen's level may lower it. What rests on an answer or on the turns before has no words to be judged, and stays. */
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

/** The screen's level and the classifier's, as one. */
function join(screened: Screened, verdict: ClassifierVerdict, findings: Findings): Joined {
  // Somebody else's danger is never nothing, whatever number comes with it.
  const speaksOfOther = verdict.reason_code === "other_at_risk" || (verdict.subject === "other" && screened.level > 0);
  const said = speaksOfOther ? higher(verdict.level, 1) : verdict.level;
  if (said > screened.level) return { level: said, override: "raised" };
  if (said === screened.level || !mayLower(verdict, screened, findings)) return { level: screened.level, override: "none" };
  const lowest: SafetyLevel = screened.level === 3 ? 2 : 0;
  return { level: higher(said, lowest), override: "lowered" };
}

/** Whether the turns before leave something open: a level of 1 does not once the direct question was answered with no. */
function isUnclear({ plan, screened, asked = plan?.last_asked }: Findings): boolean {
  const denied = plan?.answers.suicide === "no" || (asked === "suicide" && screened?.answer === "no");
  return windowMax(plan) >= (denied ? 2 : 1);
}

/** The level when no classifier has answered: what cannot be ruled out is asked about. */
function alone(screened: Screened, findings: Findings): Joined {
  const unsure = screened.distress || screened.quality === "degraded" || isUnclear(findings);
  return screened.level === 0 && unsure ? { level: 1, override: "floor" } : { level: screened.level, override: "none" };
}

/** The level when the screen itself has failed. */
const unscreened = (verdict: ClassifierVerdict | undefined): Joined =>
  verdict !== undefined && verdict.level > 1 ? { level: verdict.level, override: "raised" } : { level: 1, override: "floor" };

/** Whether words could not be read at all. A row of Latin words may be a list of things that somebody sees, in any language, and is not held against them. */
function isUnread({ screened, text = "" }: Findings): boolean {
  if (screened?.quality !== "degraded") return false;
  if (screened.why_degraded === "too_long") return true;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (text.match(/\p{Script=Latin}/gu)?.length ?? 0) * 2 < letters;
}

function levelOf(findings: Findings): Joined {
  const { screened, verdict, profile, plan, now, limited = false } = findings;
  if (screened === undefined) return unscreened(verdict);
  const joined = verdict === undefined ? alone(screened, findings) : join(screened, verdict, findings);
  if (isSticky(plan, now) && (joined.level === 0 || joined.override === "floor")) return { level: 1, override: "sticky" };
  // Rules in place of a model have read no more than the screen has: what it could not read is asked about.
  if (limited && joined.level === 0 && isUnread(findings)) return { level: 1, override: "floor" };
  return profile === "minor" && joined.level === 0 && screened.distress ? { level: 1, override: "floor" } : joined;
}

const isHard = (screened: Screened | undefined): boolean => screened?.matches.some(({ strength }) => strength === "hard") === true;

/** Who is at risk. The writer's own plain words are about the writer; else who found more decides, and a tie is about the writer: they must not be left alone. */
function subjectOf({ screened, verdict, plan }: Findings, { override }: Joined): RiskSubject {
  if (override === "sticky" || (screened === undefined && verdict === undefined)) return plan?.subject ?? "self";
  const found = screened?.level ?? 0;
  // What rests on an answer alone is about whomever the question was about.
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

/** What a yes to a question stands for. */
const answerReasons: Partial<Readonly<Record<PlanQuestion, ReasonCode>>> = { suicide: "ideation", plan: "plan", means: "means", time: "timing" };

/** Why, in a word of the closed list: the classifier's, unless the screen has overruled it. */
function reasonOf({ screened, verdict, plan, asked = plan?.last_asked }: Findings, { level, override }: Joined): ReasonCode {
  if (verdict !== undefined && verdict.reason_code !== "none" && verdict.level >= level) return verdict.reason_code;
  if (override === "lowered") return verdict?.reason_code ?? "none";
  if (level === 0 || override === "sticky") return "none";
  if (screened?.subject === "other" && screened.level > 0) return "other_at_risk";
  const answered = screened?.answer === "yes" && asked !== undefined ? answerReasons[asked] : undefined;
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
 * The decision of a gate. A classifier above the screen is followed; below it only where all that was found is idiom-prone, the verdict is sure, gives one of
 * eight reasons and quotes every match, and no turn of the window was grave; a level 3 of the screen never goes below 2, and what was said of somebody
 * else never to 0. Without a classifier's answer, distress, a text that could not be read and an unclear window are asked about. After a level of 2 or
 * more, 1 is the lowest for 6 turns or 24 hours, whichever is longer.
 */
export function combine(findings: Findings): Assessment {
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
    ...(screened?.language === undefined ? {} : { language: screened.language }),
    needs_crisis_response: level >= 2,
    needs_clarification: level === 1,
  });
}
