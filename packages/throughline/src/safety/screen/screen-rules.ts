import type { EmergencyRisk, RiskType, SafetyLevel } from "../assessment.ts";
import type { Meant } from "./framing.ts";
import type { ConceptId } from "./rule-pack.ts";
import type { ScreenContext } from "./screened.ts";

/** A concept in a rule: any match of it, or only an explicit one (`!`). */
type Term = ConceptId | `${ConceptId}!`;

/** Holds if each row has a match that can support the rule's level. */
export interface Rule {
  readonly id: string;
  readonly level: SafetyLevel;
  readonly all: readonly (readonly Term[])[];
  /** Concerns another person, not the writer. */
  readonly other?: true;
  /**
   * Applies only if an earlier turn was at level 2 or more (`disclosure`), and what it showed was not only suspected (`sure_disclosure`), or was about another
   * person (`disclosure_of_other`); or if one was at level 1 or more (`unclear`).
   */
  readonly after?: "disclosure" | "sure_disclosure" | "disclosure_of_other" | "unclear";
}

const core: readonly Term[] = ["kill_self", "injure_self", "wish_to_die", "ideation", "plan"];
const explicit: readonly Term[] = ["kill_self!", "injure_self!", "wish_to_die!", "ideation!"];
const despair: readonly Term[] = ["hopeless", "burden", "disappear", "passive_death"];
const weighty: readonly Term[] = ["hopeless!", "burden!", "disappear!", "passive_death!"];

/** The rules that combine concepts, gravest first. Published with the protocol. */
export const rules: readonly Rule[] = Object.freeze([
  { id: "act", level: 3, all: [["act_done!"]] },
  {
    id: "act_and_despair",
    level: 3,
    all: [["act_done"], [...core, ...despair, "farewell", "means_in_hand", "preparation", "secrecy", "past_attempt"]],
  },
  {
    id: "kill_and_near",
    level: 3,
    all: [
      ["kill_self", "injure_self!", "plan!", "do_it!"],
      ["means_in_hand", "time_near", "farewell", "preparation"],
    ],
  },
  {
    id: "wish_and_means",
    level: 3,
    all: [
      ["wish_to_die", "ideation", "plan"],
      ["means_in_hand", "farewell", "preparation"],
    ],
  },
  { id: "wish_and_time", level: 3, all: [["wish_to_die!", "ideation!", "plan"], ["time_near!"]] },
  { id: "plan_to_kill", level: 3, all: [["plan!"], ["kill_self", "wish_to_die!", "ideation!", "past_attempt", "means", "secrecy"]] },
  {
    id: "do_it_after_talk",
    level: 3,
    all: [["do_it"], [...core.filter((term) => term !== "plan"), "means_in_hand!", "farewell!", "preparation!", "secrecy!", "past_attempt"]],
  },
  { id: "do_it_and_despair", level: 3, all: [["do_it!"], [...despair, "means", "lethal_place"]] },
  {
    id: "place_and_despair",
    level: 3,
    all: [["lethal_place"], [...core, ...despair, "farewell", "do_it", "time_near!", "preparation", "command_voices"]],
  },
  { id: "place_alone_now", level: 3, all: [["lethal_place!"], ["alone_now", "secrecy", "time_near"]] },
  {
    id: "farewell_twice",
    level: 3,
    all: [["farewell!"], ["farewell"]],
  },
  {
    id: "farewell_and_near",
    level: 3,
    all: [["farewell!"], ["means_in_hand", "preparation", "time_near!", "secrecy!", "hopeless!", "burden!", "passive_death!"]],
  },
  { id: "prepared_and_near", level: 3, all: [["preparation!"], ["time_near!", "means_in_hand", "secrecy!", "do_it"]] },
  {
    id: "means_and_near",
    level: 3,
    all: [
      ["means_in_hand!"],
      ["time_near!", "secrecy!", "hopeless", "burden!", "passive_death", "disappear!", "lethal_place!", "farewell", "preparation"],
    ],
  },
  { id: "means_and_despair", level: 3, all: [["means_in_hand"], ["secrecy!", "hopeless!", "burden!", "passive_death!", "disappear!"]] },
  { id: "voices_and_near", level: 3, all: [["command_voices!"], ["do_it!", "time_near!", "means_in_hand", "lethal_place"]] },
  { id: "other_now", level: 3, all: [["act_done!"]], other: true },
  {
    id: "other_at_risk_now",
    level: 3,
    all: [
      ["other_at_risk", ...core],
      ["means_in_hand", "lethal_place", "farewell", "time_near!", "act_done", "unreachable"],
    ],
    other: true,
  },
  {
    id: "near_after_disclosure",
    level: 3,
    all: [["act_done", "do_it", "plan", "means_in_hand", "farewell", "lethal_place", "preparation"]],
    after: "disclosure",
  },
  { id: "time_after_disclosure", level: 3, all: [["time_near!"]], after: "sure_disclosure" },
  {
    id: "near_after_disclosure_of_other",
    level: 3,
    all: [["act_done", "plan", "means_in_hand", "means", "farewell", "lethal_place", "preparation", "time_near!"]],
    other: true,
    after: "disclosure_of_other",
  },
  { id: "explicit", level: 2, all: [explicit] },
  {
    id: "explicit_near",
    level: 2,
    all: [["plan!", "means_in_hand!", "farewell!", "preparation!", "secrecy!", "command_voices!", "lethal_place!", "do_it!"]],
  },
  { id: "likely", level: 2, all: [core, [...despair, "farewell", "secrecy", "alone_now", "past_attempt", "fear_of_self"]] },
  { id: "likely_with_means", level: 2, all: [["kill_self", "injure_self!", "wish_to_die", "plan!"], ["means"]] },
  { id: "attempt_and_despair", level: 2, all: [["past_attempt"], [...despair, "farewell", "means", "do_it", "plan"]] },
  {
    id: "despair_and_near",
    level: 2,
    all: [weighty, ["means_in_hand", "farewell", "preparation", "secrecy", "means", "do_it", "plan", "lethal_place"]],
  },
  {
    id: "near_twice",
    level: 2,
    all: [
      ["preparation", "means_in_hand"],
      ["farewell", "secrecy", "lethal_place", "alone_now", "time_near"],
    ],
  },
  { id: "farewell_and_secrecy", level: 2, all: [["farewell"], ["secrecy", "alone_now"]] },
  { id: "voices_and_more", level: 2, all: [["command_voices"], ["do_it", ...despair]] },
  { id: "kill_and_plan", level: 2, all: [["kill_self"], ["plan", "do_it"]] },
  { id: "injury_and_more", level: 2, all: [["injure_self"], ["injure_self", "past_attempt", "means_in_hand"]] },
  { id: "fear_and_near", level: 2, all: [["fear_of_self!"], ["means", "lethal_place", "intrusive", "plan", ...despair]] },
  { id: "fear_soon", level: 2, all: [["fear_of_self!"], ["time_near!"]] },
  { id: "despair_twice", level: 2, all: [["passive_death!"], ["hopeless!", "burden!", "disappear!", "eating_disorder!"]] },
  { id: "place_alone", level: 2, all: [["lethal_place"], ["alone_now", "secrecy"]] },
  { id: "farewell_and_ready", level: 2, all: [["farewell", "preparation"], ["do_it"]] },
  { id: "do_it_soon", level: 2, all: [["do_it"], ["time_near", "secrecy", "alone_now", "lethal_place", "means_in_hand"]] },
  { id: "act_likely", level: 2, all: [["act_done"], ["means", "time_near!", "alone_now", "lethal_place"]] },
  { id: "act_after_unclear", level: 2, all: [["act_done"]], after: "unclear" },
  { id: "other_with_means", level: 2, all: [["other_at_risk!"], ["means"]], other: true },
  { id: "unclear", level: 1, all: [[...core, ...despair, "fear_of_self", "intrusive", "command_voices", "past_attempt", "do_it!"]] },
  { id: "act_unclear", level: 1, all: [["act_done"], ["distress", "alone_now", "means"]] },
  { id: "unclear_near", level: 1, all: [["farewell", "preparation", "means_in_hand", "lethal_place", "secrecy"]] },
  {
    id: "other_at_risk",
    level: 1,
    all: [["other_at_risk", ...explicit, "plan!", ...despair, "act_done!", "past_attempt!", "farewell!"]],
    other: true,
  },
  { id: "other_risks", level: 1, all: [["violence_to_others", "abuse", "eating_disorder", "psychosis", "medical_emergency"]] },
]);

/** A rule of an emergency that is not suicide. Whose emergency it is does not matter. */
export interface EmergencyRule extends Pick<Rule, "id" | "level" | "all"> {
  readonly risk: EmergencyRisk;
  /** Two matches that do not overlap are needed. */
  readonly twice?: true;
}

/** The rules of emergencies, gravest first. Published with the protocol. */
export const emergencyRules: readonly EmergencyRule[] = Object.freeze([
  { id: "body", level: 3, risk: "medical_emergency", all: [["body_danger!"]] },
  { id: "body_signs", level: 3, risk: "medical_emergency", all: [["medical_emergency!"]], twice: true },
  { id: "attack", level: 3, risk: "abuse", all: [["under_attack!"]] },
  { id: "threat", level: 3, risk: "violence_to_others", all: [["threat!"]] },
  { id: "threat_near", level: 3, risk: "violence_to_others", all: [["threat"], ["time_near!", "means_in_hand", "plan"]] },
  { id: "abused", level: 2, risk: "abuse", all: [["abused!"]] },
  { id: "threat_feared", level: 2, risk: "violence_to_others", all: [["threat"]] },
  { id: "harm_to_others_near", level: 2, risk: "violence_to_others", all: [["violence_to_others!"], ["time_near!", "means_in_hand", "plan"]] },
  { id: "body_likely", level: 2, risk: "medical_emergency", all: [["body_danger"]] },
]);

const riskOf: Partial<Readonly<Record<ConceptId, RiskType>>> = {
  injure_self: "self_harm",
  eating_disorder: "eating_disorder",
  violence_to_others: "violence_to_others",
  abuse: "abuse",
  psychosis: "psychosis",
  command_voices: "psychosis",
  medical_emergency: "medical_emergency",
  body_danger: "medical_emergency",
  under_attack: "abuse",
  abused: "abuse",
  threat: "violence_to_others",
};

const matchesTerm = (term: Term, { concept, strength }: Meant): boolean =>
  term.endsWith("!") ? strength === "hard" && concept === term.slice(0, -1) : concept === term;

/** Result of the rules. */
export interface Composed {
  readonly level: SafetyLevel;
  readonly rule: string | undefined;
  /** The matches that the rule rests on. */
  readonly ground: readonly Meant[];
}

function ground(rule: Rule, meant: readonly Meant[]): readonly Meant[] | undefined {
  const counted = meant.filter(({ most, other }) => most >= rule.level && (rule.other === true || !other));
  if (rule.other === true && !counted.some(({ other }) => other)) return undefined;
  return rowsOf(rule, counted, (one) => rule.other !== true || one.other);
}

/** Returns the matches that fill the rows of a rule, those of a later row apart from the earlier ones. `opens`: a match may fill the first row. */
function rowsOf({ all }: Pick<Rule, "all">, counted: readonly Meant[], opens: (one: Meant) => boolean): readonly Meant[] | undefined {
  const used = new Set<Meant>();
  for (const [row, terms] of all.entries()) {
    const apart = (one: Meant): boolean => one.concept === "time_near" || ![...used].every((other) => one.from < other.to && other.from < one.to);
    const found = counted.filter((one) => (row === 0 ? opens(one) : apart(one)) && terms.some((term) => matchesTerm(term, one)));
    if (found.length === 0) return undefined;
    for (const one of found) used.add(one);
  }
  return [...used];
}

/** Tells whether the writer stated it explicitly, about themselves and without an ambiguous word. */
export const isExplicit = ({ ground }: Composed): boolean => ground.some((one) => !one.other && explicit.some((term) => matchesTerm(term, one)));

/** Applies the gravest rule that holds. */
export function compose(meant: readonly Meant[], { highest = 0, about, doubtful = false }: ScreenContext): Composed {
  const follows: Readonly<Record<NonNullable<Rule["after"]>, boolean>> = {
    unclear: highest >= 1,
    disclosure: highest >= 2,
    sure_disclosure: highest >= 2 && !doubtful,
    disclosure_of_other: highest >= 2 && about === "other",
  };
  for (const rule of rules) {
    if (rule.after !== undefined && !follows[rule.after]) continue;
    const used = ground(rule, meant);
    if (used !== undefined) return { level: rule.level, rule: rule.id, ground: used };
  }
  return { level: 0, rule: undefined, ground: [] };
}

/** An emergency that is not suicide, by the rules. */
export interface ComposedEmergency extends Composed {
  /** Undefined if the writer's own life is in danger besides: the crisis is theirs, and at least as grave. */
  readonly risk: EmergencyRisk | undefined;
}

/** Tells whether two of the matches do not overlap. */
const isTwice = (ground: readonly Meant[]): boolean => ground.some((one) => ground.some((other) => other.from >= one.to));

/** What a person says of their own life. Beside it, whatever else is wrong, the crisis is theirs. */
const ownLife: ReadonlySet<ConceptId> = new Set([
  ...(["wish_to_die", "ideation", "kill_self", "injure_self", "act_done", "passive_death", "farewell", "hopeless", "burden", "disappear"] as const),
]);

/**
 * Applies the gravest emergency rule that holds, beside what the rules of suicide `decided`. It is a crisis of the writer where those rest on what they say
 * of their own life, or where the body was hurt on purpose (`deliberate`). `troubled`: a sign of danger came before. Words within an emergency do not count as that: "he will kill me", "the baby swallowed pills".
 */
export function composeEmergency(
  meant: readonly Meant[],
  decided: Composed,
  { deliberate, troubled }: { readonly deliberate: boolean; readonly troubled: boolean },
): ComposedEmergency | undefined {
  for (const rule of emergencyRules) {
    const counted = meant.filter(({ most }) => most >= rule.level);
    const ground = rowsOf(rule, counted, () => true);
    if (ground === undefined || (rule.twice === true && !isTwice(ground))) continue;
    const isOfBody = rule.risk === "medical_emergency";
    // What bleeds can be a wound of either kind. After a sign of danger only a longer match tells of an accident.
    const isWithin = (one: Meant): boolean =>
      ground.some((other) =>
        isOfBody
          ? one.from >= other.from && one.to <= other.to && (!troubled || one.to - one.from < other.to - other.from)
          : one.from < other.to && other.from < one.to,
      );
    // Beside a wound, also what weighs less than it in the rules of suicide tells whose doing it is.
    const told = isOfBody ? [...decided.ground, ...meant.filter(({ most, strength }) => most === 3 && strength === "hard")] : decided.ground;
    const isOwn = decided.level >= 2 && told.some((one) => !one.other && ownLife.has(one.concept) && !isWithin(one));
    const risk = isOwn || (isOfBody && deliberate) ? undefined : rule.risk;
    return { level: rule.level, rule: rule.id, ground, risk };
  }
  return undefined;
}

/** Returns the risk types of the matches. A concept without its own type counts as suicide. */
export function risksOf(meant: readonly Meant[]): readonly RiskType[] {
  const quiet = new Set<ConceptId>(["distress", "time_near", "alone_now", "means", "unreachable"]);
  return [...new Set(meant.filter(({ concept }) => !quiet.has(concept)).map(({ concept }) => riskOf[concept] ?? "suicide"))];
}
