/** The person's own name: as they introduce themselves, and as they ask to be called. */
import { heard } from "../cues/offline-cues.ts";
import { folded } from "../words/folded-words.ts";

/**
 * "I am Ruth", in the original spelling: a capital word alone, before a mark or the next clause. German nouns have capitals too, so it must have an
 * article or stand in front of a number.
 */
const saysWhoTheyAre =
  /(?:^|[.!,¡…] ?|\s[-–—] ?)(?:(?:[Ii](?:'m| am)|[Tt]his is|[Ii]t's|(?:[Yy]o )?[Ss]oy|[Jj]e suis|[Mm]oi c'est|(?:[Ee]u )?[Ss]ou(?: [oa])?|[Aa]ku|[Ss]aya|[Ii]ch bin (?:die|der)) (?<name>\p{Lu}\p{Ll}+)(?=[.,;!…]| (?:and|y|et|e|und|dan)\b|$)|[Ii]ch bin (?<german>\p{Lu}\p{Ll}+)(?=,? (?:und )?\d)|[Mm]ain (?<hindi>\p{Lu}\p{Ll}+) (?:hoon|hun|hu)\b)/u;

/** Capital words that say what somebody is: of a country, a faith, a family or a trade. */
const noName =
  /(?:ish|ese|ench|utch|wiss|[lrn]ican|[aeiou]nian|[lr]ian|[dsg]ian|rman|eek|tholic|ewish|uslim|lim|hist|indu|heist)$|^(?:Christian|Asian|Black|White|Mum|Mom|Dad|Mama|Papa|Oma|Opa|Mutter|Vater|Chef|Chefin|Boss|God|Ok|Okay|Sorry|Home|Back|Fine|Français|Française|Belge|Suisse|Allemande?)$/u;

/** Returns the name with which the person introduces themselves. */
export function nameIn(said: string): string | undefined {
  const groups = saysWhoTheyAre.exec(said.replaceAll(/[’‘`´ʼ]/gu, "'"))?.groups;
  const stated = groups?.["name"] ?? groups?.["german"] ?? groups?.["hindi"];
  if (stated !== undefined && !noName.test(stated)) return stated;
  return introducedIn(said);
}

/** Words that can stand between "my name is" and the name. */
const asides =
  /(?<!\p{L})(?:by the way|actually|really|übrigens|eigentlich|halt|ja|doch|por cierto|en realidad|d'ailleurs|au fait|en fait|aliás|na verdade|sebenarnya|asal mein)(?!\p{L}) ?/gu;

/** Returns the name that a text states as a name: "my name is Ruth". */
export function introducedIn(said: string): string | undefined {
  const name = heard(folded(said).replaceAll(asides, ""), "introduces")?.groups?.["name"];
  return name === undefined ? undefined : name.charAt(0).toUpperCase() + name.slice(1);
}

/** Rules that say how to call a person, as memory keeps them: in their own words. The name stands last, or before a verb. */
const called: readonly RegExp[] = [
  /(?:\bcall (?:me|them)|\buse (?:my|the) name|(?<!\p{L})ll[aá]mame|(?<!\p{L})llamarme|(?<!\p{L})puedes llamar(?:me)?|\bnenne? mich(?: (?:bitte|einfach|doch|lieber|ruhig))*|(?:appelle|appelez)-moi|m'appeler|(?<!\p{L})me chamar?e?(?: s[óo])?(?: de)?|(?<!\p{L})chama?e?-me(?: de)?|chamar-me(?: de)?|\bpanggil (?:aja |saja )?(?:aku|saya|gue)(?: aja| saja)?|叫我[做作]?|نادني|ناديني|تناديني|سم[ّ]?ني|سميني)\s*[:"“«]?\s*(?<name>\p{L}[\p{L}\p{M}'-]{0,30})/iu,
  /\bmich (?:(?:ruhig|einfach|gern|auch) )*(?<name>\p{L}[\p{L}'-]{0,30}) nennen/iu,
  /(?:मुझे (?:बस )?|\bmujhe (?:bas )?)(?<name>\p{L}[\p{L}\p{M}'-]{0,30}) (?:बुला|कह|bula|kah|keh)/iu,
];

/** Returns the name by which a rule calls the person. */
export function calledIn(rules: string): string | undefined {
  const name = called.map((pattern) => pattern.exec(rules)?.groups?.["name"]).find((one) => one !== undefined);
  return name === undefined ? undefined : name.charAt(0).toUpperCase() + name.slice(1);
}
