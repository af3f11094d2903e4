/**
 * Consolidates an episode as one pure function. Its input is the owner's memory, the episode and the extraction; its output is the writes of one
 * commit. Running it again on a newer memory writes nothing twice.
 */
import { present } from "../../kernel/json.ts";
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
  type ArcDraft,
  type CandidateRefusal,
  checkCandidate,
  type CheckedFact,
  type CheckedRule,
  type Extraction,
  findQuote,
  isRefusal,
  mostCharacters,
  type SaidTurn,
  sentenceWith,
  wordsSaid,
} from "./check-candidate.ts";
import { sourcesOf, type Conflict, conflictsOf, FactIndex } from "./fact-index.ts";
import { encodeEntry, removeEntry } from "./decode.ts";
import { meaningful, ruleId } from "./key.ts";
import { policyVersion, type PrivacyScope, rememberable } from "./policy.ts";
import { addRule, FactBook, type Reconciled } from "./reconcile.ts";
import { type Held, promote, type PromotedFact, type PromotedRule, type Promotion } from "./promote.ts";
import { defaultVocabulary, type Vocabulary } from "./fact-vocabulary.ts";
import { sentencesOf } from "../control/hidden-words.ts";

/** The parts of an owner's memory that consolidation needs. */
export interface MemoryToWrite {
  /** Active facts and history. Withdrawn or replaced facts must not return as new ones. */
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
  /** Messages of the user, oldest first, without withdrawn ones and turns that were excluded from memory. */
  readonly turns: readonly SaidTurn[];
  /** Start and end by time and offset. Default: those of the turns. */
  readonly started_at?: number;
  readonly ended_at?: number;
  readonly from?: number;
  readonly upto?: number;
  /** Highest level of the safety gate in the episode. */
  readonly level?: number;
}

/** Input of {@link consolidate}. */
export interface ConsolidateInput {
  readonly owner_id: string;
  readonly memory: MemoryToWrite;
  readonly episode: ClosedEpisode;
  /** Candidates held during the episode. */
  readonly buffer?: Buffer;
  readonly extraction: Extraction;
  /** Time of the writes in milliseconds. */
  readonly now: number;
  readonly vocabulary?: Vocabulary;
  /** Returns the meaningful terms of a text, like a tokenizer's `terms`. Default: those of English, Spanish, German and Chinese. */
  readonly terms?: (text: string) => readonly string[];
}

/** Results with the reasons for candidates that were not written. */
export interface ConsolidationReport {
  /** Ids of facts that are new or active again. */
  readonly written: readonly string[];
  /** Ids of repeated facts. */
  readonly bumped: readonly string[];
  /** Ids of facts that were replaced, with their replacements. */
  readonly superseded: readonly { readonly entry_id: string; readonly by: string }[];
  readonly refused: readonly CandidateRefusal[];
  /** Candidates without enough support. */
  readonly held: readonly Held[];
  /** Contradictions between active facts, at least one of them written by this episode. */
  readonly conflicts: readonly Conflict[];
  /** Ids of new rules. */
  readonly rules: readonly string[];
  /** Id of the arc, or null. */
  readonly arc: string | null;
  /** Scope of the user's wish not to remember. */
  readonly privacy: PrivacyScope | undefined;
  /** Reason that the extraction gave. */
  readonly reason: string;
}

/** Result of {@link consolidate}. */
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

/** Tells whether a quote is part of the barred text of its sentence. Other parts of the sentence may be written. */
function isPartOfBarred({ quote, offset }: CheckedFact | CheckedRule, turns: readonly SaidTurn[], isBarred: BarCheck): boolean {
  const turn = turns.find((one) => one.offset === offset);
  const sentence = turn === undefined ? quote : sentenceWith(turn.text, quote);
  return isBarred({ text: sentence }) && !sentence.split(quote).some((rest) => isBarred({ text: rest }));
}

/** Checks the candidates. A wish for privacy rejects all candidates of the episode. */
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

/** Returns a promoted fact as stored. */
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
    ...present({ valid_from, valid_to }),
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
    id: ruleId(text),
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

/** Returns the arc's draft. Returns null if the conversation must not be remembered or has no turns left. */
const draftOf = ({ extraction, privacy, turns }: Work): ArcDraft | null => (privacy === "session" || turns.length === 0 ? null : extraction.arc);

function episodeArc(draft: ArcDraft | null, { episode, buffer, memory, now, isBarred, turns }: Work): Arc | null {
  const [first, last] = [turns[0], turns.at(-1)];
  if (draft === null || first === undefined || last === undefined) return null;
  const { session_id, started_at = first.at, ended_at = last.at, from = first.offset, upto = last.offset, level } = episode;
  const id = arcEntryId(session_id, episode.episode);
  const approach = buffer === undefined ? undefined : dominantApproach(buffer.approach_counts);
  const approach_context = contextOf(draft, turns, isBarred);
  const frame = { session_id, episode: episode.episode, started_at, ended_at, from, upto, turn_count: turns.length, now };
  const before = memory.arcs.find(({ entry_id }) => entry_id === id)?.entry;
  return arcOf(
    draft,
    {
      ...frame,
      before,
      ...present({ approach, level, approach_context }),
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

/** Sorts facts oldest first, so that the later of two values in one episode wins. */
const inOrder = (facts: readonly Fact[]): readonly Fact[] =>
  facts.toSorted((left, right) => {
    const [a, b] = [left.sources.at(-1) ?? left.sources[0], right.sources.at(-1) ?? right.sources[0]];
    return a.at - b.at || a.offset - b.offset;
  });

const idsOf = (results: readonly Reconciled[], ...outcomes: readonly Reconciled["outcome"][]): readonly string[] => [
  ...new Set(results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ entry_id }) => entry_id)),
];

/** Consolidates an episode. The result depends only on the input. */
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
  const hasArc = memory.arcs.some(({ entry_id }) => entry_id === arcId);
  const outcomes = results.map(({ result }) => result);
  return {
    writes: [
      ...book.changed.map(([id, fact]) => encodeEntry(id, fact)),
      ...(profile === memory.profile ? [] : [encodeEntry(profileId, profile)]),
      // An arc that was drafted before the episode ended does not outlive its reasons.
      ...(arc !== null ? [encodeEntry(arcId, arc)] : hasArc ? [removeEntry(arcId, "arc")] : []),
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

const mostFragments = 8;
const label = /^[a-z][a-z_]{0,39}$/u;

/** Returns the quotes of what the person worked on, as they stand in the turns; undefined without any. */
function contextOf({ approach_context = {} }: ArcDraft, turns: readonly SaidTurn[], isBarred: BarCheck): Arc["approach_context"] {
  const fragments = Object.entries(approach_context).flatMap(([name, text]) => {
    const found = label.test(name) ? findQuote(text, -1, turns)?.quote : undefined;
    return found === undefined || isBarred({ text: found }) ? [] : [[name, cut(found, mostInItem)] as const];
  });
  return fragments.length === 0 ? undefined : Object.fromEntries(fragments.slice(0, mostFragments));
}

/** Facts about an episode that the runtime knows. */
interface EpisodeFrame extends Pick<
  Arc,
  "session_id" | "episode" | "started_at" | "ended_at" | "from" | "upto" | "turn_count" | "approach" | "approach_context" | "level"
> {
  readonly now: number;
  /** The existing arc, whose marks by the user are kept. */
  readonly before: Arc | undefined;
}

const mostThemes = 3;
const mostSentences = 4;
const mostLoops = 10;
/** Maximum length of a theme or open loop. */
const mostInItem = 200;

/** Cuts a text at a length, at the end of a word. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most - 1).toWellFormed();
  return `${head.slice(0, Math.max(head.lastIndexOf(" "), Math.floor(most / 2)))}…`;
}

const items = (list: readonly string[], most: number, isBarred: BarCheck): readonly string[] =>
  [...new Set(list.map((text) => cut(text.trim(), mostInItem)))].filter((text) => text !== "" && !isBarred({ text })).slice(0, most);

/** Returns as many whole sentences as fit. If the first one is too long, returns its beginning. */
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

/** Returns the arc, or null if its summary is empty. */
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
    ...present({ approach, approach_context, level }),
    policy: policyVersion,
    recorded_at: now,
    ...(before?.pinned === true ? { pinned: true } : {}),
    ...(before?.never_recall === true ? { never_recall: true } : {}),
    sensitivity: (level ?? 0) > 0 ? "sensitive" : "personal",
  };
}
