/**
 * What an episode leaves behind, as one pure function: from the owner's memory, the episode and what an extraction found in it to the writes of one commit.
 * Computed anew when the memory has moved on in the meantime, it writes nothing twice.
 */
import { createHash } from "node:crypto";
import type { SessionId } from "../../kernel/id.ts";
import {
  type Arc,
  arcEntryId,
  type Bar,
  type EntryWrite,
  type Fact,
  type Kept,
  type Profile,
  profileId,
  type Rule,
  type Buffer,
  type Candidate,
  bufferEntryId,
  dominantApproach,
} from "../entry.ts";
import type { Mask } from "../../session/masks.ts";
import { type BarCheck, barCheck } from "./bar.ts";
import {
  checkCandidate,
  type CheckedFact,
  type CheckedRule,
  isRefusal,
  type CandidateRefusal,
  sentenceWith,
  wordsSaid,
  mostCharacters,
} from "./check-candidate.ts";
import { sourcesOf, type Conflict, conflictsOf, FactIndex } from "./fact-index.ts";
import { encodeEntry, removeEntry } from "./decode.ts";
import type { ArcDraft, Extraction, SaidTurn } from "./extraction.ts";
import { normalisedText, meaningful } from "./key.ts";
import { policyVersion, type PrivacyScope, rememberable } from "./policy.ts";
import { addRule } from "./profile.ts";
import { type Held, promote, type PromotedFact, type PromotedRule, type Promotion } from "./promote.ts";
import { FactBook, type Reconciled } from "./reconcile.ts";
import { defaultVocabulary, type Vocabulary } from "./vocabulary.ts";
import { sentencesOf } from "../recall/hidden.ts";

/** An owner's memory, as far as writing needs it. */
export interface MemoryToWrite {
  /** Of any standing: what was withdrawn or replaced must not come back as new. */
  readonly facts: readonly Kept<Fact>[];
  readonly arcs: readonly Kept<Arc>[];
  readonly profile: Profile;
  readonly bars: readonly Bar[];
  readonly masks: readonly Mask[];
}

/** An episode that ended. */
export interface ClosedEpisode {
  readonly session_id: SessionId;
  readonly episode: number;
  /** What the person said and did not take back, without turns that are left out of memory; oldest first. */
  readonly turns: readonly SaidTurn[];
  /** Where and when it began and ended; by its turns, if left out. */
  readonly started_at?: number;
  readonly ended_at?: number;
  readonly from?: number;
  readonly upto?: number;
  /** The highest level that a gate found in it. */
  readonly level?: number;
  /** What belongs to the approach that was used. */
  readonly approach_context?: Readonly<Record<string, string>>;
}

/** What {@link consolidate} takes. */
export interface ConsolidateInput {
  readonly owner_id: string;
  readonly memory: MemoryToWrite;
  readonly episode: ClosedEpisode;
  /** What was held back during the episode. */
  readonly buffer?: Buffer;
  readonly extraction: Extraction;
  /** Time of the writes, in milliseconds. */
  readonly now: number;
  readonly vocabulary?: Vocabulary;
  /** The terms of a text that carry meaning: a tokenizer's `terms`; those of English, Spanish, German and Chinese, if left out. */
  readonly terms?: (text: string) => readonly string[];
}

/** What was done, and what was not, with the reasons. */
export interface ConsolidationReport {
  /** Ids of facts that are new, or in force again. */
  readonly written: readonly string[];
  /** Ids of facts that were said again. */
  readonly bumped: readonly string[];
  /** Ids of facts that hold no longer, with what took their place. */
  readonly superseded: readonly { readonly entry_id: string; readonly by: string }[];
  readonly refused: readonly CandidateRefusal[];
  /** Not said often enough. */
  readonly held: readonly Held[];
  /** Facts in force that contradict each other, of which the episode wrote one. */
  readonly conflicts: readonly Conflict[];
  /** Ids of rules that are new. */
  readonly rules: readonly string[];
  /** The id of the arc; null without one. */
  readonly arc: string | null;
  /** What the person asked not to remember. */
  readonly privacy: PrivacyScope | undefined;
  /** The extraction's own reason. */
  readonly reason: string;
}

/** What {@link consolidate} gives. */
export interface Consolidation {
  readonly writes: readonly EntryWrite[];
  readonly report: ConsolidationReport;
}

interface Sorted {
  readonly facts: readonly CheckedFact[];
  readonly rules: readonly CheckedRule[];
  readonly refused: readonly CandidateRefusal[];
}

interface Work extends ConsolidateInput {
  readonly vocabulary: Vocabulary;
  readonly isBarred: BarCheck;
  /** Turns that may be remembered. */
  readonly turns: readonly SaidTurn[];
  readonly privacy: PrivacyScope | undefined;
}

function workOf(input: ConsolidateInput): Work {
  const { session_id, turns } = input.episode;
  const masked = new Set(input.memory.masks.filter((mask) => mask.session_id === session_id).flatMap(({ offsets }) => offsets));
  const asked = rememberable(turns.filter(({ offset }) => !masked.has(offset)));
  const { turns: kept, privacy } = input.buffer?.private === true ? ({ turns: [], privacy: "session" } as const) : asked;
  const isBarred = barCheck(input.memory.bars, input.owner_id);
  return { ...input, vocabulary: input.vocabulary ?? defaultVocabulary, isBarred, turns: kept, privacy };
}

/** Whether a quote is of a sentence that is barred, and takes part in what is barred of it: what else is said there may be written. */
function isPartOfBarred({ quote, offset }: CheckedFact | CheckedRule, turns: readonly SaidTurn[], isBarred: BarCheck): boolean {
  const turn = turns.find((one) => one.offset === offset);
  const sentence = turn === undefined ? quote : sentenceWith(turn.text, quote);
  return isBarred({ text: sentence }) && !sentence.split(quote).some((rest) => isBarred({ text: rest }));
}

/** Candidates that may be written; a wish for privacy takes all of the episode's. */
function sort({ episode, buffer, extraction, memory, turns, vocabulary, privacy, isBarred }: Work): Sorted {
  const held = buffer?.session_id === episode.session_id && buffer.episode === episode.episode ? buffer.held : [];
  const candidates: readonly Candidate[] = [...held, ...extraction.candidates];
  if (privacy !== undefined)
    return { facts: [], rules: [], refused: candidates.map((candidate) => ({ candidate, why: "The person asked not to remember it." })) };
  const known = memory.facts.map(({ entry }) => entry);
  const context = { turns, vocabulary, said: candidates.length === 0 ? new Set<string>() : wordsSaid(turns, known) };
  const checked = candidates.map((candidate) => {
    const found = checkCandidate(candidate, context);
    if (isRefusal(found)) return found;
    const barred =
      isBarred(found.type === "fact" ? found : { text: found.text }) || isBarred({ text: found.quote }) || isPartOfBarred(found, turns, isBarred);
    return barred ? { candidate, why: "The person had it forgotten." } : found;
  });
  return {
    facts: checked.filter((found): found is CheckedFact => !isRefusal(found) && found.type === "fact"),
    rules: checked.filter((found): found is CheckedRule => !isRefusal(found) && found.type === "rule"),
    refused: checked.filter(isRefusal),
  };
}

/** A promoted fact as it is stored. */
function factOf(promoted: PromotedFact, { episode, now }: Work): Fact | undefined {
  const { item, written } = promoted;
  const [first, ...more] = sourcesOf(episode.session_id, promoted);
  if (first === undefined) return undefined;
  const { category, subject, predicate, object, quote, confidence, sensitivity, valid_from, valid_to, reason } = item;
  return {
    type: "fact",
    ...{ category, subject, predicate, object, quote, confidence },
    authority: "extraction",
    sources: [first, ...more],
    ...(valid_from === undefined ? {} : { valid_from }),
    ...(valid_to === undefined ? {} : { valid_to }),
    written,
    reason,
    policy: policyVersion,
    recorded_at: now,
    sensitivity,
  };
}

const mostEvidence = 3;

function ruleOf(promoted: PromotedRule, { episode, now }: Work): Rule {
  const { text } = promoted.item;
  return {
    id: `rule:${createHash("sha256").update(normalisedText(text)).digest("hex").slice(0, 24)}`,
    text,
    evidence: [...new Set(promoted.members.map(({ quote }) => quote))].slice(-mostEvidence),
    sources: sourcesOf(episode.session_id, promoted).slice(-mostEvidence),
    confidence: promoted.confidence,
    authority: "extraction",
    added_at: now,
  };
}

function addRules(promoted: readonly PromotedRule[], work: Work): { readonly profile: Profile; readonly added: readonly string[] } {
  let profile = work.memory.profile;
  const added: string[] = [];
  for (const rule of promoted.map((promoted) => ruleOf(promoted, work))) {
    const result = addRule(profile, rule, { now: work.now });
    if (result.outcome === "appended") added.push(result.rule_id);
    profile = result.profile;
  }
  return { profile, added };
}

/** The arc's draft; none when the whole conversation is not to be remembered, or nobody is left who said anything. */
const draftOf = ({ extraction, privacy, turns }: Work): ArcDraft | null => (privacy === "session" || turns.length === 0 ? null : extraction.arc);

function episodeArc(draft: ArcDraft | null, { episode, buffer, memory, now, isBarred, turns }: Work): Arc | null {
  const [first, last] = [turns[0], turns.at(-1)];
  if (draft === null || first === undefined || last === undefined) return null;
  const { session_id, started_at = first.at, ended_at = last.at, from = first.offset, upto = last.offset, level, approach_context } = episode;
  const id = arcEntryId(session_id, episode.episode);
  const approach = buffer === undefined ? undefined : dominantApproach(buffer.approach_counts);
  const frame = { session_id, episode: episode.episode, started_at, ended_at, from, upto, turn_count: turns.length, now };
  const before = memory.arcs.find(({ entry_id }) => entry_id === id)?.entry;
  return arcOf(
    draft,
    {
      ...frame,
      before,
      ...(approach === undefined ? {} : { approach }),
      ...(level === undefined ? {} : { level }),
      ...(approach_context === undefined ? {} : { approach_context }),
    },
    isBarred,
  );
}

function weigh({ facts, rules }: Sorted, draft: ArcDraft | null, work: Work & { readonly known: FactIndex }): Promotion {
  const { memory, episode, turns, vocabulary, known, terms = meaningful } = work;
  const others = memory.arcs
    .filter(({ entry }) => entry.session_id !== episode.session_id)
    .toSorted((left, right) => left.entry.ended_at - right.entry.ended_at);
  return promote(facts, rules, { turns, arc: draft, priorArcs: others.map(({ entry }) => entry), known, vocabulary, terms });
}

/** Oldest first, so that of two values said in one episode the later one stays. */
const inOrder = (facts: readonly Fact[]): readonly Fact[] =>
  facts.toSorted((left, right) => {
    const [a, b] = [left.sources.at(-1) ?? left.sources[0], right.sources.at(-1) ?? right.sources[0]];
    return a.at - b.at || a.offset - b.offset;
  });

const idsOf = (results: readonly Reconciled[], ...outcomes: readonly Reconciled["outcome"][]): readonly string[] => [
  ...new Set(results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ entry_id }) => entry_id)),
];

/** What an episode leaves behind. The same for the same input. */
export function consolidate(input: ConsolidateInput): Consolidation {
  const work = workOf(input);
  const { memory, episode, now, vocabulary } = work;
  const sorted = sort(work);
  const draft = draftOf(work);
  const known = new FactIndex(memory.facts);
  const promotion = weigh(sorted, draft, { ...work, known });
  const book = new FactBook(known, { now, vocabulary });
  const facts = inOrder(promotion.facts.map((fact) => factOf(fact, work)).filter((fact) => fact !== undefined));
  const results = facts.map((fact) => ({ fact, result: book.take(fact) }));
  const { profile, added } = addRules(promotion.rules, work);
  const arc = episodeArc(draft, work);
  const arcId = arcEntryId(episode.session_id, episode.episode);
  const outcomes = results.map(({ result }) => result);
  return {
    writes: [
      ...book.changed.map(([id, fact]) => encodeEntry(id, fact)),
      ...(profile === memory.profile ? [] : [encodeEntry(profileId, profile)]),
      ...(arc === null ? [] : [encodeEntry(arcId, arc)]),
      ...(work.buffer === undefined ? [] : [removeEntry(bufferEntryId(episode.session_id, episode.episode), "buffer")]),
    ],
    report: {
      written: idsOf(outcomes, "written", "history"),
      bumped: idsOf(outcomes, "bumped"),
      superseded: outcomes.flatMap(({ entry_id, supersedes }) => supersedes.map((old) => ({ entry_id: old, by: entry_id }))),
      refused: [...sorted.refused, ...outranked(results, promotion)],
      held: promotion.held,
      conflicts: conflictsOf(book.changed, known, vocabulary),
      rules: added,
      arc: arc === null ? null : arcId,
      privacy: work.privacy,
      reason: work.extraction.reason,
    },
  };
}

function outranked(results: readonly { readonly fact: Fact; readonly result: Reconciled }[], { facts }: Promotion): readonly CandidateRefusal[] {
  const quotes = new Set(results.filter(({ result }) => result.outcome === "outranked").map(({ fact }) => fact.quote));
  return facts.filter(({ item }) => quotes.has(item.quote)).map(({ item }) => ({ candidate: item, why: "The person has said otherwise." }));
}

/** What the runtime knows of an episode. */
interface EpisodeFrame extends Pick<
  Arc,
  "session_id" | "episode" | "started_at" | "ended_at" | "from" | "upto" | "turn_count" | "approach" | "approach_context" | "level"
> {
  readonly now: number;
  /** What the person has done to the arc that stood there before. */
  readonly before: Arc | undefined;
}

const mostThemes = 3;
const mostSentences = 4;
const mostLoops = 10;
/** Of a theme or an open loop. */
const mostInItem = 200;

/** A text cut at a length, at the end of a word. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most - 1).toWellFormed();
  return `${head.slice(0, Math.max(head.lastIndexOf(" "), Math.floor(most / 2)))}…`;
}

const items = (list: readonly string[], most: number, isBarred: BarCheck): readonly string[] =>
  [...new Set(list.map((text) => cut(text.trim(), mostInItem)))].filter((text) => text !== "" && !isBarred({ text })).slice(0, most);

/** Whole sentences, as many as fit; of one that is too long its beginning. */
function summaryOf(summary: string, isBarred: BarCheck): string {
  const kept: string[] = [];
  for (const sentence of sentencesOf(summary)
    .filter((sentence) => !isBarred({ text: sentence }))
    .slice(0, mostSentences)) {
    if ([...kept, sentence].join(" ").length > mostCharacters.summary) break;
    kept.push(sentence);
  }
  const [first] = kept;
  return first === undefined
    ? cut(sentencesOf(summary).find((sentence) => !isBarred({ text: sentence })) ?? "", mostCharacters.summary)
    : kept.join(" ");
}

/** The arc; null if there is nothing left to tell. */
function arcOf(draft: ArcDraft, { now, before, ...frame }: EpisodeFrame, isBarred: BarCheck): Arc | null {
  const summary = summaryOf(draft.summary, isBarred);
  if (summary === "") return null;
  const { mood, goal } = draft;
  const { approach, approach_context, level, ...place } = frame;
  return {
    type: "arc",
    ...place,
    summary,
    themes: items(draft.themes, mostThemes, isBarred),
    ...(mood === undefined ? {} : { mood: { opened: cut(mood.opened, mostCharacters.mood), closed: cut(mood.closed, mostCharacters.mood) } }),
    open_loops: items(draft.open_loops, mostLoops, isBarred),
    resolved: items(draft.resolved, mostLoops, isBarred),
    ...(goal === undefined || goal.trim() === "" || isBarred({ text: goal }) ? {} : { goal: cut(goal.trim(), mostInItem) }),
    ...(approach === undefined ? {} : { approach }),
    ...(approach_context === undefined ? {} : { approach_context }),
    ...(level === undefined ? {} : { level }),
    policy: policyVersion,
    recorded_at: now,
    ...(before?.pinned === true ? { pinned: true } : {}),
    ...(before?.never_recall === true ? { never_recall: true } : {}),
    sensitivity: (level ?? 0) > 0 ? "sensitive" : "personal",
  };
}
