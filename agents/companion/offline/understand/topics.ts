/** What a message is about, from a closed list: a reply names the subject without repeating private words, or getting them wrong. */
import type { OfflineLanguage } from "../words/language.ts";

/** What something is called in a sentence, per language. */
type Names = Readonly<Record<OfflineLanguage, string>>;

interface Topic {
  readonly cues: RegExp;
  readonly names: Names;
}

const topic = (cues: string, en: string, [es, de, fr, pt, zh]: readonly [string, string, string, string, string]): Topic => ({
  cues: new RegExp(`(?<![\\p{L}\\p{N}])(?:${cues})(?![\\p{Script=Latin}\\p{N}])`, "u"),
  names: { en, es, de, fr, pt, zh },
});

/** In the order in which they are looked for: what is particular comes before what is general. */
const topics: readonly Topic[] = [
  topic(
    "(?:break ?up|broke up|split up|dumped|divorce\\p{L}*|ruptura|rompimos|divorcio|trennung|scheidung|rupture|término|divórcio)",
    "the separation",
    ["la separación", "die Trennung", "la séparation", "a separação", "分开这件事"],
  ),
  topic(
    "(?:exams?|finals|tests? (?:on|next|tomorrow)|thesis|dissertation|essay|exámenes|examen|prüfung\\p{L}*|klausur\\p{L}*|examens?|prova|provas)",
    "your exams",
    ["tus exámenes", "deine Prüfung", "tes examens", "as suas provas", "考试"],
  ),
  topic("(?:boss|manager|supervisor|jefe|jefa|(?:mein|meinem|meinen|der|mon|le) chef|chefin|patron|patronne|chefe)", "your boss", [
    "quien te dirige en el trabajo",
    "die Sache mit der Leitung",
    "la personne qui te dirige",
    "a chefia",
    "老板",
  ]),
  topic(
    "(?:sleep\\p{L}*|slept|insomnia|awake at night|nightmares?|dormir|duermo|insomnio|schlaf\\p{L}*|einschlafen|sommeil|insomnie|dors|durmo|sono|insônia)",
    "your sleep",
    ["tu sueño", "dein Schlaf", "ton sommeil", "o seu sono", "睡眠"],
  ),
  topic(
    "(?:job|work|working|office|deadlines?|colleagues?|coworkers?|shift|trabajo|oficina|arbeit|arbeiten|büro|job|travail|boulot|bureau|trabalho|emprego)",
    "work",
    ["el trabajo", "die Arbeit", "le travail", "o trabalho", "工作"],
  ),
  topic(
    "(?:school|university|college|uni|class|classes|homework|teacher|studies|escuela|universidad|clases|schule|uni|studium|école|université|cours|escola|faculdade|aulas)",
    "your studies",
    ["los estudios", "das Lernen", "les études", "os estudos", "学业"],
  ),
  topic("(?:money|rent|bills?|debts?|salary|dinero|alquiler|deudas|geld|miete|schulden|argent|loyer|dettes|dinheiro|aluguel|dívidas)", "money", [
    "el dinero",
    "das Geld",
    "l'argent",
    "o dinheiro",
    "钱的事",
  ]),
  topic("(?<!\\ba (?:\\p{L}+ )?)(?:mum|mom|mother|mama|mamá|madre|mutter|mutti|maman|mère|mãe)", "your mother", [
    "tu madre",
    "deine Mutter",
    "ta mère",
    "a sua mãe",
    "你妈妈",
  ]),
  topic("(?<!\\ba (?:\\p{L}+ )?)(?:dad|father|papa|papá|padre|vater|père|pai)", "your father", [
    "tu padre",
    "dein Vater",
    "ton père",
    "o seu pai",
    "你爸爸",
  ]),
  topic("(?:sisters?|brothers?|siblings?|hermanos?|hermanas?|schwester|bruder|geschwister|sœur|frère|irmãos?|irmãs?)", "your family", [
    "tu familia",
    "deine Familie",
    "ta famille",
    "a sua família",
    "你的家人",
  ]),
  topic(
    "(?<!\\ba (?:\\p{L}+ )?)(?:husband|wife|partner|boyfriend|girlfriend|marriage|relationship|marido|esposa|pareja|novio|novia|partnerin|beziehung|mari|conjoint|copain|copine|couple|namorad[oa]|esposo)",
    "your relationship",
    ["tu relación", "deine Beziehung", "ta relation", "a sua relação", "你们的关系"],
  ),
  topic(
    "(?<!\\ba (?:\\p{L}+ )?)(?:kids?|child|children|son|daughter|baby|hijos?|hijas?|kinder|(?:mein|unser) kind|sohn|tochter|enfants?|fils|fille|filhos?|filhas?)",
    "your family",
    ["tu familia", "deine Familie", "ta famille", "a sua família", "孩子"],
  ),
  topic("(?:family|parents?|familia|padres|familie|eltern|famille|parents|família|pais)", "your family", [
    "tu familia",
    "deine Familie",
    "ta famille",
    "a sua família",
    "你的家人",
  ]),
  topic("(?:friends?|friendship|amig[oa]s?|freunde?n?|freundin|amis?|amies?)", "your friends", [
    "tus amistades",
    "deine Freundschaften",
    "tes amitiés",
    "as suas amizades",
    "朋友",
  ]),
  topic("(?:moved|moving|new (?:city|flat|apartment|house|home|town)|mudanza|me mudé|umzug|umgezogen|déménag\\p{L}+|mudança|mudei)", "the move", [
    "la mudanza",
    "der Umzug",
    "le déménagement",
    "a mudança",
    "搬家",
  ]),
  topic(
    "(?:my|our) \\p{L}+(?:'s| is| was| got| has been) (?:very |really |so )?(?:ill|sick|unwell|in (?:the )?hospital)|(?:my|our) \\p{L}+ (?:has|got) (?:cancer|dementia|alzheimer's|a stroke)",
    "somebody you care about",
    ["alguien que te importa", "jemand, der dir wichtig ist", "quelqu'un qui compte pour toi", "alguém que importa para você", "你在乎的人"],
  ),
  topic(
    "(?:ill|illness|sick|hospital|doctor|pain|health|enferm\\p{L}+|hospital|dolor|salud|krank\\p{L}*|krankenhaus|schmerz\\p{L}*|gesundheit|malade|hôpital|douleur|santé|doente|dor|saúde)",
    "your health",
    ["tu salud", "deine Gesundheit", "ta santé", "a sua saúde", "身体"],
  ),
  topic("(?:future|what's next|futuro|zukunft|avenir|futur)", "what lies ahead", [
    "lo que viene",
    "was vor dir liegt",
    "ce qui t'attend",
    "o que vem pela frente",
    "将来",
  ]),
];

const han: readonly (readonly [cues: RegExp, name: string])[] = [
  [/分手|离婚/u, "分开这件事"],
  [/考试/u, "考试"],
  [/老板|上司/u, "老板"],
  [/睡|失眠/u, "睡眠"],
  [/工作|上班|同事|加班/u, "工作"],
  [/学校|学习|作业/u, "学业"],
  [/钱|房租|债/u, "钱的事"],
  [/妈|母亲/u, "你妈妈"],
  [/爸|父亲/u, "你爸爸"],
  [/男朋友|女朋友|老公|老婆|对象/u, "你们的关系"],
  [/家人|父母|孩子/u, "你的家人"],
  [/朋友/u, "朋友"],
  [/生病|身体|医院/u, "身体"],
];

/** What a folded text is about, as it is called in a language; undefined where none of the list is heard. */
export function topicIn(text: string, language: OfflineLanguage): string | undefined {
  const found = topics.find(({ cues }) => cues.test(text));
  return found?.names[language] ?? (language === "zh" ? han.find(([cues]) => cues.test(text))?.[1] : undefined);
}
