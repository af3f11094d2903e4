/** The companion's own pages are in English: what they are about, as it is called in the other languages that the rules read. */
import { folded } from "../words/fold.ts";
import { languageOf } from "../words/language.ts";

const terms: readonly (readonly [english: string, cues: RegExp])[] = [
  ["caffeine", /cafeína|café\b|koffein|kaffee|caféine|咖啡/u],
  ["sleep", /sueño|dormir|duerm|schlaf|sommeil|dors\b|sono\b|durm|睡/u],
  ["breathing", /respira|atmen|atmung|atem|呼吸/u],
  ["panic attack", /pánico|panik|panique|pânico|惊恐|恐慌/u],
  ["anxiety", /ansiedad|angst|anxiété|angoisse|焦虑/u],
  ["stress", /estrés|estresse|压力/u],
  ["grief", /duelo|luto|trauer|deuil|悲伤|哀悼/u],
  ["worry", /preocupaci|sorgen|grübeln|inquiétude|preocupação|担心/u],
  ["loneliness", /soledad|einsamkeit|solitude|solidão|孤独/u],
  ["exercise and mood", /ejercicio físico|deporte|sport|bewegung|activité physique|exercício físico|esporte|运动/u],
  ["journaling", /diario|tagebuch|journal intime|diário|日记/u],
  ["values", /valores|werte\b|valeurs|价值观/u],
  ["grounding", /anclaje|erdung|ancrage|aterramento|着陆/u],
  ["self-compassion", /autocompasión|selbstmitgefühl|auto-?compassion|autocompaixão|自我关怀/u],
  ["how many hours adults need", /cuántas horas|wie viele stunden|combien d'heures|quantas horas|多少(?:个)?小时/u],
];

/** What a question asks about, in English; the question itself where it is English, or none of its words is known. */
export function inEnglish(question: string): string {
  const text = folded(question);
  const found = terms.flatMap(([english, cues]) => (cues.test(text) ? [english] : []));
  return found.length === 0 || languageOf(text) === "en" ? question : found.join(" ");
}
