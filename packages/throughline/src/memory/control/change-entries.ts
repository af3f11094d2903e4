/** Changes to a memory by the user, or by a program on their behalf, as writes. */
import { seen, ThroughlineError } from "../../kernel/error.ts";
import { jsonEqual, present } from "../../kernel/json.ts";
import {
  type Entity,
  type EntryWrite,
  type Fact,
  inForce,
  type Kept,
  type Profile,
  profileId,
  type Recallable,
  type Rule,
  type Source,
  sourceKey,
} from "../entry.ts";
import { barsOf } from "../write/bar.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { defaultVocabulary } from "../write/fact-vocabulary.ts";
import { factEntryId, normalisedText, ruleId } from "../write/key.ts";
import { policyVersion, weakensSafety } from "../write/policy.ts";
import { addRule, type RuleOutcome } from "../write/reconcile.ts";
import type { Correction, Marks, NewFact } from "./owner-memory.ts";
import type { MemorySnapshot } from "./snapshot-listing.ts";

const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("memory.invalid", message, { details: { path } });

/** Returns a trimmed text of 1 to `most` characters. Throws `memory.invalid` for anything else. */
export function textGiven(value: unknown, path: string, most: number): string {
  if (typeof value === "string" && value.trim() !== "" && value.length <= most) return value.trim();
  throw wrong(path, `${path} is a text of 1 to ${most} characters, got ${seen(value)}.`);
}

function timeGiven(value: unknown, path: string): number | undefined {
  if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
  throw wrong(path, `${path} is a time in milliseconds, got ${seen(value)}.`);
}

const entityGiven = (value: Entity | string, path: string, type: string): Entity =>
  typeof value === "string"
    ? { type, id: textGiven(value, path, 200) }
    : { type: textGiven(value?.type, `${path}.type`, 64), id: textGiven(value?.id, `${path}.id`, 200) };

/** Source and time of a change. */
export interface Statement {
  readonly now: number;
  /** Source of the user's statement. */
  readonly source: Source;
}

/** Validates a fact on the user's behalf and returns it as stored. Throws `memory.invalid` for invalid members. */
export function factGiven(fact: NewFact, { now, source }: Statement): Fact {
  const quote = textGiven(fact.quote, "quote", 280);
  const category = textGiven(fact.category ?? "context", "category", 64);
  const [valid_from, valid_to] = [timeGiven(fact.valid_from, "valid_from"), timeGiven(fact.valid_to, "valid_to")];
  return {
    type: "fact",
    category,
    subject: entityGiven(fact.subject ?? { type: "User", id: "user" }, "subject", "Person"),
    predicate: textGiven(fact.predicate ?? "MENTIONED", "predicate", 64),
    object: entityGiven(fact.object ?? quote.slice(0, 200), "object", "Thing"),
    quote,
    confidence: fact.confidence ?? "high",
    authority: fact.authority ?? "person",
    sources: [fact.source ?? source],
    ...present({ valid_from, valid_to }),
    written: "immediate",
    reason: textGiven(fact.reason ?? "The person asked for it.", "reason", 240),
    policy: policyVersion,
    recorded_at: now,
    sensitivity: fact.sensitivity ?? defaultVocabulary.categories[category]?.sensitivity ?? "ordinary",
  };
}

/** Returns the writes that remove the bars of a forgotten text that the user wants kept again. */
function unbarred(memory: MemorySnapshot, what: Fact | { readonly text: string }): readonly EntryWrite[] {
  const salts = new Set(memory.bars.map(({ entry }) => entry.salt));
  const ids = new Set([...salts].flatMap((salt) => barsOf(what, { owner_id: memory.owner_id, salt, now: 0 }).map(({ entry_id }) => entry_id)));
  return memory.bars.flatMap(({ entry_id }) => (ids.has(entry_id) ? [removeEntry(entry_id, "bar")] : []));
}

/** A fact and its writes. Other values of a functional predicate become history. */
export interface FactKept {
  readonly kept: Kept<Fact>;
  readonly writes: readonly EntryWrite[];
}

const historyOf = (fact: Fact, by: string, now: number): Fact => ({ ...fact, superseded_by: by, retracted_at: now, valid_to: fact.valid_to ?? now });

/** Keeps a fact. A repeated fact gains a source and the user's authority. */
export function keepFact(memory: MemorySnapshot, fact: Fact, { replaces }: { readonly replaces?: string } = {}): FactKept {
  const now = fact.recorded_at;
  const entry_id = factEntryId(fact);
  const known = memory.facts.find((one) => one.entry_id === entry_id)?.entry;
  const isFunctional = defaultVocabulary.predicates[fact.predicate]?.functional === true;
  const isRival = ({ entry_id: id, entry }: Kept<Fact>): boolean =>
    id !== entry_id &&
    inForce(entry) &&
    (id === replaces ||
      (isFunctional &&
        entry.predicate === fact.predicate &&
        entry.subject.type === fact.subject.type &&
        normalisedText(entry.subject.id) === normalisedText(fact.subject.id)));
  const before = known === undefined || !inForce(known) ? [] : known.sources;
  // A source that is already known is not added again, so a repeated call changes nothing.
  const there = new Set(before.map(sourceKey));
  const [first, ...more] = [...before, ...fact.sources.filter((source) => !there.has(sourceKey(source)))];
  const entry: Fact = {
    ...fact,
    sources: [first ?? fact.sources[0], ...more],
    ...(known === undefined ? {} : { recorded_at: known.recorded_at }),
    ...(known?.pinned === true ? { pinned: true } : {}),
    ...(known?.never_recall === true ? { never_recall: true } : {}),
  };
  const written = encodeEntry(entry_id, entry);
  const writes = [
    ...unbarred(memory, entry),
    ...memory.facts.filter(isRival).map((rival) => encodeEntry(rival.entry_id, historyOf(rival.entry, entry_id, now))),
    ...(known !== undefined && jsonEqual(encodeEntry(entry_id, known).data, written.data) ? [] : [written]),
  ];
  return { kept: { entry_id, version: memory.version + writes.length, entry }, writes };
}

/** Corrects a fact. Members that the correction does not name stay as they are. */
export function correctFact(memory: MemorySnapshot, { entry_id, entry: old }: Kept<Fact>, change: Correction, statement: Statement): FactKept {
  const { object = old.object, predicate = old.predicate, category = old.category } = change;
  const given = typeof object === "string" ? { type: old.object.type, id: object } : object;
  // The old validity is dropped, because it belonged to the wrong value.
  const fact = factGiven(
    {
      quote: change.quote ?? given.id,
      category,
      subject: old.subject,
      predicate,
      object: given,
      sensitivity: old.sensitivity,
      ...present({ valid_from: change.valid_from, valid_to: change.valid_to }),
      reason: change.reason ?? "The person corrected it.",
    },
    statement,
  );
  const flags = { ...(old.pinned === true ? { pinned: true as const } : {}), ...(old.never_recall === true ? { never_recall: true as const } : {}) };
  return keepFact(memory, { ...fact, ...flags }, { replaces: entry_id });
}

/** Result of saving a preference about how to talk with the user. */
export interface RuleKept {
  readonly outcome: RuleOutcome | "unsafe";
  readonly rule: Rule;
  readonly writes: readonly EntryWrite[];
}

/** Saves a user's preference as a rule, in the user's words. No model interprets it first. */
export function keepRule(
  memory: MemorySnapshot,
  text: string,
  { now, sources }: { readonly now: number; readonly sources: readonly Source[] },
): RuleKept {
  const id = ruleId(text);
  const rule: Rule = { id, text, evidence: [text], sources, confidence: "high", authority: "person", added_at: now };
  if (weakensSafety(text)) return { outcome: "unsafe", rule, writes: [] };
  const { profile, outcome, rule_id } = addRule(memory.profile, rule, { now });
  const kept = profile.rules.find((known) => known.id === rule_id) ?? rule;
  const isNew = outcome === "appended" || outcome === "replaced";
  return { outcome, rule: kept, writes: isNew ? [...unbarred(memory, { text }), profileWrite(profile)] : [] };
}

/** Returns the write of a profile. */
export const profileWrite = (profile: Profile): EntryWrite => encodeEntry(profileId, profile);

/** Returns the write that pins an entry or excludes it from recall. Returns nothing if the entry is already so. */
export function marked({ entry_id, entry }: { readonly entry_id: string; readonly entry: Recallable }, marks: Marks): readonly EntryWrite[] {
  const { pinned = false, never_recall = false, ...rest } = entry;
  const wanted = { pinned, never_recall, ...marks };
  if (wanted.pinned === pinned && wanted.never_recall === never_recall) return [];
  const kept = { ...rest, ...(wanted.pinned ? { pinned: true as const } : {}), ...(wanted.never_recall ? { never_recall: true as const } : {}) };
  return [encodeEntry(entry_id, kept)];
}

/** Returns the profile's write that pins or unpins an active rule. Returns nothing if nothing changes or the rule does not exist. */
export function pinnedRule(profile: Profile, id: string, pinned: boolean): readonly EntryWrite[] {
  const found = profile.rules.find((rule) => rule.id === id);
  if (found === undefined || (found.pinned === true) === pinned) return [];
  const { pinned: _was, ...rest } = found;
  const rule: Rule = pinned ? { ...found, pinned: true } : rest;
  return [profileWrite({ ...profile, rules: profile.rules.map((one) => (one.id === id ? rule : one)) })];
}
