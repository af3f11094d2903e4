/** Words of a voice call: what it says itself, and whether what was said is what should be said. */

/** Asks to say it again, in the languages of the companion. */
const again: Readonly<Record<string, string>> = {
  en: "I'm sorry, I could not hear that. Could you say it again?",
  de: "Entschuldige, das habe ich nicht verstanden. Sagst du es noch einmal?",
  es: "Perdona, no lo he oído bien. ¿Puedes decirlo otra vez?",
  fr: "Pardon, je n'ai pas bien entendu. Tu peux le redire ?",
  pt: "Desculpa, não consegui ouvir. Pode dizer de novo?",
  id: "Maaf, aku tidak mendengarnya dengan jelas. Bisa diulang?",
  hi: "माफ़ कीजिए, मैं ठीक से सुन नहीं पाया। क्या आप फिर से कहेंगे?",
  ar: "عذرًا، لم أسمع ذلك جيدًا. هل يمكنك أن تقوله مرة أخرى؟",
  zh: "不好意思，我没听清。可以再说一遍吗？",
};

/** Returns the request to say it again, in a language or in English. */
export const againIn = (language: string | undefined): string => again[language?.toLowerCase().split("-")[0] ?? "en"] ?? again["en"] ?? "";

/** Share of common pairs of characters from which two texts count as the same words. Transcripts differ in punctuation and in how they write numbers. */
const sameFrom = 0.85;

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();

function pairs(text: string): Map<string, number> {
  const found = new Map<string, number>();
  const characters = Array.from(text);
  for (let at = 0; at + 1 < characters.length; at += 1) {
    const pair = `${characters[at]}${characters[at + 1]}`;
    found.set(pair, (found.get(pair) ?? 0) + 1);
  }
  return found;
}

const numbersIn = (text: string): ReadonlySet<string> => new Set(text.replaceAll(/(?<=\d)[\s().-]+(?=\d)/gu, "").match(/\d{3,}/gu));

/**
 * Tells whether a transcript has the words of a text: the Dice coefficient of their pairs of characters (Dice 1945), and no number of three digits or more that
 * the text does not have.
 */
export function sameWords(transcript: string, text: string): boolean {
  const allowed = numbersIn(text);
  for (const number of numbersIn(transcript)) if (!allowed.has(number)) return false;
  const [one, other] = [pairs(plain(transcript)), pairs(plain(text))];
  const total = [...one.values(), ...other.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return plain(transcript) === plain(text);
  let common = 0;
  for (const [pair, count] of one) common += Math.min(count, other.get(pair) ?? 0);
  return (2 * common) / total >= sameFrom;
}
