/** How people ask for an exercise, per language. `{name}` stands for the names that the exercises go by. */
import type { ExerciseLanguage } from "../definition.ts";

/**
 * Patterns against a clause, from its start, unless they may stand `anywhere` in it. A word that exercises are made of ("grounding", "values", "breathing") asks for
 * none by itself, and neither does sport.
 */
export interface StartWords {
  readonly start: readonly string[];
  readonly anywhere: readonly string[];
  /** A whole clause that asks which exercises there are: they are named, and none is begun. */
  readonly list: string;
  /** Somebody else's words, or no wish: nothing after it in the clause is a request. */
  readonly unless: string;
}

const kind =
  "(?:(?:guided|calming|relaxing|relaxation|soothing|short|quick|little|simple|small|breathing|grounding|breath|values|thought|mindfulness|anxiety|panic|coping|new|different|other|good) )*";
const noun = `(?:{name}|${kind}(?:breathing|grounding|values|thought|breath|guided|calming|relaxation|coping) (?:exercises?|techniques?|practices?|work)|thought record|values compass)`;
const one = `(?:a|an|the|that|this|your|another|one of (?:the|your)|one|any|some)`;
const bare = `(?:an|the|that|this|another|one of (?:the|your)|some of your|any|a ${kind}|an? other|one more) ?${kind}exercises?(?! (?:routine|class|program|plan|bike|regimen|my|from|for (?:school|work|class)|at the))`;
const what = `(?:(?:${one} )?(?:${kind})?${noun}|${bare})`;
const doing = "(?:do|try|start|begin|practi[cs]e|go through|run through|have|use|repeat|get into)(?: with)?";
const loose =
  "(?:(?:some|a bit of|a little|the|more) )?(?:grounding|breathing|emotion regulation|values work)(?: (?:together|again|with you|please|now|right now|today))*$";

/** What people say when they ask for an exercise. */
export const startWords: Readonly<Record<ExerciseLanguage, StartWords>> = {
  en: {
    start: [
      `(?:please )?(?:start|begin|do|try|give me|show me|teach me|practi[cs]e|help me (?:with|do|through|start)|i'd like(?: to ${doing})?|i would like(?: to ${doing})?|i (?:want|need|wanna)(?: to)?(?: ${doing})?|i'm ready (?:to ${doing}|for)|how about(?: we ${doing})?|what about|maybe) (?:me through )?${what}\\b`,
      `help me (?:do|with) ${loose}`,
      "i (?:need|want)(?: to do)? (?:(?:some|a bit of|a little) )?(?:grounding|breathing) (?:right now|now|please|with you)$",
    ],
    anywhere: [
      `(?:can|could|shall|may|should) (?:we|i|you)(?: please)?(?: just)? (?:${doing}|give me|show me|teach me|suggest|offer(?: me)?|help me (?:with|do|through))(?: with)? ${what}\\b`,
      `(?:guide|walk|take|lead|talk) me through (?:${what}|${loose})`,
      `(?:let'?s|let us) (?:please )?(?:just )?(?:${doing}) (?:${what}|${loose})`,
      `(?:can|could|shall) (?:we|you)(?: please)? (?:do|try|start|practi[cs]e)(?: with)? ${loose}`,
    ],
    list: "(?:and |so |ok |okay )*(?:do you (?:know|have|offer) (?:any|some|other|more) (?:(?:guided|breathing|grounding|calming|other) )*exercises?|(?:what|which) (?:(?:guided|breathing|grounding|calming|other|kinds? of|sorts? of) )*exercises?(?: do you (?:know|have|offer)| are there| can (?:we|you) (?:do|try|offer)| is there)(?: here| together| with you)?|(?:show|tell|list) (?:me )?(?:(?:your|the|all|about|which) )*exercises(?: (?:you have|there are))?|is there (?:an|any|some) exercise(?: (?:i|we) (?:can|could) (?:do|try)| for (?:this|that|it))?)",
    unless:
      "(?:n't|\\bnot|\\bnever|\\bsaid|\\bsays|\\basked|\\basks|\\btold|\\btells|\\bwants?|\\bwanted|\\bused to|\\byesterday|\\bif (?:he|she|they)|\\b(?:he|she|they) )",
  },
  es: {
    start: [
      "(?:por favor )?(?:quiero|quisiera|me gustaría|necesito|empieza|empecemos|empezamos|haz|hagamos|ayúdame con|enséñame|dame|guíame (?:en|por|con)|vamos a)(?: (?:hacer|probar|empezar|practicar|con))* (?:(?:un|una|el|la|otro|otra|algún|ese|este) )?(?:{name}|ejercicio de (?:respiración|anclaje|valores|pensamientos?|relajación|calma)|(?<=(?:un|el|otro|algún|ese|este) )ejercicio(?! físico)|respiración (?:cuadrada|guiada))",
    ],
    anywhere: [
      "(?:podemos|podríamos|puedes|podrías)(?: por favor)? (?:hacer|probar|empezar|practicar|guiarme (?:en|por|con)|enseñarme|darme)(?: con)? (?:(?:un|una|el|la|otro|otra|algún) )?(?:{name}|ejercicio)",
    ],
    list: "(?:y )?(?:qué ejercicios (?:tienes|conoces|hay|ofreces|podemos hacer)|(?:tienes|conoces|hay) (?:algún|otro|algunos|otros) ejercicios?)",
    unless: "(?:\\bno\\b|\\bnunca|\\bdijo|\\bdice|\\bpidió|\\bayer)",
  },
  de: {
    start: [
      "(?:bitte )?(?:ich (?:möchte|will|würde gerne?|brauche)|starte|beginne|mach(?:e|en wir)?|zeig mir|gib mir|hilf mir (?:bei|mit)|führ(?:e)? mich durch|lass(?:t)? uns|wir könnten)(?: (?:bitte|jetzt|gerne?|mal|mit))* (?:(?:eine[rn]?|die|der|das|den|noch eine|ein) )?(?:{name}|(?:atem|erdungs|achtsamkeits|werte|gedanken|entspannungs)übung(?:en)?|(?:geführte )?übung|boxatmung)",
    ],
    anywhere: [
      "(?:können|könnten|kannst|könntest|wollen) (?:wir|du)(?: (?:bitte|jetzt|mal|mit mir|mir))* (?:(?:eine[rn]?|die|der|das|den|noch eine|ein) )?(?:{name}|(?:atem|erdungs|achtsamkeits|werte|gedanken|entspannungs)?übung)",
    ],
    list: "(?:und )?(?:(?:welche|was für) übungen (?:kennst du|hast du|gibt es|können wir machen)|(?:kennst|hast) du (?:(?:eine|andere|noch|irgendwelche|ein paar) )*übung(?:en)?|gibt es (?:eine|andere|noch eine) übung(?: dafür)?)",
    unless: "(?:\\bnicht\\b|\\bkeine?\\b|\\bsagte|\\bsagt\\b|\\bgestern)",
  },
  fr: {
    start: [
      "(?:s'il te plaît )?(?:je (?:veux|voudrais|souhaite|aimerais)|j'aimerais|j'ai besoin d[e'] ?|commençons|faisons|essayons|guide-moi (?:dans|pour|à travers)|aide-moi (?:avec|à)|montre-moi|donne-moi)(?: (?:faire|essayer|commencer|pratiquer|avec))* ?(?:(?:un|une|le|la|l'|autre) ?)?(?:{name}|exercice (?:de|d')|(?<=un |une |l'|autre )exercice(?! physique))",
    ],
    anywhere: [
      "(?:on peut|pouvons-nous|peux-tu|pourrait-on|pourrais-tu|est-ce qu'on peut)(?: me)? (?:faire|essayer|commencer|pratiquer|guider dans) (?:(?:un|une|le|la|l') ?)?(?:{name}|exercice)",
    ],
    list: "(?:et )?(?:quels exercices (?:tu connais|connais tu|as tu|tu as|proposes tu|y a t il|peut on faire)|(?:est ce que )?tu (?:as|connais) (?:(?:un|des|d'autres|quelques) )exercices?)",
    unless: "(?:\\bpas\\b|\\bjamais|\\ba dit|\\bdit\\b|\\bhier)",
  },
  pt: {
    start: [
      "(?:por favor )?(?:quero|queria|gostaria de|preciso(?: de)?|vamos|comece|começa|faça|me (?:guie|guia|ajude|ajuda) (?:em|com|por)|mostre-me|me dê)(?: (?:fazer|tentar|começar|praticar|com))* (?:(?:um|uma|o|a|outro|outra) )?(?:{name}|exercício de \\p{L}+|(?<=(?:um|o|outro) )exercício(?! físico))",
    ],
    anywhere: [
      "(?:podemos|poderíamos|pode|poderia|a gente pode)(?: por favor)? (?:fazer|tentar|começar|praticar|me guiar (?:em|por))(?: com)? (?:(?:um|uma|o|a|outro) )?(?:{name}|exercício)",
    ],
    list: "(?:e )?(?:que exercícios|quais exercícios|quais são os exercícios)(?: (?:você )?(?:tem|conhece|há|podemos fazer))?|(?:você )?(?:tem|conhece) (?:algum|outro|alguns|outros) exercícios?",
    unless: "(?:\\bnão\\b|\\bnunca|\\bdisse|\\bontem)",
  },
  zh: {
    start: [
      "(?:请|那|好|现在)*(?:我想|我要|我需要|想|来|开始|带我|教我|帮我|陪我|引导我)(?:一起|跟你|和你)?(?:做|试|开始|练|进行|来)*(?:一下|试试|一个|个|一次|次)?(?:{name}|(?:呼吸|着陆|接地|放松|正念|价值观|思维)的?练习|(?:引导)?练习(?!题|册|簿))",
    ],
    anywhere: [
      "(?:能不能|可以|可不可以|我们|咱们)(?:请|带我|教我|一起)*(?:做|试|开始|练|来)+(?:一下|试试|一个|个|一次)?(?:{name}|(?:呼吸|着陆|接地|放松|正念|价值观|思维)?的?练习)",
    ],
    list: "(?:你)?(?:这里)?(?:有|会)(?:什么|哪些)(?:呼吸|放松)?的?练习(?:吗|可以做)?|(?:什么|哪些)练习可以做",
    unless: "(?:不想|不要|别|没有|他说|她说|昨天)",
  },
};
