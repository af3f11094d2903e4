/** Adds rules for how to talk with a user, within fixed limits. */
import { mostRules, type Profile, type Rule } from "../entry.ts";
import { normalisedText } from "./key.ts";

/** Maximum number of archived rules. The oldest are dropped first. */
export const mostArchived = 200;

/**
 * Result of adding a rule. `skipped`: the same rule exists. `withdrawn`: the user withdrew it, and only the user can restore it. `full`: every rule
 * is pinned.
 */
export type RuleOutcome = "appended" | "replaced" | "skipped" | "withdrawn" | "full";

/** A profile after adding a rule. */
export interface RuleAdded {
  readonly profile: Profile;
  readonly outcome: RuleOutcome;
  /** Id of the active rule: the new one, or an equal one. */
  readonly rule_id: string;
}

/** Options of {@link addRule}. */
export interface AddRuleOptions {
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
