/** One spelling of a word for all that mean the same. */

/** Letters that no decomposition takes apart. */
const plain: Readonly<Record<string, string>> = { ß: "ss", ø: "o", æ: "ae", œ: "oe", ł: "l", đ: "d", ı: "i", ё: "е" };
/** Accents of scripts in which words are often written without them. Elsewhere a mark makes another letter. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}]\p{M}*)\p{M}/gu;
const joiners = /[\u00ad\p{Join_Control}\p{Variation_Selector}\p{Me}]/gu;
const possessive = /['’‘ʼ＇]s$/u;
const apostrophes = /['’‘ʼ＇]/gu;
/** Between the digits of a number, as they separate thousands. */
const separators = /(?<=\d)[.,](?=\d)/gu;
const beyondAscii = /\P{ASCII}/u;
const isWord = /^[\p{L}\p{N}\p{M}]+$/u;

/** NFKC, unless that makes several words of one: of "½" it makes a fraction in three parts. */
const composed = (word: string): string => {
  const compatible = word.normalize("NFKC");
  return isWord.test(compatible) ? compatible : word.normalize("NFC");
};

/** A word in lower case, without accents, apostrophes, separators of thousands and the English 's. Other scripts than those of accents keep their marks. */
export const fold = (word: string): string => {
  const bare = word.replace(possessive, "").replace(apostrophes, "").replace(separators, "");
  const lower = (beyondAscii.test(bare) ? composed(bare.replace(joiners, "")) : bare).toLowerCase();
  if (!beyondAscii.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(accents, "")
    .normalize("NFC")
    .replace(/[ßøæœłđıё]/gu, (letter) => plain[letter] ?? letter);
};

/** A run of characters of a script without spaces, as its characters, each with its marks. */
export const charactersOf = (run: string): readonly string[] =>
  run
    .replace(joiners, "")
    .normalize("NFKC")
    .toLowerCase()
    .match(/\P{M}\p{M}*/gu) ?? [];
