/** Reconciles new facts and rules with existing ones. A repeated fact adds a source. A new value of a functional predicate replaces the old one. */
import { present } from "../../kernel/json.ts";
import { type Confidence, type Fact, inForce, type Kept, mostRules, type Profile, type Rule, type Source, sourceKey } from "../entry.ts";
import { FactIndex } from "./fact-index.ts";
import type { Vocabulary } from "./fact-vocabulary.ts";
import { factEntryId, normalisedText } from "./key.ts";

/** Outcome of a fact. `written`: a new entry, or one that is active again. `bumped`: repeated. `history`: written as already replaced. */
type FactOutcome = "written" | "bumped" | "unchanged" | "history" | "outranked";

/** Result of one fact. */
export interface Reconciled {
  readonly entry_id: string;
  readonly outcome: FactOutcome;
  /** Ids of the replaced entries. */
  readonly supersedes: readonly string[];
}

const confident: Readonly<Record<Confidence, Confidence>> = { low: "medium", medium: "high", high: "high" };

const byTime = (left: Source, right: Source): number => left.at - right.at || left.offset - right.offset;
const newest = ({ sources }: Fact): Source => sources.at(-1) ?? sources[0];

/** Returns the authority of a merged fact: the person's if either fact has it. */
const authorityOf = (known: Fact, fact: Fact): Fact["authority"] => (fact.authority === "person" ? "person" : known.authority);

/** Maximum number of sources. The first and the newest are kept. */
const mostSources = 50;

/** Merges sources, each once, oldest first. */
function joined(left: Fact["sources"], right: Fact["sources"]): Fact["sources"] {
  const all = new Map([...left, ...right].map((source) => [sourceKey(source), source]));
  const [first = left[0], ...more] = [...all.values()].toSorted(byTime);
  return [first, ...more.slice(-(mostSources - 1))];
}

/** Facts of an owner, updated step by step. */
export class FactBook {
  readonly #facts: FactIndex;
  readonly #changed = new Set<string>();
  readonly #now: number;
  readonly #vocabulary: Vocabulary;

  /** `known` has facts, active or not. An index is used directly and modified. */
  constructor(known: readonly Kept<Fact>[] | FactIndex, { now, vocabulary }: { readonly now: number; readonly vocabulary: Vocabulary }) {
    this.#facts = known instanceof FactIndex ? known : new FactIndex(known);
    this.#now = now;
    this.#vocabulary = vocabulary;
  }

  /** The current facts, active or not. */
  get facts(): readonly Kept<Fact>[] {
    return this.#facts.all().map(([entry_id, entry]) => ({ entry_id, version: 0, entry }));
  }

  /** Entries to write, in the order of their first change. */
  get changed(): readonly (readonly [string, Fact])[] {
    return [...this.#changed].flatMap((id) => {
      const fact = this.#facts.get(id);
      return fact === undefined ? [] : [[id, fact] as const];
    });
  }

  /** Adds a fact. */
  take(fact: Fact): Reconciled {
    const same = this.#same(fact);
    if (same === undefined) return this.#place(factEntryId(fact), fact);
    const [entry_id, known] = same;
    if (inForce(known)) return this.#bump(entry_id, known, fact);
    // A fact that the user corrected or withdrew stays so, however often it is found again.
    if (this.#isPersonsWord(known)) return { entry_id, outcome: "outranked", supersedes: [] };
    if (joined(known.sources, fact.sources).length === known.sources.length) return { entry_id, outcome: "unchanged", supersedes: [] };
    return this.#place(
      entry_id,
      {
        ...fact,
        ...(known.pinned === true ? { pinned: true } : {}),
        ...(known.never_recall === true ? { never_recall: true } : {}),
        sources: joined(known.sources, fact.sources),
      },
      fact,
    );
  }

  #put(entry_id: string, fact: Fact): void {
    this.#facts.put(entry_id, fact);
    this.#changed.add(entry_id);
  }

  /** Finds the equal fact: by key, active or not, else an active one with a similar object. */
  #same(fact: Fact): readonly [string, Fact] | undefined {
    const id = factEntryId(fact);
    const exact = this.#facts.get(id);
    if (exact !== undefined) return [id, exact];
    return this.#facts.withKeyOf(fact)[0] ?? this.#facts.twinsOf(fact).find(([, twin]) => inForce(twin));
  }

  #bump(entry_id: string, known: Fact, fact: Fact): Reconciled {
    const sources = joined(known.sources, fact.sources);
    const isNew = fact.sources.some((source) => !known.sources.some((there) => sourceKey(there) === sourceKey(source)));
    if (!isNew) return { entry_id, outcome: "unchanged", supersedes: [] };
    const from = known.valid_from ?? fact.valid_from;
    this.#put(entry_id, {
      ...known,
      sources,
      confidence: confident[known.confidence],
      authority: authorityOf(known, fact),
      ...present({ valid_from: from }),
    });
    return { entry_id, outcome: "bumped", supersedes: this.#supersede(entry_id, fact) };
  }

  #isPersonsWord(known: Fact): boolean {
    const successor = known.superseded_by === undefined ? undefined : this.#facts.get(known.superseded_by);
    return known.superseded_by === undefined || known.superseded_by === "person" || successor?.authority === "person";
  }

  /** Writes a fact and replaces older values. If a later value exists, the fact is written as history. */
  #place(entry_id: string, fact: Fact, statement: Fact = fact): Reconciled {
    const rivals = this.#rivals(entry_id, fact);
    const outranks = (rival: Fact): boolean => statement.authority !== "person" || rival.authority === "person";
    const later = rivals.find(([, rival]) => outranks(rival) && byTime(newest(rival), newest(statement)) > 0);
    if (later === undefined) {
      this.#put(entry_id, fact);
      return { entry_id, outcome: "written", supersedes: this.#supersede(entry_id, statement) };
    }
    // A statement before a correction is the one that was corrected.
    if (later[1].authority === "person" && statement.authority !== "person") return { entry_id, outcome: "outranked", supersedes: [] };
    const valid_to = fact.valid_to ?? later[1].valid_from ?? later[1].sources[0].at;
    this.#put(entry_id, { ...fact, superseded_by: later[0], retracted_at: this.#now, valid_to });
    return { entry_id, outcome: "history", supersedes: [] };
  }

  /** Returns the active facts with another value of the same functional predicate. */
  #rivals(entry_id: string, fact: Fact): readonly (readonly [string, Fact])[] {
    if (this.#vocabulary.predicates[fact.predicate]?.functional !== true) return [];
    return this.#facts.inSlotOf(fact).filter(([id, rival]) => id !== entry_id && inForce(rival));
  }

  /** Replaces older values. A value with the person's authority stays, and then both conflict. Nothing is deleted. */
  #supersede(entry_id: string, statement: Fact): readonly string[] {
    const older = this.#rivals(entry_id, statement).filter(
      ([, rival]) => byTime(newest(rival), newest(statement)) < 0 && (rival.authority !== "person" || statement.authority === "person"),
    );
    for (const [id, rival] of older) {
      const valid_to = rival.valid_to ?? statement.valid_from ?? newest(statement).at;
      this.#put(id, { ...rival, superseded_by: entry_id, retracted_at: this.#now, valid_to });
    }
    return older.map(([id]) => id);
  }
}

/** Maximum number of archived rules. The oldest are dropped first. */
export const mostArchived = 200;

/**
 * Result of adding a rule. `skipped`: the same rule exists. `withdrawn`: the user withdrew it, and only the user can restore it. `full`: every rule
 * is pinned.
 */
export type RuleOutcome = "appended" | "replaced" | "skipped" | "withdrawn" | "full";

/** A profile after adding a rule. */
interface RuleAdded {
  readonly profile: Profile;
  readonly outcome: RuleOutcome;
  /** Id of the active rule: the new one, or an equal one. */
  readonly rule_id: string;
}

/** Options of {@link addRule}. */
interface AddRuleOptions {
  readonly now: number;
  /** Id of the rule to replace. */
  readonly replaces?: string;
}

const archivedAs = (rule: Rule, superseded_by: string, now: number): Rule => ({ ...rule, archived_at: now, superseded_by });

/**
 * Adds a rule to a profile, once per text. Beyond {@link mostRules}, the oldest rule that is not pinned is archived with `superseded_by` set to
 * `eviction`. If all are pinned, the new rule is rejected.
 */
export function addRule(profile: Profile, rule: Rule, { now, replaces }: AddRuleOptions): RuleAdded {
  const text = normalisedText(rule.text);
  const same = profile.rules.find((known) => normalisedText(known.text) === text);
  if (same !== undefined) return { profile, outcome: "skipped", rule_id: same.id };
  const wasWithdrawn = profile.archived.some((known) => normalisedText(known.text) === text && known.superseded_by === "person");
  if (wasWithdrawn && rule.authority !== "person") return { profile, outcome: "withdrawn", rule_id: rule.id };
  const replaced = profile.rules.find(({ id }) => id === replaces);
  const kept = profile.rules.filter((known) => known !== replaced);
  const excess = kept.length + 1 - mostRules;
  const evicted = kept
    .filter(({ pinned }) => pinned !== true)
    .toSorted((left, right) => left.added_at - right.added_at)
    .slice(0, Math.max(excess, 0));
  if (evicted.length < excess) return { profile, outcome: "full", rule_id: rule.id };
  const archived = [
    ...profile.archived,
    ...(replaced === undefined ? [] : [archivedAs(replaced, rule.id, now)]),
    ...evicted.map((old) => archivedAs(old, "eviction", now)),
  ];
  return {
    profile: { ...profile, rules: [...kept.filter((known) => !evicted.includes(known)), rule], archived: archived.slice(-mostArchived) },
    outcome: replaced === undefined ? "appended" : "replaced",
    rule_id: rule.id,
  };
}
