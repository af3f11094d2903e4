/** Extraction port, and the check of what it finds: a candidate must quote the user verbatim and use the vocabulary. Matching is never fuzzy. */
import { isStorableText } from "../../kernel/json.ts";
import { type Candidate, confidences, type Entity, type Fact, type FactCandidate, type RuleCandidate, type Sensitivity } from "../entry.ts";
import type { Vocabulary } from "./fact-vocabulary.ts";
import { allWords, wordsOfId } from "./key.ts";
import { isFactShaped, isTurnScoped, weakensSafety } from "./policy.ts";

/** A message of the user. Recalled memory, tool output and turns excluded from memory are never included. */
export interface SaidTurn {
  readonly offset: number;
  readonly at: number;
  readonly text: string;
}

/** Summary of an episode. An extraction has null if the episode deserves no arc. */
export interface ArcDraft {
  readonly summary: string;
  readonly themes: readonly string[];
  readonly mood?: { readonly opened: string; readonly closed: string };
  readonly open_loops: readonly string[];
  readonly resolved: readonly string[];
  readonly goal?: string;
  /** The person's words on what they worked on, by label, such as `thought` or `action_step`. Only verbatim quotes of their messages are kept. */
  readonly approach_context?: Readonly<Record<string, string>>;
}

/** Input of an extractor. */
export interface ExtractionInput {
  readonly turns: readonly SaidTurn[];
  /** Replies between the turns, as context only. They must not be quoted. */
  readonly replies: readonly { readonly offset: number; readonly text: string }[];
  /** Active facts, so that an extractor can distinguish corrections from new facts. */
  readonly known: readonly Pick<Fact, "category" | "subject" | "predicate" | "object">[];
}

/** Result of an extraction. It is usually empty, and then has a reason too. */
export interface Extraction {
  readonly candidates: readonly Candidate[];
  readonly arc: ArcDraft | null;
  readonly reason: string;
}

/** Finds what to remember, with a model or with rules. */
export interface Extractor {
  /** Shown to users and stored with the results: `rules@1`, `model:gpt-…@1`. */
  readonly name: string;
  extract(input: ExtractionInput, options: { readonly signal: AbortSignal }): Promise<Extraction>;
}

/** Maximum lengths of an entry's parts in characters. */
export const mostCharacters = { quote: 280, id: 200, reason: 240, rule: 280, summary: 600, mood: 40 } as const;

/** A valid fact. Its quote and offset match the turn. */
export interface CheckedFact extends FactCandidate {
  readonly sensitivity: Sensitivity;
  /** Time of the statement. */
  readonly at: number;
}

/** A valid rule. Its quote and offset match the turn. */
export interface CheckedRule extends RuleCandidate {
  readonly at: number;
}

/** Reason why a candidate was not written. */
export interface CandidateRefusal {
  readonly candidate: Candidate;
  /** One sentence that contains none of the user's words. */
  readonly why: string;
}

/** Context of the checks. */
interface CheckContext {
  /** Turns that may be remembered, see `rememberable`. */
  readonly turns: readonly SaidTurn[];
  readonly vocabulary: Vocabulary;
  /** All words of the turns and of known names. A new name must be among them. See {@link wordsSaid}. */
  readonly said: ReadonlySet<string>;
}

/** Returns the words of the turns and of known names. */
export function wordsSaid(turns: readonly SaidTurn[], known: readonly Pick<Fact, "subject" | "object">[]): ReadonlySet<string> {
  const said = new Set(turns.flatMap(({ text }) => allWords(text)));
  for (const { subject, object } of known) for (const entity of [subject, object]) for (const word of wordsOfId(entity)) said.add(word);
  return said;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");

/** Returns a pattern that ignores case, white space and the kind of apostrophes and quotation marks. */
const patternOf = (quote: string): RegExp =>
  new RegExp(
    quote
      .trim()
      .split(/\s+/u)
      .map((word) =>
        escaped(word)
          .replaceAll(/['’‘ʼ]/gu, "['’‘ʼ]")
          .replaceAll(/["“”„]/gu, '["“”„]'),
      )
      .join("\\s+"),
    "iu",
  );

/** Finds a quote: in the turn at the given offset, else in the first turn that contains it. Returns the text of the turn. */
export function findQuote(
  quote: string,
  offset: number,
  turns: readonly SaidTurn[],
): { readonly quote: string; readonly turn: SaidTurn } | undefined {
  if (!/[\p{L}\p{N}]/u.test(quote) || quote.length > mostCharacters.quote) return undefined;
  const pattern = patternOf(quote);
  const claimed = turns.find((turn) => turn.offset === offset);
  for (const turn of claimed === undefined ? turns : [claimed, ...turns]) {
    const found = pattern.exec(turn.text)?.[0];
    if (found !== undefined) return { quote: found, turn };
  }
  return undefined;
}

/** Returns the capitalized words and the numbers of an id. */
const namesIn = (id: string): readonly string[] =>
  (id.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => /^[\p{Lu}\p{Lt}\p{N}]/u.test(word)).flatMap(allWords);

function wrongEntity(part: string, { type, id }: Entity, context: CheckContext): string | undefined {
  const rule = Object.hasOwn(context.vocabulary.entities, type) ? context.vocabulary.entities[type] : undefined;
  if (rule === undefined) return `The type of its ${part} is not in the vocabulary.`;
  if (id.trim() === "" || id.length > mostCharacters.id || !isStorableText(id))
    return `The id of its ${part} has 1 to ${mostCharacters.id} characters.`;
  return rule.named === true && namesIn(id).some((name) => !context.said.has(name)) ? `Its ${part} has a name that nobody said.` : undefined;
}

function wrongFact(fact: FactCandidate, context: CheckContext): string | undefined {
  const { categories, predicates } = context.vocabulary;
  if (!Object.hasOwn(categories, fact.category)) return "Its category is not in the vocabulary.";
  if (!Object.hasOwn(predicates, fact.predicate)) return "Its predicate is not in the vocabulary.";
  if (predicates[fact.predicate]?.internal === true) return "Its predicate is not taken from what people say.";
  if (!confidences.includes(fact.confidence)) return "Its confidence is none that is known.";
  const times = [fact.valid_from, fact.valid_to].filter((time) => time !== undefined);
  if (times.some((time) => !Number.isFinite(time)) || (times[0] ?? 0) > (times[1] ?? Infinity)) return "It ends before it begins.";
  return wrongEntity("subject", fact.subject, context) ?? wrongEntity("object", fact.object, context);
}

function wrongRule(rule: RuleCandidate, turn: SaidTurn): string | undefined {
  if (rule.text.trim() === "" || rule.text.length > mostCharacters.rule || !isStorableText(rule.text))
    return `A rule has 1 to ${mostCharacters.rule} characters.`;
  if (weakensSafety(rule.text) || weakensSafety(rule.quote)) return "It would weaken what keeps the person safe.";
  return isFactShaped(turn.text) ? "It says how things are, and not how to talk." : undefined;
}

/** Returns the sentence that contains a quote, since it may restrict the quote, as in "just for now". */
export function sentenceWith(text: string, quote: string): string {
  const at = text.indexOf(quote);
  const before = text.slice(0, at).search(/[^.!?。！？\n]*$/u);
  const after = text.slice(at + quote.length).search(/[.!?。！？\n]/u);
  return text.slice(Math.max(before, 0), after === -1 ? text.length : at + quote.length + after);
}

/** Returns the candidate as it may be written, or the reason against it. */
export function checkCandidate(candidate: Candidate, context: CheckContext): CheckedFact | CheckedRule | CandidateRefusal {
  const refused = (why: string): CandidateRefusal => ({ candidate, why });
  const found = findQuote(candidate.quote, candidate.offset, context.turns);
  if (found === undefined) return refused("Its quote is no verbatim piece of what the person said and wants remembered.");
  const { quote, turn } = found;
  if (isTurnScoped(sentenceWith(turn.text, quote))) return refused("It was meant for one turn.");
  const common = { quote, offset: turn.offset, at: turn.at, reason: candidate.reason.slice(0, mostCharacters.reason) };
  if (candidate.type === "rule") {
    const why = wrongRule({ ...candidate, quote }, turn);
    return why === undefined ? { ...candidate, text: candidate.text.trim(), ...common } : refused(why);
  }
  const why = wrongFact(candidate, context);
  if (why !== undefined) return refused(why);
  const sensitivity = candidate.sensitivity ?? context.vocabulary.categories[candidate.category]?.sensitivity ?? "personal";
  return {
    ...candidate,
    subject: asPerson(candidate.subject),
    object: { ...candidate.object, id: candidate.object.id.trim() },
    sensitivity,
    ...common,
  };
}

/** Gives the user their one id. */
const asPerson = ({ type, id }: Entity): Entity => ({ type, id: type === "User" ? "user" : id.trim() });

/** Tells whether {@link checkCandidate} rejected the candidate. */
export const isRefusal = (checked: CheckedFact | CheckedRule | CandidateRefusal): checked is CandidateRefusal => "why" in checked;
