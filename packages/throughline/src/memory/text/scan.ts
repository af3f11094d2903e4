/** Finds the words of a text. */

/** Classes of characters. */
const gap = 1;
const letter = 2;
/** Accents and joiners: they continue a word but do not start one. */
const mark = 3;
/** A letter of a script without spaces. */
const unspaced = 4;
const apostrophe = 5;
const digit = 6;

/** Kind of a match: a word, or a character of a script without spaces. */
export const wordKind = letter;
export const characterKind = unspaced;

const isUnspaced = new RegExp(
  `^(?=[\\p{L}\\p{N}])[${["Han", "Hiragana", "Katakana", "Hangul", "Bopomofo", "Thai", "Lao", "Khmer", "Myanmar"].map((name) => `\\p{Script_Extensions=${name}}`).join("")}]$`,
  "u",
);
/** Includes the joiners of Persian and Indic scripts, soft hyphens, and the voice marks of half-width kana. */
const isMark = /^[\p{M}\p{Join_Control}\u00ad\uff9e\uff9f]$/u;

const classOf = (character: string): number => {
  if (/^['’‘ʼ＇]$/u.test(character)) return apostrophe;
  if (isMark.test(character)) return mark;
  if (isUnspaced.test(character)) return unspaced;
  if (/^\p{Nd}$/u.test(character)) return digit;
  return /^[\p{L}\p{N}]$/u.test(character) ? letter : gap;
};

/** Classes of the first 65,536 characters, filled on demand. Surrogates have no class. */
const classes = new Uint8Array(0x10000);

/** Returns the class of the character at an index. After the end of the text it is a gap. */
const classIn = (text: string, at: number): number => {
  if (at >= text.length) return gap;
  const code = text.charCodeAt(at);
  const known = classes[code] ?? 0;
  if (known !== 0) return known;
  if (code >= 0xd800 && code <= 0xdfff) return classOf(String.fromCodePoint(text.codePointAt(at) ?? code));
  return (classes[code] = classOf(String.fromCharCode(code)));
};

const widthAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff && (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
};

/** Tells whether a thousands separator is at an index: exactly three digits follow. */
const groupsDigits = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  if (code !== 0x2c && code !== 0x2e) return false;
  for (let step = 1; step <= 3; step++) if (classIn(text, at + step) !== digit) return false;
  return classIn(text, at + 4) !== digit;
};

/** Returns the end of the word that starts at an index. Apostrophes between letters and thousands separators between digits are part of the word. */
const endOfWord = (text: string, from: number): number => {
  let at = from;
  let figures = true;
  while (at < text.length) {
    const kind = classIn(text, at);
    if (kind === digit || kind === mark) at += widthAt(text, at);
    else if (kind === letter) {
      figures = false;
      at += widthAt(text, at);
    } else if (kind === apostrophe && classIn(text, at + 1) === letter) at++;
    else if (figures && at > from && groupsDigits(text, at)) at += 4;
    else break;
  }
  return at;
};

/** Returns the end of a character of a script without spaces, including its marks. */
const endOfCharacter = (text: string, from: number): number => {
  let at = from + widthAt(text, from);
  while (at < text.length && classIn(text, at) === mark) at += widthAt(text, at);
  return at;
};

/**
 * Returns words, and single characters of scripts without spaces, as a flat list of start, end and kind. It makes one pass and visits each index a
 * bounded number of times.
 */
export const scan = (text: string): readonly number[] => {
  const found: number[] = [];
  let at = 0;
  while (at < text.length) {
    const kind = classIn(text, at);
    if (kind === letter || kind === digit) {
      const end = endOfWord(text, at);
      found.push(at, end, wordKind);
      at = end;
    } else if (kind === unspaced) {
      const end = endOfCharacter(text, at);
      found.push(at, end, characterKind);
      at = end;
    } else at += widthAt(text, at);
  }
  return found;
};
