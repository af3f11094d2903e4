/** Whether a candidate may be written at all: it must quote the person word for word, in the vocabulary's words. Never fuzzy: what is not found was not said. */
import { isStorableText } from "../../kernel/json.ts";
import { confidences, type Entity, type Fact, type Sensitivity, type Candidate, type FactCandidate, type RuleCandidate } from "../entry.ts";
import type { SaidTurn } from "./extraction.ts";
import { allWords, wordsOfId } from "./key.ts";
import { isFactShaped, isTurnScoped, weakensSafety } from "./policy.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Characters that the parts of an entry may have. */
export const mostCharacters = { quote: 280, id: 200, reason: 240, rule: 280, summary: 600, mood: 40 } as const;

/** A fact that may be written, its quote and offset as they stand in the turn. */
export interface CheckedFact extends FactCandidate {
  readonly sensitivity: Sensitivity;
  /** When it was said. */
  readonly at: number;
}

/** A rule that may be written, likewise. */
export interface CheckedRule extends RuleCandidate {
  readonly at: number;
}

/** Why something was not written. */
export interface CandidateRefusal {
  readonly candidate: Candidate;
  /** One sentence, which repeats nothing of what was said. */
  readonly why: string;
}

/** What candidates are held against. */
export interface CheckContext {
  /** Turns that may be remembered: see `rememberable`. */
  readonly turns: readonly SaidTurn[];
  readonly vocabulary: Vocabulary;
  /** Every word that was said or is known: a name must be among them. See {@link wordsSaid}. */
  readonly said: ReadonlySet<string>;
}

/** The words of the turns, and of the names that are known. */
export function wordsSaid(turns: readonly SaidTurn[], known: readonly Pick<Fact, "subject" | "object">[]): ReadonlySet<string> {
  const said = new Set(turns.flatMap(({ text }) => allWords(text)));
  for (const { subject, object } of known) for (const entity of [subject, object]) for (const word of wordsOfId(entity)) said.add(word);
  return said;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");

/** A pattern for a text that does not mind case, white space, and which apostrophe or quotation mark was typed. */
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

/** Where a quote stands: in the turn that it is said to be from, else in the first that has it. With the words as they stand there. */
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

/** What is written large in an id: names, and figures. */
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

/** The sentence that a quote stands in: "just for now" may stand in it beside the quote. */
export function sentenceWith(text: string, quote: string): string {
  const at = text.indexOf(quote);
  const before = text.slice(0, at).search(/[^.!?。！？\n]*$/u);
  const after = text.slice(at + quote.length).search(/[.!?。！？\n]/u);
  return text.slice(Math.max(before, 0), after === -1 ? text.length : at + quote.length + after);
}

/** The candidate as it may be written, or why not. */
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

/** The person themself has one id. */
const asPerson = ({ type, id }: Entity): Entity => ({ type, id: type === "User" ? "user" : id.trim() });

/** Whether {@link checkCandidate} refused. */
export const isRefusal = (checked: CheckedFact | CheckedRule | CandidateRefusal): checked is CandidateRefusal => "why" in checked;
