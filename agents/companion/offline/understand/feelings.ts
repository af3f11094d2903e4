/** What somebody says that they feel themselves, from a closed list. */
import { clausesOf } from "../words/fold.ts";

export const feelings = [
  ...["overwhelmed", "anxious", "angry", "ashamed", "lonely", "tired", "sad", "hurt", "stressed", "numb", "confused", "jealous", "rough"],
  ...["relieved", "proud", "calm", "happy"],
] as const;
export type Feeling =
  | "overwhelmed"
  | "anxious"
  | "angry"
  | "ashamed"
  | "lonely"
  | "tired"
  | "sad"
  | "hurt"
  | "stressed"
  | "numb"
  | "confused"
  | "jealous"
  | "rough"
  | Glad;
/** Feelings that are good to have. */
export type Glad = "relieved" | "proud" | "calm" | "happy";

export const isGlad = (feeling: Feeling): feeling is Glad =>
  feeling === "relieved" || feeling === "proud" || feeling === "calm" || feeling === "happy";

const cue = (latin: string, han: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${latin})(?![\\p{L}\\p{N}])|${han}`, "u");

/** Of several, the first of the list counts. */
const cues: Readonly<Record<Feeling, RegExp>> = {
  overwhelmed: cue(
    "overwhelm\\p{L}*|too much|can't cope|swamped|drowning in|abrumad[oa]|agobiad[oa]|desbordad[oa]|überfordert|überwältigt|zu viel|submergé\\p{L}*|dépassé\\p{L}*|débordé\\p{L}*|sobrecarregad[oa]|demais",
    "崩溃|受不了|压垮",
  ),
  anxious: cue(
    "anxious|anxiety|worr(?:y|ied|ying)|nervous|scared|afraid|fear|frightened|terrified|panick?\\p{L}*|on edge|uneasy|dread\\p{L}*|ansios[oa]|ansiedad|preocupad[oa]|miedo|nervios[oa]|ängstlich|angst|sorgen?|nervös|panik|anxieux|anxieuse|angoiss\\p{L}*|peur|inquiet|inquiète|stressée?|ansiedade|medo|preocupad[oa]",
    "焦虑|担心|害怕|紧张|不安|恐慌",
  ),
  angry: cue(
    "angry|anger|furious|mad at|pissed|annoyed|irritated|frustrat\\p{L}*|rage|resent\\p{L}*|enfadad[oa]|enojad[oa]|furios[oa]|rabia|frustrad[oa]|wütend|wut|sauer|genervt|frustriert|colère|furieu\\p{L}*|énervé\\p{L}*|frustrée?|raiva|irritad[oa]|com raiva|zangad[oa]",
    "生气|愤怒|恼火|烦躁|气死",
  ),
  ashamed: cue(
    "ashamed|shame|guilty|guilt|embarrass\\p{L}*|humiliat\\p{L}*|regret\\p{L}*|vergüenza|avergonzad[oa]|culpable|culpa|schäme|scham|schuldig|peinlich|schuldgefühle|honte|coupable|vergonha|culpad[oa]",
    "羞愧|内疚|丢脸|后悔|惭愧",
  ),
  lonely: cue(
    "lonely|loneliness|alone|isolated|left out|nobody to talk to|no one to talk to|excluded|sol[oa]|soledad|aislad[oa]|einsam|allein|alleine|ausgeschlossen|seule?|isolée?|solitude|sozinh[oa]|solidão",
    "孤独|孤单|寂寞|一个人",
  ),
  tired: cue(
    "tired|exhausted|exhausting|drained|worn out|burn(?:ed|t) out|fatigued?|no energy|knackered|cansad[oa]|agotad[oa]|sin energía|müde|erschöpft|ausgelaugt|fatiguée?|épuisée?|crevée?|esgotad[oa]|exaust[oa]",
    "累|疲惫|筋疲力尽|没力气",
  ),
  sad: cue(
    "sad|sadness|unhappy|(?:feel|feeling|felt|am|i'm|so|bit|really|pretty|very|been|quite) (?:down|low|blue)|miserable|heartbroken|crying|cry|cried|tears|upset|miss (?:him|her|them|my)|triste|tristeza|deprimid[oa]|llorar|lloro|llorando|traurig|unglücklich|niedergeschlagen|weinen|weine|geweint|malheureu\\p{L}*|pleure\\p{L}*|déprimée?|chorar|choro|chorando|pra baixo",
    "难过|伤心|悲伤|低落|哭|沮丧",
  ),
  hurt: cue(
    "hurt|betrayed|rejected|disappointed|let down|ignored|misunderstood|herid[oa]|traicionad[oa]|rechazad[oa]|decepcionad[oa]|verletzt|enttäuscht|zurückgewiesen|blessée?|trahie?|déçue?|rejetée?|magoad[oa]|traíd[oa]|decepcionad[oa]|rejeitad[oa]",
    "受伤|失望|被背叛|委屈",
  ),
  stressed: cue(
    "stress|stressed|stressful|pressure|tense|rushed|busy|estresad[oa]|estrés|presión|gestresst|stressig|druck|angespannt|stressant|pression|tendue?|estressad[oa]|pressão|tens[oa]",
    "压力|紧绷",
  ),
  numb: cue(
    "numb|empty|nothing matters|don't feel anything|can't feel|hollow|(?:feel|feeling|i'm) flat|vací[oa]|leer|taub|gefühllos|vide|vazi[oa]",
    "麻木|空虚|空洞",
  ),
  confused: cue(
    "confused|confusing|(?:feel|feeling|so|am|i'm|completely|totally) lost|mixed up|don't know what (?:to|i)|torn|undecided|stuck|confundid[oa]|perdid[oa]|verwirrt|ratlos|verloren|perdue?|confuse|confus[oa]",
    "迷茫|困惑|纠结",
  ),
  jealous: cue("jealous|jealousy|envious|envy|celos[oa]?s?|envidia|eifersüchtig|neidisch|jalou\\p{L}*|ciúmes?|inveja", "嫉妒|羡慕"),
  rough: cue(
    "(?:terrible|awful|horrible|rough|shitty|crappy|bad|hard|tough|worst) (?:day|week|night|morning|time)|like (?:crap|shit)|everything went wrong|terrible|awful|un mal día|día horrible|fatal|schlimmer? tag|furchtbar|schrecklich|mauvaise journée|horrible|dia (?:ruim|horrível|péssimo)|péssimo",
    "糟糕|倒霉|难熬",
  ),
  relieved: cue("relieved|relief|aliviad[oa]|alivio|erleichtert|soulagée?|aliviad[oa]|alívio", "松了一口气|轻松多了"),
  proud: cue(
    "proud|i did it|i made it|i managed|i passed|orgullos[oa]|lo logré|stolz|geschafft|fière?|réussi|orgulhos[oa]|consegui",
    "骄傲|自豪|做到了",
  ),
  calm: cue(
    "calm|calmer|peaceful|relaxed|(?:feel|feeling|doing|getting|bit|little|much) better|tranquil[oa]|(?:siento|estoy) mejor|ruhig|ruhiger|(?:fühle mich|geht es mir) (?:schon )?besser|entspannt|calme|(?:vais|sens) mieux|apaisée?|calm[oa]|(?:estou|sinto) melhor|tranquil[oa]",
    "平静|好多了|放松了",
  ),
  happy: cue(
    "happy|got promoted|(?:got|passed) (?:the|my) (?:job|exams?|tests?|driving test)|in love|got engaged|i won|glad|great|excited|grateful|joy|wonderful|good day|good news|feliz|content[oa]|alegre|agradecid[oa]|glücklich|froh|freue|dankbar|heureu\\p{L}*|contente?|joie|animad[oa]|gratidão",
    "开心|高兴|快乐|幸福|感激",
  ),
};

/** A feeling that is denied, or spoken of as somebody else's. */
const denied =
  /(?:\bnot\b|n't|\bno longer\b|\bnever\b|\bnicht\b|\bkein\w*\b|\bno (?=\p{L}+ (?:tan|muy)?\s?\p{L}*$)|\bne\b|\bpas\b|\bnão\b|不(?!安|起)|没有)[^,.;!?]{0,14}$/u;
const somebodyElse =
  /^(?:(?:and|but|so) )?(?:(?:my|our|his|her|their) \p{L}+(?: \p{L}+)?|he|she|they|(?:mi|su) \p{L}+|él|ella|(?:mein|meine|sein|seine|ihr|ihre) \p{L}+|er|(?:mon|ma|son|sa) \p{L}+|il|elle|(?:meu|minha|seu|sua) \p{L}+|ele|ela|他|她|我(?:妈|爸|朋友|老板))(?:'s| is| are| was| were| feels?| felt| seems?| gets?| got| está| ist| fühlt| est| se sent|很|好|在|说)/u;
const feelsAbout = /\b(?:i|me|i'm|my|ich|mich|yo|me|je|j'|moi|eu)\b|我(?!妈|爸|朋友|老板)/u;

/** Whether a feeling in a clause is the writer's own, and not denied. */
function isTheirs(clause: string, at: number): boolean {
  const before = clause.slice(0, at);
  if (denied.test(before)) return false;
  const other = somebodyElse.exec(clause);
  return other === null || feelsAbout.test(clause.slice(other[0].length, at)) || at < other[0].length - 1;
}

/** Words of being alone or calm that are no feeling: "leave me alone", "calm down". */
const noFeeling = /leave me alone|let (?:me|him|her|them|it) alone|\bcalm (?:down|him|her|them)|keep calm/u;

/** The feeling that a folded text speaks of; undefined where none of the list is heard, or it is somebody else's. */
export function feelingIn(text: string): Feeling | undefined {
  const clauses = clausesOf(text);
  return feelings.find((feeling) =>
    clauses.some((clause) => {
      const found = cues[feeling].exec(clause);
      return found !== null && isTheirs(clause, found.index) && !(noFeeling.test(clause) && (feeling === "lonely" || feeling === "calm"));
    }),
  );
}
