/**
 * Decides which candidates have enough support to be written. A fact needs a second turn, a mention in the episode's arc, or an earlier session. A
 * negative belief about oneself needs repetition. A rule for how to talk needs two turns.
 */
import { inForce, type Arc, type Confidence, type Fact } from "../entry.ts";
import type { ArcDraft, CheckedFact, CheckedRule, SaidTurn } from "./check-candidate.ts";
import { type Cluster, clusterFacts, clusterRules, type FactIndex } from "./fact-index.ts";
import { allWords, jaccard, normalisedId, overlap } from "./key.ts";
import { isSelfBelief } from "./policy.ts";
import type { Vocabulary } from "./fact-vocabulary.ts";

/** Thresholds of support. */
export const thresholds = { turns: 2, arc: 2, rule: 2, sureRule: 3, sharedTerms: 2, guidanceSimilarity: 0.5, guidanceOverlap: 3 } as const;
/** Maximum number of earlier arcs to compare. The newest are used. */
export const mostPriorArcs = 100;

/** Support of a cluster. */
export interface Support {
  /** Number of turns that state it. */
  readonly turns: number;
  /** Relevance in the episode's arc, 0 to 4. */
  readonly arc: number;
  /** Number of earlier sessions, and facts from them, that mention it. */
  readonly prior: number;
}

/** A fact to write. */
export interface PromotedFact extends Cluster<CheckedFact> {
  readonly support: Support;
  readonly written: Fact["written"];
}

/** A rule to write. */
export interface PromotedRule extends Cluster<CheckedRule> {
  readonly confidence: Confidence;
}

/** A candidate that is not written, or not yet. */
export interface Held {
  readonly item: CheckedFact | CheckedRule;
  readonly why: string;
}

/** Context of the decision. */
export interface PromotionContext {
  readonly turns: readonly SaidTurn[];
  readonly arc: ArcDraft | null;
  /** Arcs of the owner's other sessions. */
  readonly priorArcs: readonly Pick<Arc, "summary" | "themes" | "open_loops" | "resolved">[];
  /** Facts, active or not. */
  readonly known: FactIndex;
  readonly vocabulary: Vocabulary;
  /** Returns the meaningful terms of a text, as in recall. */
  readonly terms: (text: string) => readonly string[];
}

/** Memoizes a function of a text, since every candidate is compared with every turn and arc. */
function onceEach<Made>(make: (text: string) => Made): (text: string) => Made {
  const made = new Map<string, Made>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const fresh = make(text);
    made.set(text, fresh);
    return fresh;
  };
}

interface Weighing extends Omit<PromotionContext, "terms"> {
  readonly terms: (text: string) => ReadonlySet<string>;
  /** All words in order; "Ana's" becomes Ana. */
  readonly words: (text: string) => string;
}

type Told = Pick<ArcDraft, "summary" | "themes" | "open_loops" | "resolved">;

const textOf = ({ summary, themes, open_loops, resolved }: Told): string => [summary, ...themes, ...open_loops, ...resolved].join("\n");

const plainWords = (text: string): string =>
  ` ${allWords(text)
    .map((word) => word.replace(/'s$/u, ""))
    .join(" ")} `;

/** Tells whether the words of an id occur in a text. */
const hasId = (text: string, id: string, { words }: Weighing): boolean => words(text).includes(` ${normalisedId(id)} `);

/** 2 for the object's name, 1 for two shared terms and 1 more for a third. */
function arcScore(told: Told, fact: CheckedFact, context: Weighing): number {
  const { terms } = context;
  const text = textOf(told);
  const shared = overlap(terms(`${fact.object.id} ${fact.quote}`), terms(text));
  return (hasId(text, fact.object.id, context) ? 2 : 0) + (shared >= thresholds.sharedTerms ? 1 : 0) + (shared > thresholds.sharedTerms ? 1 : 0);
}

/**
 * Counts the turns that state a fact: its sources, and turns that mention its object. For a negative belief about oneself, the turn must state such a
 * belief.
 */
function supportingTurns({ item, members }: Cluster<CheckedFact>, context: Weighing): number {
  const { turns, terms } = context;
  const offsets = new Set(members.map(({ offset }) => offset));
  const gated = isSelfBelief(item.quote);
  const wanted = terms(`${item.object.id} ${item.quote}`);
  const speaksOfIt = (text: string): boolean => {
    const shared = overlap(wanted, terms(text));
    if (gated) return isSelfBelief(text) && (shared > 0 || hasId(text, item.object.id, context));
    return shared >= thresholds.sharedTerms || hasId(text, item.object.id, context);
  };
  return turns.filter(({ offset, text }) => offsets.has(offset) || speaksOfIt(text)).length;
}

/** Counts support from earlier sessions. For a functional predicate, any existing value counts, so that a changed value is written. */
function priorSupport({ item }: Cluster<CheckedFact>, context: Weighing): number {
  const arcs = context.priorArcs.slice(-mostPriorArcs).filter((arc) => arcScore(arc, item, context) >= thresholds.arc).length;
  const functional = context.vocabulary.predicates[item.predicate]?.functional === true;
  const { known } = context;
  const found = functional ? known.inSlotOf(item) : [...known.withKeyOf(item), ...known.twinsOf(item)];
  const inForceNow = new Set(found.filter(([, fact]) => inForce(fact)).map(([id]) => id));
  return arcs + inForceNow.size;
}

function promoteFact(cluster: Cluster<CheckedFact>, context: Weighing): PromotedFact | Held {
  const { item } = cluster;
  const support: Support = {
    turns: supportingTurns(cluster, context),
    arc: context.arc === null ? 0 : arcScore(context.arc, item, context),
    prior: priorSupport(cluster, context),
  };
  const gated = isSelfBelief(item.quote);
  const again = support.turns >= thresholds.turns || (support.turns >= 1 && support.prior >= 1);
  if (again || (!gated && support.turns >= 1 && support.arc >= thresholds.arc))
    return { ...cluster, support, written: gated ? "promotion" : "episode_end" };
  return {
    item,
    why: gated ? "A belief against oneself is written when it is said again." : "It was said once, and the episode made nothing of it.",
  };
}

function promoteRule(cluster: Cluster<CheckedRule>): PromotedRule | Held {
  const turns = new Set(cluster.members.map(({ offset }) => offset)).size;
  if (turns < thresholds.rule) return { item: cluster.item, why: "A wish about how to talk is a rule when it is said again." };
  return { ...cluster, confidence: turns >= thresholds.sureRule ? "high" : "medium" };
}

/** Beginnings of stems, in several languages, that identify a wish about replies. */
const cues =
  /^(?:short|brief|concis|long|advic|advis|question|gentl|direct|blunt|list|bullet|emoji|formal|tone|reply|repli|answer|respon|kurz|knapp|rat|frage|antwort|breve|corto|consejo|pregunta|respuesta|简|短|建|问|答)/u;

/** Tells whether a rule for how to talk already covers a fact. */
function yields(fact: CheckedFact, rules: readonly PromotedRule[], { terms }: Weighing): boolean {
  if (fact.category !== "preference") return false;
  const mine = terms(`${fact.object.id} ${fact.quote}`);
  return rules.some(({ item, members }) => {
    const theirs = terms(`${item.text} ${members.map(({ quote }) => quote).join(" ")}`);
    const shared = [...mine].filter((term) => theirs.has(term));
    if (jaccard(mine, theirs) >= thresholds.guidanceSimilarity || shared.length >= thresholds.guidanceOverlap) return true;
    return shared.length >= thresholds.sharedTerms && shared.some((term) => cues.test(term));
  });
}

/** Candidates to write, and held candidates with the reasons. */
export interface Promotion {
  readonly facts: readonly PromotedFact[];
  readonly rules: readonly PromotedRule[];
  readonly held: readonly Held[];
}

const isHeld = (weighed: object): weighed is Held => "why" in weighed;

/** Weighs the candidates of an episode. */
export function promote(facts: readonly CheckedFact[], rules: readonly CheckedRule[], given: PromotionContext): Promotion {
  const context: Weighing = { ...given, terms: onceEach((text) => new Set(given.terms(text))), words: onceEach(plainWords) };
  const weighedRules = clusterRules(rules).map(promoteRule);
  const promotedRules = weighedRules.filter((rule): rule is PromotedRule => !isHeld(rule));
  const weighedFacts = clusterFacts(facts).map((cluster) =>
    yields(cluster.item, promotedRules, context) ? { item: cluster.item, why: "A rule of how to talk says it." } : promoteFact(cluster, context),
  );
  return {
    facts: weighedFacts.filter((fact): fact is PromotedFact => !isHeld(fact)),
    rules: promotedRules,
    held: [...weighedFacts, ...weighedRules].filter(isHeld),
  };
}
