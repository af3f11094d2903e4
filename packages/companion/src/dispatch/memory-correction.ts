/** Corrections in plain words: what a person takes back is no longer recalled, and what they say instead counts. */
import type { StageContext } from "throughline";
import { defaultVocabulary, type FactCandidate, ruleExtractor, ruleLanguages } from "throughline/memory";
import type { CompanionState } from "../companion-state.ts";
import { says } from "../offline/cues/offline-cues.ts";
import { statedName } from "../offline/understand/told-stories.ts";
import { bounded, folded, languageAmong, type OfflineLanguage } from "../offline/words/folded-words.ts";
import { before, saidIn } from "./ask-model.ts";

/** What was wrong, and what holds instead. */
interface Correction {
  readonly old: string;
  readonly value: string;
}

type Memory = NonNullable<StageContext<CompanionState>["memory"]>;

/** "X, not Y": what counts comes first. The languages of the rules say in their own words what comes second: "not Y, it is X". */
const valueFirst: readonly RegExp[] = [
  /(?<value>[^,;.!?،，。]+?)[,،，]\s*(?:and |und |y |et |e |dan )?(?:not|nicht|no|pas|não|bukan|不是|ليس|ليست|مش|مو)(?![\p{L}])\s*(?:from |in |at |at the |aus |de |del |em |na |no |di |dari )?(?<old>[\p{L}\p{M}\p{N}'-]+(?: [\p{L}\p{M}\p{N}'-]+){0,2})(?:, .{1,40})?[\s.!。।]*$/iu,
  /(?<value>[^,;.!?،，。]+?)[,，]\s*不是(?<old>[^，,。！]{1,20})[\s.!。]*$/u,
  /(?<value>[^,;.!?।]+?)[,،]\s*(?<old>[\p{L}\p{M}]+(?: [\p{L}\p{M}]+)?) (?:nahi|nahin|नहीं)[\s.!।]*$/iu,
];

const valueSecond = new Map<string, readonly RegExp[]>();

/** Returns the corrections of a language that name first what is wrong. */
function contrastsOf(language: string): readonly RegExp[] {
  const known =
    valueSecond.get(language) ??
    ruleLanguages.filter(({ code }) => code === language).flatMap(({ contrasts = [] }) => contrasts.map(({ say }) => new RegExp(bounded(say), "iu")));
  valueSecond.set(language, known);
  return known;
}

/** What stands before a value: "it is neuroscience", "ich heiße Jonas". */
const upToValue =
  /^.*(?<![\p{L}])(?:it's|i'm|is|am|was|are|called|named|meant|said|ist|bin|heiße|heißt|war|es|soy|era|llamo|llama|c'est|est|suis|appelle|é|sou|chamo|chama|adalah|namanya|bernama)\s+(?:actually |really |übrigens |eigentlich |from |an? |the |aus |ein |eine |de |un |une |um |uma )?|^.*(?:是|叫)/iu;

/** What stands after a value, where the verb comes last. */
const afterValue = / (?:hai|hain|hoon|hun|है|हैं|हूँ|हूं)[\s.!।]*$/u;

/** "Actually it is X": the value alone. */
const bare =
  /^(?:(?:no|sorry|oh|wait|non|nein|não),? )*(?:actually|i meant|eigentlich|ich meinte|en realidad|quise decir|quería decir|en fait|je voulais dire|na verdade|quis dizer|quero dizer|sebenarnya|maksudku|asal mein|matlab|असल में|मतलब|أقصد|في الحقيقة|其实|我是说),? ?(?<value>[^,.;!?。！？]{2,80})[.!。 ]*$/iu;

/** Possessives, which a text can have with other words between: "my younger brother". */
const possessive =
  /^(?:my|our|mein|meine|meinen|meiner|meinem|mi|mis|mon|ma|mes|o meu|a minha|meu|minha|mera|meri|mere|मेरा|मेरी|मेरे|我的?)\s*(?=\S{2})/iu;

const prepositions = /^(?:from|in|at|aus|de|del|em|no|na|di|dari|à|en|au) (?=\S{2})/iu;

const shortOf = (text: string): string => text.trim().replace(upToValue, "").replace(afterValue, "").trim();

const mentions = (text: string, words: string): boolean => folded(text).includes(folded(words));

/** Returns the facts that the rules find in a text. */
async function factsIn(text: string, language: OfflineLanguage, signal: AbortSignal): Promise<readonly FactCandidate[]> {
  const languages = ruleLanguages.filter(({ code }) => code === language);
  const given = { turns: [{ offset: 0, at: 0, text }], replies: [], known: [] };
  const { candidates } = await ruleExtractor({ languages }).extract(given, { signal });
  return candidates.filter((candidate) => candidate.type === "fact");
}

/** Returns the value that the rules find in the newest message that states one. */
async function lastValue(texts: readonly string[], language: OfflineLanguage, signal: AbortSignal): Promise<string | undefined> {
  for (const text of texts.slice(0, 3)) {
    const [fact] = await factsIn(text, language, signal);
    if (fact !== undefined) return fact.object.id;
  }
  return undefined;
}

const { predicates } = defaultVocabulary;
const hasOneValue = (predicate: string): boolean => predicates[predicate]?.functional === true;

/** Returns the statement of one thing that differs from what an earlier message stated of it: "no, my name is Tim". */
async function restated(message: string, texts: readonly string[], language: OfflineLanguage, signal: AbortSignal): Promise<Correction | undefined> {
  const stated = (await factsIn(message, language, signal)).filter(({ predicate }) => hasOneValue(predicate));
  if (stated.length === 0) return undefined;
  for (const text of texts)
    for (const before of await factsIn(text, language, signal)) {
      const now = stated.find(({ predicate }) => predicate === before.predicate)?.object.id;
      if (now !== undefined && folded(now) !== folded(before.object.id)) return { old: before.object.id, value: now };
    }
  return undefined;
}

/** Returns what a message says against something: "X, not Y". */
function contrastIn(message: string, language: string): Correction | undefined {
  for (const pattern of [...valueFirst, ...contrastsOf(language)]) {
    const { old, value } = pattern.exec(message)?.groups ?? {};
    if (old !== undefined && value !== undefined)
      return { old: old.trim().replace(prepositions, ""), value: shortOf(value).replace(prepositions, "") };
  }
  return undefined;
}

/** Returns a correction in the words that an earlier message has, with or without a possessive; as it is if none has them. */
function asSaid({ old, value }: Correction, texts: readonly string[]): Correction & { readonly isSaid: boolean } {
  const isSaid = (words: string): boolean => texts.some((text) => mentions(text, words));
  if (isSaid(old)) return { old, value, isSaid: true };
  const bareOld = old.replace(possessive, "");
  return isSaid(bareOld) ? { old: bareOld, value: value.replace(possessive, ""), isSaid: true } : { old, value, isSaid: false };
}

/** Returns the correction in a message; undefined for none. `texts`: the person's earlier messages, newest first. */
export async function correctionIn(message: string, texts: readonly string[], signal: AbortSignal): Promise<Correction | undefined> {
  if (/[?？؟]\s*$/u.test(message)) return undefined;
  const language = languageAmong([message, ...texts]);
  const corrects = says(folded(message), "corrects");
  const contrast = contrastIn(message, language);
  const meant = contrast === undefined ? undefined : asSaid(contrast, texts);
  // What somebody is not says something about earlier words only if they were said.
  if (meant !== undefined && (meant.isSaid || corrects)) return { old: meant.old, value: meant.value };
  if (!corrects) return undefined;
  const name = statedName(message, [message], language);
  const before = name === undefined ? undefined : statedName(message, texts, language);
  if (name !== undefined && before !== undefined && before !== name) return { old: before, value: name };
  const again = await restated(message, texts, language, signal);
  if (again !== undefined) return again;
  const value = bare.exec(message)?.groups?.["value"];
  const old = value === undefined ? undefined : await lastValue(texts, language, signal);
  return value === undefined || old === undefined ? undefined : { old, value: shortOf(value) };
}

const mostQuote = 280;

/** Changes the memory: facts are corrected, messages with the wrong words are no longer recalled, and the corrected sentence is remembered. */
async function applied(
  memory: Memory,
  { old, value }: Correction,
  { message, texts, signal }: { readonly message: string; readonly texts: readonly string[]; readonly signal: AbortSignal },
): Promise<void> {
  const quote = message.slice(0, mostQuote);
  const wrong = texts.filter((text) => mentions(text, old) && !mentions(text, value));
  for (const { entry_id, entry } of await memory.find(old)) {
    if (!("type" in entry)) continue;
    if (entry.type === "fact" && mentions(entry.object.id, old)) await memory.correct(entry_id, { object: value, quote });
    if (entry.type === "turn" && wrong.includes(entry.text)) await memory.neverRecall(entry_id);
  }
  const [text] = wrong;
  if (text === undefined) return;
  const at = text.toLowerCase().indexOf(old.toLowerCase());
  const corrected = `${text.slice(0, at)}${value}${text.slice(at + old.length)}`;
  for (const { category, predicate, object } of await factsIn(corrected, languageAmong([message, ...texts]), signal))
    if (mentions(object.id, value)) await memory.remember({ quote, category, predicate, object });
}

/** Earlier messages that a correction can mean. */
const mostBack = 10;

/** Corrects the memory by what a person says in plain words. The reply is written as usual. Without a readable memory, nothing changes. */
export async function correctMemory({ state, context, memory, signal }: StageContext<CompanionState>): Promise<void> {
  if (memory === undefined || state.turn_lifecycle.active_flow !== "none") return;
  const message = saidIn(context, state.message);
  const texts = before(context)
    .filter(({ role }) => role === "user")
    .map(({ text }) => text)
    .toReversed()
    .slice(0, mostBack);
  try {
    const correction = await correctionIn(message, texts, signal);
    if (correction !== undefined && correction.old.length > 1 && correction.value.length > 1)
      await applied(memory, correction, { message, texts, signal });
  } catch {
    // A correction that cannot be stored must not cost the reply. The message itself is remembered.
    signal.throwIfAborted();
  }
}
