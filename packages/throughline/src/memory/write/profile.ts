/** The rules of how to talk with a person: adding one, with the limits that hold however it came. */
import { mostRules, type Profile, type Rule } from "../entry.ts";
import { normalisedText } from "./key.ts";

/** So many rules that are out of force are kept; the oldest go first. */
export const mostArchived = 200;

/** What became of a rule. `skipped`: the same is there. `withdrawn`: the person took it out of force, and it does not come back by itself. `full`: every rule is pinned. */
export type RuleOutcome = "appended" | "replaced" | "skipped" | "withdrawn" | "full";

/** A profile after a rule, and what became of it. */
export interface RuleAdded {
  readonly profile: Profile;
  readonly outcome: RuleOutcome;
  /** Id of the rule that is in force: the new one, or the one that says the same. */
  readonly rule_id: string;
}

/** Options of {@link addRule}. */
export interface AddRuleOptions {
  readonly now: number;
  /** Id of a rule whose place it takes. */
  readonly replaces?: string;
}

const archivedAs = (rule: Rule, superseded_by: string, now: number): Rule => ({ ...rule, archived_at: now, superseded_by });

/**
 * The profile with one more rule. The same text is there only once. A rule over {@link mostRules} sends the oldest that is not pinned to the archive, superseded by
 * `eviction`; if all are pinned, the new one is not taken.
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
