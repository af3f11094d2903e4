/** Phrases of German, written by us. */
import { german } from "../../text/locales/de.ts";
import type { RuleLanguage } from "./phrase.ts";

const kin =
  "(?:(?:beste[rn]? |gute[rn]? |kleine[rn]? |große[rn]? |ältere[rn]? |jüngere[rn]? )?(?:Schwester|Bruder|Mutter|Mama|Vater|Papa|Sohn|Tochter|Tante|Onkel|Cousine?|Nichte|Neffe|Oma|Opa|Großmutter|Großvater|Schwiegermutter|Schwiegervater|Freundin|Freund|Chefin|Chef|Kollegin|Kollege|Nachbarin|Nachbar|Therapeutin|Therapeut|Lehrerin|Lehrer))";
const partner = "(?:Frau|Mann|Ehefrau|Ehemann|Partnerin|Partner|Verlobte[rn]?)";
const animal = "(?:Hund|Hündin|Katze|Kater|Pferd|Kaninchen|Hamster|Papagei|Schildkröte|Meerschweinchen)";
const my = "(?:mein|meine|meinen|meiner|meinem|unser|unsere)";

/** German. */
export const germanRules: RuleLanguage = {
  code: "de",
  before: "[,;:—–(]\\s*|\\b(?:und|aber|denn|also|auch|ja|nein|hallo|bitte|ehrlich gesagt|übrigens|eigentlich|jetzt|heute)\\s+",
  adverb: "(?:sehr|wirklich|immer|noch|auch|schon|ziemlich|ein bisschen|etwas|total|so|gerade|jetzt|einfach|echt|seit kurzem|neulich|kürzlich)",
  people: kin,
  partner,
  animal,
  facts: [
    {
      say: "(?:ich heiße|ich heisse|mein Name ist|nenn mich|du kannst mich) (?<o>.+)",
      form: "name",
      category: "preference",
      predicate: "PREFERRED_NAME",
      object: "Value",
      small: true,
    },
    { say: "ich (?:wohne|lebe)(?: {adverb})* in (?<o>.+)", form: "place", category: "context", predicate: "LIVES_IN", object: "Place" },
    { say: "ich bin(?: {adverb})* nach (?<o>.+?) (?:um)?gezogen\\b", form: "place", category: "context", predicate: "LIVES_IN", object: "Place" },
    { say: "ich (?:komme|stamme) aus (?<o>.+)", form: "place", category: "context", predicate: "COMES_FROM", object: "Place" },
    { say: "ich bin in (?<o>.+?) (?:geboren|aufgewachsen)\\b", form: "place", category: "context", predicate: "COMES_FROM", object: "Place" },
    { say: "ich arbeite(?: {adverb})* als (?<o>.+)", form: "words", category: "context", predicate: "WORKS_AS", object: "Occupation" },
    { say: "ich arbeite(?: {adverb})* (?:bei|für) (?<o>.+)", form: "place", category: "context", predicate: "WORKS_AT", object: "Organisation" },
    {
      say: "ich bin(?: {adverb})* (?<o>\\d{1,3})(?: Jahre(?: alt)?\\b|(?=\\s*(?:$|[.,;!)])))",
      form: "age",
      category: "context",
      predicate: "AGE",
      object: "Value",
    },
    { say: `${my} {partner}(?: heißt| heisst|,)? (?<o>.+)`, form: "name", category: "relationship", predicate: "PARTNER_OF", object: "Person" },
    { say: `${my} {people}(?: heißt| heisst|,)? (?<o>.+)`, form: "name", category: "relationship", predicate: "KNOWS", object: "Person" },
    { say: `${my} {animal}(?: heißt| heisst|,)? (?<o>.+)`, form: "name", category: "relationship", predicate: "HAS", object: "Animal" },
    {
      say: "ich habe (?<o>(?:eine?n?|zwei|drei|vier|\\d) (?:{animal}|Sohn|Söhne|Tochter|Töchter|Kind|Kinder|Bruder|Brüder|Schwester|Schwestern)(?:e|en|n)?)\\b",
      form: "listed",
      category: "relationship",
      predicate: "HAS",
      object: "Thing",
    },
    {
      say: "ich bin(?: {adverb})* allergisch (?:gegen|auf) (?<o>.+)",
      form: "words",
      category: "context",
      predicate: "AVOIDS",
      object: "Thing",
      sensitivity: "sensitive",
    },
    {
      say: "ich bin(?: {adverb})* (?<o>Veganer(?:in)?|vegan|Vegetarier(?:in)?|Diabetiker(?:in)?|schwanger)\\b",
      form: "listed",
      category: "context",
      predicate: "IS",
      object: "Thing",
      sensitivity: "sensitive",
    },
    {
      say: `${my} (?<o>${kin}|${partner}|${animal}) ist(?: {adverb}| letzte \\p{L}+| letztes \\p{L}+| gestern)* (?:gestorben|verstorben|tot)\\b`,
      form: "listed",
      category: "loss",
      predicate: "EXPERIENCED",
      object: "Event",
      id: "Tod von {o}",
    },
    {
      say: `ich habe(?: {adverb})* ${my} (?<o>${kin}|${partner}|${animal}|Job|Stelle|Arbeit|Wohnung|Baby) verloren\\b`,
      form: "listed",
      category: "loss",
      predicate: "EXPERIENCED",
      object: "Event",
      id: "Verlust von {o}",
    },
    {
      say: "ich (?:mache mir|mach mir)(?: {adverb}| große| viele)* (?:Sorgen|Gedanken) (?:um|wegen|über) (?<o>.+)",
      form: "words",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
    },
    {
      say: "ich habe(?: {adverb}| große)* Angst (?:vor|um|wegen) (?<o>.+)",
      form: "words",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
    },
    {
      say: "ich bin(?: {adverb})* (?:nervös|besorgt|gestresst|ängstlich) (?:wegen|vor|um) (?<o>.+)",
      form: "words",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
    },
    {
      say: "ich (?:bin|fühle mich)(?: wie| {adverb})* (?:eine? )?(?<o>wertlos|nutzlos|Versager(?:in)?|Last)\\b",
      form: "listed",
      category: "trigger",
      predicate: "WORRIES_ABOUT",
      object: "Concern",
      id: "Gefühl: {o}",
    },
    {
      say: "ich (?:liebe|mag|genieße|bevorzuge)(?: {adverb})* (?!nicht|kein)(?<o>.+)",
      form: "words",
      category: "preference",
      predicate: "LIKES",
      object: "Thing",
    },
    {
      say: "ich (?:hasse|verabscheue|mag keine?n?)(?: {adverb})* (?<o>.+)",
      form: "words",
      category: "preference",
      predicate: "DISLIKES",
      object: "Thing",
    },
    {
      say: "ich (?:will|möchte|plane|hoffe)(?: {adverb})* (?!nicht|kein|,? dass)(?<o>.+)",
      form: "words",
      category: "goal",
      predicate: "WANTS",
      object: "Goal",
    },
    { say: "mein (?:Ziel|Plan|Traum) ist(?: es)?,? (?<o>.+)", form: "words", category: "goal", predicate: "WANTS", object: "Goal" },
    { say: "ich (?:lerne|studiere)(?: {adverb})* (?<o>.+)", form: "words", category: "context", predicate: "STUDIES", object: "Thing" },
    { say: "ich habe(?: {adverb})* mit (?<o>.+?) angefangen\\b", form: "words", category: "context", predicate: "PARTICIPATED_IN", object: "Thing" },
    {
      say: "(?<o>\\p{L}[^,.;:!?]{1,60}?) hilft mir\\b(?: beim (?:Einschlafen|Entspannen))?",
      form: "words",
      category: "coping_strategy",
      predicate: "USES",
      object: "CopingStrategy",
    },
    { say: "mir hilft(?: {adverb})*(?: es,)? (?<o>.+)", form: "words", category: "coping_strategy", predicate: "USES", object: "CopingStrategy" },
  ],
  rules: [
    {
      say: "(?:fass dich|antworte|halte? (?:es|dich))(?: bitte| {adverb})* (?:kurz|kürzer|knapp)\\b|kürzere Antworten\\b",
      text: "Keep your replies short.",
    },
    {
      say: "(?:gib mir (?:bitte )?keine|keine|ich (?:will|brauche|möchte) keine)(?: {adverb}| guten)* Ratschläge\\b|hör (?:mir )?(?:bitte )?einfach(?: nur)? zu\\b",
      text: "Do not give advice unless you are asked for it.",
    },
    { say: "(?:stell|frag) (?:mir |mich )?(?:bitte )?nicht so (?:viele Fragen|viel)\\b", text: "Ask few questions." },
    { say: "sei(?: bitte)?(?: {adverb})* (?:direkt|ehrlich)(?: zu mir)?\\b", text: "Be direct." },
    { say: "(?:keine|ohne) Emojis\\b", text: "Use no emojis." },
  ],
  uncertain:
    "^(?:wer|was|wo|wann|warum|wie|welche[rs]?|ob|bist|hast|kannst|könntest|soll|wenn|falls|stell dir vor|angenommen)(?![\\p{L}])|(?<![\\p{L}])(?:wäre|hätte|würde|könnte|als ob|im Traum|nur Spaß|früher|wenn ich)(?![\\p{L}])",
  ends: "(?<![\\p{L}])(?:und|aber|weil|denn|dass|wenn|während|obwohl|seit|bis|oder|jetzt|heute|gestern|morgen|gerade|auch|schon|bitte|nicht|sehr|vor|mit|für)(?![\\p{L}])",
  noObject:
    "(?:angst|frieden|sorge|armut|es|das|dies|dich|ihn|sie|ihr|euch|uns|mich|nichts|niemand|nie|nicht|kein\\p{L}*|was|wie|wenn|dass|alles|etwas|sterben|mich umbringen|sagen|wissen|fragen|reden)(?![\\p{L}])",
  crisis: "(?<![\\p{L}])(?:sterben|umbringen|töten|suizid\\p{L}*|selbstmord|mich verletzen|mich ritzen|verschwinden|nicht mehr leben)",
  locale: german,
  feelings:
    "traurig|ängstlich|nervös|besorgt|wütend|einsam|müde|erschöpft|überfordert|gestresst|schuldig|ruhiger|ruhig|besser|erleichtert|hoffnungsvoll|glücklich|dankbar|froh",
  not: "(?:nicht|nie|kaum|wenig|gar nicht)(?: \\p{L}+)?",
};
