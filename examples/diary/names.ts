/** How people say their name, and the many things that look like it. */

const word = `\\p{Lu}[\\p{L}'’-]*`;
const anyWord = `[\\p{L}][\\p{L}'’-]*`;

/** "I'm Monday's child" is not an introduction, and neither is "I'm Tired". */
const notNames = new Set(
  (
    "a an the not no so too very just really still also only here there back home up down in out on off ok okay fine good great well better best bad worse " +
    "sorry sure afraid glad happy sad mad angry tired sleepy exhausted awake asleep ready done free busy late early ill sick alone lonely new old young sober " +
    "in at from with writing going trying having feeling looking hoping please thanks thank you drunk hungry thirsty cold hot warm stressed anxious nervous worried depressed calm relaxed rested restless broken dead what who why when where how if " +
    "tomorrow today tonight yesterday later crazy maybe something nothing anything everything someone nobody irrelevant unimportant secret none unknown private " +
    "german french english british american canadian italian spanish dutch polish irish scottish european african asian indian chinese japanese muslim christian " +
    "catholic jewish buddhist hindu vegan gay straight trans male female pregnant monday tuesday wednesday thursday friday saturday sunday january february " +
    "march april june july august september october november december"
  ).split(" "),
);

/** Nobody introduces themselves in what another person is quoted with. */
const withoutQuotes = (text: string): string => text.replace(/(?<=\s|^)(["“„'‘]).*?\b(?:i am|i['’]m|my name)\b.*?["”“'’](?=[\s.,!?]|$)/giu, " ");

/** What may stand after a name that was given with "I'm": anything else makes it an adjective ("I'm German speaking"). */
const afterName = `(?=\\s*(?:$|[.,;!?:)\\n]|(?:and|but|from|here|by the way|btw|nice to)\\b|[\\p{Extended_Pictographic}-]))`;

const forms = [
  new RegExp(`\\b(?:[Mm]y|MY) (?:(?:first|full|real|actual) )?name(?:['’]?s| is|:) (?:(?:actually|just) )?(?<name>${anyWord}(?: ${word}){0,2})`, "u"),
  new RegExp(`\\b(?:please |just |you can |you may )?call me (?<name>${anyWord}(?: ${word}){0,2})${afterName}`, "iu"),
  new RegExp(`(?<!\\p{L})[Ii](?:['’]m| am) (?:called )?(?<name>${word}(?: ${word}){0,2})${afterName}`, "u"),
  new RegExp(`^(?:(?:[Hh]i|[Hh]ello|[Hh]ey)[,.! ]+)?(?:[Tt]his is|[Ii]t['’]s) (?<name>${word}(?: ${word})?)(?= here\\b|[.!]?\\s*$)`, "u"),
  // In small letters an adjective looks the same; after a greeting it is a name.
  new RegExp(`^(?:hi|hello|hey)(?: there)?[,.! ]+i(?:['’]?m| am) (?<name>${anyWord})${afterName}`, "iu"),
  new RegExp(`^name: (?<name>${anyWord}(?: ${word}){0,2})[.!]?$`, "iu"),
];

/** What makes a form say the opposite, or about somebody else. */
const refusal = /(?:don['’]?t|do not|never|stop|not|no longer|didn['’]?t|would|will)\s+(?:\p{L}+\s+)?$/iu;

/** The word of "i'm ada", when that may be a name: a person cannot tell either. */
export function perhapsName(text: string): string | undefined {
  const word = /^i(?:['’]?m| am) (\p{Ll}[\p{L}'’-]+)[.!]?$/u.exec(text.trim().replace(/^I/u, "i"))?.[1];
  return word === undefined || notNames.has(word) || /(?:ed|ing|ful|less|ly|ish)$/u.test(word) ? undefined : word;
}

/** The name that the writer gives as their own; undefined if there is none. */
export function readName(text: string): string | undefined {
  const own = withoutQuotes(text);
  for (const form of forms) {
    const match = form.exec(own);
    const given = match?.groups?.["name"]?.replace(/['’-]+$/u, "");
    if (match === null || given === undefined || refusal.test(own.slice(0, match.index))) continue;
    if (/['’]s(?: |$)/u.test(given) || given.length > 60) continue;
    const words = given.split(" ");
    const end = words.findIndex((part) => notNames.has(part.toLowerCase()));
    const kept = end === -1 ? words : words.slice(0, end);
    if (kept.length > 0) return kept.map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(" ");
  }
  return undefined;
}
