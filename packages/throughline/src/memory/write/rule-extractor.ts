/**
 * Extraction without a model, by phrases in which users talk about themselves. It finds little and invents nothing. Questions, suppositions,
 * quotations, denials, statements about others and statements in a crisis are skipped.
 */
import { present } from "../../kernel/json.ts";
import type { Candidate, FactCandidate, RuleCandidate } from "../entry.ts";
import { doInSlices } from "../../kernel/slices.ts";
import { sentencesOf } from "../control/hidden-words.ts";
import { timesIn } from "../text/dates.ts";
import type { Extraction, ExtractionInput, Extractor, SaidTurn } from "./check-candidate.ts";
import { privacyOf } from "./policy.ts";
import { type Reader, readerOf } from "./rules/compile.ts";
import { draftArc } from "./rules/draft-arc.ts";
import { type RuleLanguage, ruleLanguages } from "./rules/rule-languages.ts";

/** Options of {@link ruleExtractor}. */
export interface RuleExtractorOptions {
  /** Default: all {@link ruleLanguages}. */
  readonly languages?: readonly RuleLanguage[];
}

/** Maximum number of characters read of a message, and of a sentence. */
const longest = 8_000;
const longestSentence = 500;
const mostQuote = 280;

/** Returns the start of a fact's validity, if the sentence names exactly one past time. */
function since(sentence: string, at: number, { language }: Reader): number | undefined {
  if (language.locale === undefined) return undefined;
  const times = timesIn(sentence, at, [language.locale]);
  const [only] = times;
  return times.length === 1 && only !== undefined && only.from <= at ? only.from : undefined;
}

function factsIn(sentence: string, { offset, at }: SaidTurn, reader: Reader): readonly FactCandidate[] {
  return reader.facts(sentence).map(({ phrase, quote, object }) => {
    const valid_from = since(sentence, at, reader);
    return {
      type: "fact",
      category: phrase.category,
      subject: { type: "User", id: "user" },
      predicate: phrase.predicate,
      object: { type: phrase.object, id: object },
      quote,
      offset,
      confidence: "medium",
      ...present({ sensitivity: phrase.sensitivity, valid_from }),
      reason: `said in a phrase for ${phrase.predicate} (${reader.language.code})`,
    };
  });
}

const rulesIn = (sentence: string, { offset }: SaidTurn, reader: Reader): readonly RuleCandidate[] =>
  reader.rules(sentence).map(({ phrase, quote }) => ({
    type: "rule",
    text: phrase.text,
    quote,
    offset,
    reason: `a wish about how to talk (${reader.language.code})`,
  }));

/** Removes candidates of a turn with the same content, keeping the longest quote. */
function once(candidates: readonly Candidate[]): readonly Candidate[] {
  const byThing = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const thing = candidate.type === "fact" ? `${candidate.predicate}\n${candidate.object.id}` : candidate.text;
    const key = `${candidate.offset}\n${thing}`;
    const known = byThing.get(key);
    if (known === undefined || known.quote.length < candidate.quote.length) byThing.set(key, candidate);
  }
  return [...byThing.values()];
}

/** Yields the candidates of a turn, sentence by sentence. */
function* readTurn(turn: SaidTurn, readers: readonly Reader[]): Generator<readonly Candidate[]> {
  if (privacyOf(turn.text) !== undefined) return;
  for (const whole of sentencesOf(turn.text.slice(0, longest))) {
    const sentence = whole.slice(0, longestSentence);
    const fitting = readers.filter(({ reads }) => reads(sentence));
    yield fitting.flatMap((reader): readonly Candidate[] => {
      // A wish may be phrased as a question: "can you keep it short?"
      const rules = rulesIn(sentence, turn, reader);
      if (reader.isGuarded(sentence)) return rules;
      const corrected = reader.corrected(sentence);
      const meant =
        corrected === undefined ? [] : factsIn(corrected, turn, reader).map((fact) => ({ ...fact, quote: sentence.trim().slice(0, mostQuote) }));
      return [...rules, ...factsIn(sentence, turn, reader), ...meant];
    });
  }
}

/** Reads the turns in time slices, so that a long episode does not block the process. */
async function readTurns(turns: readonly SaidTurn[], readers: readonly Reader[], signal: AbortSignal): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  function* steps(): Generator {
    for (const reader of readers) yield* reader.prepare();
    for (const turn of turns) {
      const said: Candidate[] = [];
      for (const found of readTurn(turn, readers)) yield said.push(...found);
      candidates.push(...once(said));
    }
  }
  await doInSlices(steps(), { signal });
  signal.throwIfAborted();
  return candidates;
}

/** Creates the extractor that needs no model. Its {@link Extractor.name} is `rules@1`. The same messages always give the same candidates. */
export function ruleExtractor({ languages = ruleLanguages }: RuleExtractorOptions = {}): Extractor {
  return {
    name: "rules@1",
    async extract({ turns }: ExtractionInput, { signal }: { readonly signal: AbortSignal }): Promise<Extraction> {
      // Compiling patterns takes longer than reading a conversation with them.
      const readers = languages.map(readerOf).filter(({ reads }) => turns.some(({ text }) => sentencesOf(text).some(reads)));
      const candidates = await readTurns(turns, readers, signal);
      const facts = candidates.filter((candidate) => candidate.type === "fact");
      const arc = draftArc(turns, facts, readers);
      const reason =
        candidates.length === 0
          ? "No phrase was found that says something of the person."
          : `Found ${candidates.length} phrases by rules, without a model.`;
      return { candidates, arc, reason };
    },
  };
}
