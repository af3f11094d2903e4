/**
 * What of the candidates has been said often enough, or was weighty enough, to be written. A fact needs a second turn, an echo in the episode's arc, or an earlier
 * session; a belief against oneself needs saying again; a rule of how to talk needs two turns.
 */
import { inForce, type Arc, type Confidence, type Fact } from "../entry.ts";
import type { CheckedFact, CheckedRule } from "./check-candidate.ts";
import { type Cluster, clusterFacts, clusterRules, type FactIndex } from "./fact-index.ts";
import type { ArcDraft, SaidTurn } from "./extraction.ts";
import { allWords, jaccard, normalisedId, overlap } from "./key.ts";
import { isSelfBelief } from "./policy.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** How much support is enough. */
export const thresholds = { turns: 2, arc: 2, rule: 2, sureRule: 3, sharedTerms: 2, guidanceSimilarity: 0.5, guidanceOverlap: 3 } as const;
/** So many earlier arcs are looked at, the newest. */
export const mostPriorArcs = 100;

/** What speaks for a cluster. */
export interface Support {
  /** Turns that say it. */
  readonly turns: number;
  /** How much the episode's arc makes of it: 0 to 4. */
  readonly arc: number;
  /** Earlier sessions that speak of it, or what is known from them. */
  readonly prior: number;
}

/** A fact that is written. */
export interface PromotedFact extends Cluster<CheckedFact> {
  readonly support: Support;
  readonly written: Fact["written"];
}

/** A rule that is written. */
export interface PromotedRule extends Cluster<CheckedRule> {
  readonly confidence: Confidence;
}

/** What is not written yet, or at all. */
export interface Held {
  readonly item: CheckedFact | CheckedRule;
  readonly why: string;
}

/** What candidates are weighed by. */
export interface PromotionContext {
  readonly turns: readonly SaidTurn[];
  readonly arc: ArcDraft | null;
  /** Arcs of other sessions of the owner. */
  readonly priorArcs: readonly Pick<Arc, "summary" | "themes" | "open_loops" | "resolved">[];
  /** Facts of any standing. */
  readonly known: FactIndex;
  readonly vocabulary: Vocabulary;
  /** The terms of a text that carry meaning, as recall has them. */
  readonly terms: (text: string) => readonly string[];
}

/** What is read of a text is read once: every candidate is held against every turn and arc. */
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
  /** All words, one after another; "Ana's" is Ana. */
  readonly words: (text: string) => string;
}

type Told = Pick<ArcDraft, "summary" | "themes" | "open_loops" | "resolved">;

const textOf = ({ summary, themes, open_loops, resolved }: Told): string => [summary, ...themes, ...open_loops, ...resolved].join("\n");

const plainWords = (text: string): string =>
  ` ${allWords(text)
    .map((word) => word.replace(/'s$/u, ""))
    .join(" ")} `;

/** Whether the words of an id stand in a text. */
const hasId = (text: string, id: string, { words }: Weighing): boolean => words(text).includes(` ${normalisedId(id)} `);

/** 2 for the object by name, 1 each for two and for three terms in common. */
function arcScore(told: Told, fact: CheckedFact, context: Weighing): number {
  const { terms } = context;
  const text = textOf(told);
  const shared = overlap(terms(`${fact.object.id} ${fact.quote}`), terms(text));
  return (hasId(text, fact.object.id, context) ? 2 : 0) + (shared >= thresholds.sharedTerms ? 1 : 0) + (shared > thresholds.sharedTerms ? 1 : 0);
}

/** Turns that say it: those it was taken from, and those that speak of its object. A belief against oneself is said only where it is said. */
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

/** What is known already supports what is said again; and of a predicate with one value, that there is one makes a change of it worth writing. */
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

/** Words by which a wish about answers is known, as stems of any of the languages may begin. */
const cues =
  /^(?:short|brief|concis|long|advic|advis|question|gentl|direct|blunt|list|bullet|emoji|formal|tone|reply|repli|answer|respon|kurz|knapp|rat|frage|antwort|breve|corto|consejo|pregunta|respuesta|简|短|建|问|答)/u;

/** Whether a fact says what a rule says better: how to talk with the person. */
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

/** What is promoted, and what is not with the reason. */
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
