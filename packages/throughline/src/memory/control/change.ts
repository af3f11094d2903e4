/** Changes that the person, or a program in their name, makes to what is remembered: as writes. */
import { createHash } from "node:crypto";
import { jsonEqual } from "../../kernel/json.ts";
import { ThroughlineError, seen } from "../../kernel/error.ts";
import {
  inForce,
  profileId,
  type Entity,
  type EntryWrite,
  type Fact,
  type Kept,
  type Profile,
  type Recallable,
  type Rule,
  type Source,
} from "../entry.ts";
import { barsOf } from "../write/bar.ts";
import { encodeEntry, removeEntry } from "../write/decode.ts";
import { factEntryId, normalisedText } from "../write/key.ts";
import { policyVersion, weakensSafety } from "../write/policy.ts";
import { addRule, type RuleOutcome } from "../write/profile.ts";
import { defaultVocabulary } from "../write/vocabulary.ts";
import type { Correction, Marks, NewFact } from "./owner-memory.ts";
import type { MemorySnapshot } from "./snapshot.ts";

const wrong = (path: string, message: string): ThroughlineError => new ThroughlineError("memory.invalid", message, { details: { path } });

/** A text of 1 to `most` characters. */
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

/** Where the person was, and when. */
export interface Said {
  readonly now: number;
  /** Where what they say now stands. */
  readonly source: Source;
}

/** A fact in the person's name, as it is stored, checked. */
export function factGiven(fact: NewFact, { now, source }: Said): Fact {
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
    ...(valid_from === undefined ? {} : { valid_from }),
    ...(valid_to === undefined ? {} : { valid_to }),
    written: "immediate",
    reason: textGiven(fact.reason ?? "The person asked for it.", "reason", 240),
    policy: policyVersion,
    recorded_at: now,
    sensitivity: fact.sensitivity ?? defaultVocabulary.categories[category]?.sensitivity ?? "ordinary",
  };
}

/** What lifts the bars of something that the person wants kept after all. */
function unbarred(memory: MemorySnapshot, what: Fact | { readonly text: string }): readonly EntryWrite[] {
  const salts = new Set(memory.bars.map(({ entry }) => entry.salt));
  const ids = new Set([...salts].flatMap((salt) => barsOf(what, { owner_id: memory.owner_id, salt, now: 0 }).map(({ entry_id }) => entry_id)));
  return memory.bars.flatMap(({ entry_id }) => (ids.has(entry_id) ? [removeEntry(entry_id, "bar")] : []));
}

/** A fact and the writes that keep it: other values of a predicate that has one at a time are history from now on. */
export interface FactKept {
  readonly kept: Kept<Fact>;
  readonly writes: readonly EntryWrite[];
}

const historyOf = (fact: Fact, by: string, now: number): Fact => ({ ...fact, superseded_by: by, retracted_at: now, valid_to: fact.valid_to ?? now });

/** Keeps a fact that is given. The same one again adds its source, and the person's authority. */
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
  // What was said there before was not said once more: a call that is sent again adds nothing.
  const isNew = ({ session_id, offset }: Source): boolean => !before.some((one) => one.session_id === session_id && one.offset === offset);
  const [first, ...more] = [...before, ...fact.sources.filter(isNew)];
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

/** A fact that is corrected: what it is about stays, unless that is what is corrected. */
export function correctFact(memory: MemorySnapshot, { entry_id, entry: old }: Kept<Fact>, change: Correction, said: Said): FactKept {
  const { object = old.object, predicate = old.predicate, category = old.category } = change;
  const given = typeof object === "string" ? { type: old.object.type, id: object } : object;
  // Of the old validity nothing is known any more: what it was said of was wrong.
  const fact = factGiven(
    {
      quote: change.quote ?? given.id,
      category,
      subject: old.subject,
      predicate,
      object: given,
      sensitivity: old.sensitivity,
      ...(change.valid_from === undefined ? {} : { valid_from: change.valid_from }),
      ...(change.valid_to === undefined ? {} : { valid_to: change.valid_to }),
      reason: change.reason ?? "The person corrected it.",
    },
    said,
  );
  const flags = { ...(old.pinned === true ? { pinned: true as const } : {}), ...(old.never_recall === true ? { never_recall: true as const } : {}) };
  return keepFact(memory, { ...fact, ...flags }, { replaces: entry_id });
}

/** What became of a wish how to be talked with. */
export interface RuleKept {
  readonly outcome: RuleOutcome | "unsafe";
  readonly rule: Rule;
  readonly writes: readonly EntryWrite[];
}

/** Keeps a wish of the person as a rule, in their own words: no model has to understand it first. */
export function keepRule(
  memory: MemorySnapshot,
  text: string,
  { now, sources }: { readonly now: number; readonly sources: readonly Source[] },
): RuleKept {
  const id = `rule:${createHash("sha256").update(normalisedText(text)).digest("hex").slice(0, 24)}`;
  const rule: Rule = { id, text, evidence: [text], sources, confidence: "high", authority: "person", added_at: now };
  if (weakensSafety(text)) return { outcome: "unsafe", rule, writes: [] };
  const { profile, outcome, rule_id } = addRule(memory.profile, rule, { now });
  const kept = profile.rules.find((known) => known.id === rule_id) ?? rule;
  const isNew = outcome === "appended" || outcome === "replaced";
  return { outcome, rule: kept, writes: isNew ? [...unbarred(memory, { text }), profileWrite(profile)] : [] };
}

/** The write of a profile. */
export const profileWrite = (profile: Profile): EntryWrite => encodeEntry(profileId, profile);

/** The write that pins an entry, or keeps it from every model; none if it is so already. */
export function marked({ entry_id, entry }: { readonly entry_id: string; readonly entry: Recallable }, marks: Marks): readonly EntryWrite[] {
  const { pinned = false, never_recall = false, ...rest } = entry;
  const wanted = { pinned, never_recall, ...marks };
  if (wanted.pinned === pinned && wanted.never_recall === never_recall) return [];
  const kept = { ...rest, ...(wanted.pinned ? { pinned: true as const } : {}), ...(wanted.never_recall ? { never_recall: true as const } : {}) };
  return [encodeEntry(entry_id, kept)];
}

/** The profile's write that pins a rule in force, or no longer; none if it is so already, or there is none. */
export function pinnedRule(profile: Profile, id: string, pinned: boolean): readonly EntryWrite[] {
  const found = profile.rules.find((rule) => rule.id === id);
  if (found === undefined || (found.pinned === true) === pinned) return [];
  const { pinned: _was, ...rest } = found;
  const rule: Rule = pinned ? { ...found, pinned: true } : rest;
  return [profileWrite({ ...profile, rules: profile.rules.map((one) => (one.id === id ? rule : one)) })];
}
