/** Corrections in plain words: what a person takes back is no longer recalled, and what they say instead counts. */
import type { StageContext } from "throughline";
import { ruleExtractor } from "throughline/memory";
import type { CompanionState } from "../companion-state.ts";
import { says } from "../offline/cues/offline-cues.ts";
import { statedName } from "../offline/understand/told-stories.ts";
import { folded, languageAmong } from "../offline/words/folded-words.ts";
import { before, saidIn } from "./ask-model.ts";

/** What was wrong, and what holds instead. */
interface Correction {
  readonly old: string;
  readonly value: string;
}

type Memory = NonNullable<StageContext<CompanionState>["memory"]>;

/** "X, not Y", "not Y but X" and the like. */
const contrasts: readonly RegExp[] = [
  /(?<value>[^,;.!?،，。]+?)[,،，]\s*(?:and )?(?:not|nicht|no|pas|não|bukan|不是|ليس)\s*(?:from |in |at |an? |the |aus |de |del |mon |ma |meu |minha )?(?<old>[\p{L}\p{M}'-]+(?: [\p{L}\p{M}'-]+)?)(?:, .{1,40})?[\s.!。]*$/iu,
  /(?<![\p{L}])no (?:soy|es|era|vivo|se llama|trabajo)(?: de| en| como)? (?<old>[^,.;]+),\s*(?:sino|soy|es|era|vivo|se llama|trabajo)(?: de| en| como)? (?<value>[^,.;!]+)/iu,
  /(?<![\p{L}])(?:not|nicht|não é|ce n'est pas) (?<old>[^,.;]+?),? (?:but|sondern|mas|mais) (?<value>[^,.;!]+)/iu,
  /不是(?<old>[^，,。]+)[，,](?:而?是|叫)(?<value>[^，,。]+)/u,
];

/** What stands before a value: "it is neuroscience", "ich heiße Jonas". */
const upToValue =
  /^.*(?<![\p{L}])(?:it's|i'm|is|am|was|are|called|named|meant|ist|bin|heiße|heißt|war|es|soy|era|llamo|llama|c'est|est|suis|appelle|é|sou|chamo|chama|adalah|namanya|bernama)\s+(?:actually |übrigens |eigentlich |from |an? |the |aus |ein |eine |de |un |une |um |uma )?|^.*(?:是|叫)/iu;

/** "Actually it is X": the value alone. */
const bare =
  /^(?:(?:no|sorry|oh|wait),? )*(?:actually|eigentlich|en realidad|en fait|na verdade|sebenarnya|asal mein),? (?<value>[^,.;!?]{3,80})[.! ]*$/iu;

const shortOf = (text: string): string => text.replace(upToValue, "").trim();

/** Returns the value that the rules find in the newest message that states one. */
async function lastValue(texts: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  for (const text of texts.slice(0, 3)) {
    const { candidates } = await ruleExtractor().extract({ turns: [{ offset: 0, at: 0, text }], replies: [], known: [] }, { signal });
    const fact = candidates.find((candidate) => candidate.type === "fact");
    if (fact?.type === "fact") return fact.object.id;
  }
  return undefined;
}

/** Returns the correction in a message; undefined for none. `texts`: the person's earlier messages, newest first. */
export async function correctionIn(message: string, texts: readonly string[], signal: AbortSignal): Promise<Correction | undefined> {
  if (/[?？؟]\s*$/u.test(message) || !says(folded(message), "corrects")) return undefined;
  const language = languageAmong([message, ...texts]);
  const name = statedName(message, [message], language);
  const before = name === undefined ? undefined : statedName(message, texts, language);
  if (name !== undefined && before !== undefined && before !== name) return { old: before, value: name };
  for (const contrast of contrasts) {
    const { old, value } = contrast.exec(message)?.groups ?? {};
    if (old !== undefined && value !== undefined) return { old: old.trim(), value: shortOf(value) };
  }
  const value = bare.exec(message)?.groups?.["value"];
  const old = value === undefined ? undefined : await lastValue(texts, signal);
  return value === undefined || old === undefined ? undefined : { old, value: shortOf(value) };
}

const mostQuote = 280;

const mentions = (text: string, words: string): boolean => folded(text).includes(folded(words));

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
  const { candidates } = await ruleExtractor().extract({ turns: [{ offset: 0, at: 0, text: corrected }], replies: [], known: [] }, { signal });
  for (const candidate of candidates)
    if (candidate.type === "fact" && mentions(candidate.object.id, value))
      await memory.remember({ quote, category: candidate.category, predicate: candidate.predicate, object: candidate.object });
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
