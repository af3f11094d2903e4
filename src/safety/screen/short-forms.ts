/** What is written short, and what it stands for: "u r" is "you are", in the packs of the languages that write so. */
import type { CompiledPack } from "./compiled.ts";
import type { Word } from "./matcher.ts";

/** Words as a pack reads them. */
export interface Spelled {
  readonly words: readonly Word[];
  /** The sentences in which something was spelled out; the others are as they were. */
  readonly sentences: ReadonlySet<number>;
}

const nowhere: ReadonlySet<number> = new Set();

/** What is written short, spelled out, for one pack; the same words if none is. What is a word of the text's own language stays one. */
export function spellOut(words: readonly Word[], pack: CompiledPack, language: CompiledPack | undefined): Spelled {
  const { abbreviations } = pack;
  if (abbreviations.size === 0) return { words, sentences: nowhere };
  const foreign = language !== undefined && language !== pack;
  const sentences = new Set<number>();
  let spelled: Word[] | undefined;
  for (const [at, word] of words.entries()) {
    const short = word.forms[0] ?? "";
    const full = abbreviations.get(word.written ?? short) ?? abbreviations.get(short);
    if (full === undefined || (foreign && (language.detect.has(short) || language.abbreviations.has(word.written ?? short)))) spelled?.push(word);
    else {
      spelled ??= words.slice(0, at);
      sentences.add(word.sentence);
      for (const forms of full) spelled.push({ forms, from: word.from, to: word.to, sentence: word.sentence, clause: word.clause });
    }
  }
  return { words: spelled ?? words, sentences };
}
