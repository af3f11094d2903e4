import { cuesFrom, patterns, whole, words } from "./cues.ts";

const polite = "(?:(?:oi|olá|ok|então|bom|por favor|sim)[,!.]? +|(?:você pode|podes|pode|poderia|podemos|quero que|gostaria que) (?:por favor )?)*";
const asked = "(?: por favor| agora| obrigad[oa])*";
const kin =
  "(?:mãe|pai|irmão|irmã|filho|filha|bebê|bebé|esposa|marido|mulher|companheir[oa]|namorad[oa]|amig[oa]|tio|tia|primo|prima|avô|avó|vô|vó|cachorr[oa]|cão|gat[oa])";
const exercicio =
  "(?:(?:um|o|esse|este|outro|algum) )?exercícios?(?: (?:de|para) (?:respiração|respirar|aterramento|ancoragem|relaxamento|valores|me acalmar))?";

/** Portuguese, of Brazil and of Portugal. */
export const portuguese = cuesFrom({
  memory: {
    status: whole(`${polite}(?:qual é o )?(?:estado|status) da (?:sua |tua )?memória`, `${polite}quanto (?:você )?(?:lembra|lembras)(?: de mim)?`),
    list: whole(
      `${polite}o que (?:é que )?(?:você )?(?:lembra|lembras|sabe|sabes|guardou|guardaste|tem guardado)(?: (?:de|sobre) mim)?${asked}`,
      `${polite}(?:mostra|mostre|diz|diga)(?:-me| me)? (?:tudo )?o que (?:você )?(?:lembra|lembras|sabe|sabes|guardou|guardaste)(?: (?:de|sobre) mim)?${asked}`,
    ),
    recall_on: whole(`${polite}(?:ativa|ative|liga|ligue) (?:a lembrança|as lembranças|a memória)${asked}`),
    recall_off: whole(`${polite}(?:desativa|desative|desliga|desligue) (?:a lembrança|as lembranças|a memória)${asked}`),
    preference: whole(
      `${polite}(?:de agora em diante|a partir de agora),? (?<text>.{4,280})`,
      `${polite}(?<text>(?:eu )?prefiro (?:que |respostas |frases ).{3,260})`,
    ),
    forget_by_index: whole(
      `${polite}(?:esquece|esqueça|apaga|apague|elimina) (?:o |a )?(?<kind>fato|facto|lembrança|sessão|regra|preferência) (?:número )?(?<place>\\d{1,3})${asked}`,
      `${polite}(?:esquece|esqueça|apaga|apague) (?:o |o número )?(?<place>\\d{1,3})${asked}`,
    ),
    forget_by_query: whole(
      `${polite}(?:esquece|esqueça|apaga|apague) (?:tudo )?o que (?:eu )?(?:te )?(?:disse|falei|contei|sabe|sabes) (?:de|do|da|sobre) (?<query>.{2,80}?)${asked}`,
      `${polite}(?:esquece|esqueça|apaga|apague) (?:tudo|as lembranças) (?:de|do|da|sobre) (?<query>.{2,80}?)${asked}`,
      `${polite}(?:esquece|esqueça) que (?<query>.{4,80}?)${asked}`,
      `${polite}(?:esquece|esqueça|apaga|apague) (?:isso|aquilo) (?:de|do|da) (?<query>.{2,80}?)${asked}`,
      `${polite}(?:esquece|esqueça|apaga|apague) (?:a |o )?(?<query>(?:minha|meu|minhas|meus) .{2,60}?)${asked}`,
    ),
    forget_vague: whole(`${polite}(?:esquece|esqueça|apaga|apague) (?<query>isso|isto|aquilo)${asked}`),
  },
  recalls: words(
    "(?:você )?(?:se lembra|lembra-se|lembras-te|te lembras|lembra)(?: (?:de|que|quando|do que))\\b.*",
    "a última vez que (?:a gente )?fal(?:ou|amos)\\b.*",
    "eu te (?:contei|disse|falei)\\b.*",
  ),
  lookup: patterns(
    `^${polite}(?:procura|procure|pesquisa|pesquise|busca|busque|verifica)(?: informaç(?:ão|ões) sobre)? (?<query>.{3,200})$`,
    `^${polite}(?:o que diz a (?:ciência|pesquisa)|há (?:evidências?|estudos)|existem estudos|quantas horas|quantas pessoas|quanto tempo (?:leva|dura))\\b.*`,
    `^${polite}(?:o que (?:é|são)) (?!que|isso|isto|de mim).{3,200}$`,
    "^(?:o café|a cafeína|o álcool|o exercício|o magnésio|a melatonina|a meditação|a ioga|a soneca) (?:ajuda|afeta|atrapalha|faz|melhora)\\b.*",
  ),
  exercise: [
    ...words(
      `(?:podemos|poderíamos|vamos|quero|queria|gostaria de|preciso de|a gente pode)(?: (?:fazer|tentar|começar|praticar))? ${exercicio}`,
      `(?:me guia|me guie|guia-me|me ensina|me dá|me mostra)(?: (?:por|em|num|no))? ${exercicio}`,
    ),
    ...whole(
      `${polite}(?:exercício de (?:respiração|aterramento|valores|relaxamento)|respiração quadrada|registro de pensamentos|bússola de valores)${asked}`,
    ),
  ],
  exercise_vague: whole(`${polite}(?:vamos fazer|podemos fazer|a gente pode fazer) (?:algo|alguma coisa|isso)`),
  accepts: whole("(?:sim|claro|tá bom|está bem|ok|pode ser|vamos|aceito|quero)(?:[,.! ]+(?:por favor|vamos|obrigad[oa]|quero|pode ser))*"),
  declines: whole("(?:não|melhor não|agora não|cancela|deixa|não obrigad[oa])(?:[,.! ]+(?:obrigad[oa]|deixa|por favor))*"),
  resumes: words(
    "(?:voltar|vamos voltar|continuar|retomar|vamos continuar) (?:a|com )?(?:o |ao )?exercício",
    "onde (?:a gente parou|paramos|estávamos)",
  ),
  asks_back: words("o que (?:você quer|queres) dizer", "não entendi (?:o passo|a pergunta)", "(?:posso|conta|vale)\\b.*\\?"),
  turns_away: patterns("^(?:aliás|espera|outra coisa|antes de continuar|quero falar)[,: ].{6,}"),
  exits: [
    ...whole("(?:para|pare|chega|sair|terminar|vamos parar)(?: (?:aqui|já|por favor|o exercício))*"),
    ...words("não quero (?:mais )?(?:continuar|fazer)\\b.*", "quero (?:parar|sair)"),
  ],
  stuck: words("não consigo\\b.*", "não sei (?:o que dizer|bem)?", "(?:muito )?difícil", "não me vem nada"),
  holds: words("(?:espera|um (?:momento|minuto|segundo|instante)|ainda não)", "me distraí"),
  done: [...whole("(?:pronto|pronta|feito|já|terminei|próximo|sim|já fiz)(?:[,. ]+(?:pronto|feito|próximo))*"), ...words("próximo passo")],
  unclear: whole(
    "(?:isso|isto|aquilo|coisa|algo|tudo|nada|ajuda|me ajuda|não sei|sei lá|hm+|bem|de novo|o de sempre|aconteceu(?: de novo)?|tanto faz|esquece|faz isso|pode fazer)(?: (?:por favor|então))?",
  ),
  just_listen: words(
    "sem conselhos?",
    "não quero conselhos?",
    "(?:só|apenas) (?:quero|preciso) (?:que você me (?:escute|ouça)|desabafar|falar|ser ouvid[oa])",
    "(?:só|apenas) me (?:escuta|ouve|escute|ouça)",
    "desabafar",
  ),
  closing: whole(
    "(?:bom|ok|obrigad[oa])?[,.! ]*(?:tchau|adeus|até (?:logo|amanhã|breve|mais|a próxima)|boa noite|(?:tenho que|preciso|vou) (?:ir(?: embora)?|sair|dormir)|é só isso|isso é tudo|era isso|por hoje (?:é só|chega))(?:[,.! ]+(?:obrigad[oa]|por hoje|por ouvir|por tudo|até (?:logo|amanhã)|tchau))*",
    "(?:muito )?obrigad[oa] (?:por (?:tudo|ouvir|me ouvir|escutar|hoje)|pela ajuda)",
    "(?:muito )?obrigad[oa][,.! ]+(?:é só isso|isso é tudo|era isso|tchau|até (?:logo|amanhã))(?: por hoje)?",
  ),
  greeting: whole(
    "(?:oi|olá|bom dia|boa tarde|e aí)(?:[,.! ]+(?:tudo bem|como (?:vai|você está|estás)|de novo))*",
    "(?:tudo bem|como (?:vai|você está))",
  ),
  thanks: whole("(?:muito )?obrigad[oa]"),
  wants_to_understand: words(
    "por que (?:eu|me|não|sempre|sinto|estou|choro|tenho|fico|será)\\b.*",
    "porque (?:é que|será que)\\b.*",
    "o que acontece (?:com|quando|no|na|em)\\b.*",
    "é normal\\b.*",
    "(?:quero|queria|gostaria de) entender\\b.*",
    "me ajuda a entender\\b.*",
    "não entendo por ?que\\b.*",
  ),
  wants_a_way: words(
    "o que (?:eu )?(?:posso|devo|poderia|deveria) fazer\\b.*",
    "como (?:eu )?(?:posso|faço para|poderia|lidar)\\b.*",
    "(?:alguma|tem alguma|me dá uma|alguns) (?:dicas?|ideias?|conselhos?)\\b.*",
    "me ajuda a (?:me acalmar|dormir|organizar|preparar|decidir)\\b.*",
    "algo (?:prático|concreto)\\b.*",
  ),
  recurring: words(
    "(?:toda vez que|sempre que|sempre (?:acabo|acontece|a mesma|o mesmo|me)|de novo e de novo|outra vez a mesma|todos os dias|toda (?:noite|hora)|o mesmo padrão|continua acontecendo|vive acontecendo)\\b.*",
  ),
  approaches: {
    grief_support: words(
      `(?:meu|minha) ${kin} (?:\\p{L}+ )?(?:morreu|faleceu|partiu)`,
      `(?:a morte|o funeral|o enterro|a perda) (?:do|da|de) (?:meu|minha)\\b.*`,
      `perdi (?:meu|minha|o meu|a minha) ${kin}`,
      "luto",
    ),
    pfa: words(
      "(?:um |sofri um )?acidente",
      "(?:fui|me) (?:assaltad[oa]|roubad[oa]|atacad[oa]|assaltaram|roubaram)\\b.*",
      "em (?:estado de )?choque",
      "não paro de tremer",
      "terremoto|incêndio|enchente",
    ),
    motivational_interviewing: words(
      "(?:uma )?parte de mim\\b.*",
      "por um lado\\b.*",
      "não sei se (?:devo|deveria|quero)\\b.*",
      "devo (?:sair|ficar|largar|parar|mudar)\\b.*",
      "não consigo (?:me )?decidir\\b.*",
    ),
    dbt_skills: words("(?:sobrecarregad[oa]|esmagad[oa])", "(?:é|está|tudo é) demais", "não consigo me acalmar", "(?:crise|ataque) de pânico"),
    cbt: words(
      "(?:eu )?sou (?:um |uma )?(?:fracasso|fracassad[oa]|inútil|idiota|desastre)",
      "todo mundo (?:pensa|me odeia|ri)\\b.*",
      "não paro de pensar\\b.*",
      "e se\\b.*",
      "é (?:tudo )?(?:minha culpa|culpa minha)",
    ),
    act: words(
      "meus valores",
      "o que (?:realmente |de verdade )?(?:importa|me importa)",
      "sentido (?:da|na|à) (?:minha )?vida",
      "no piloto automático",
    ),
    interpersonal_therapy: words(
      "(?:briga|briguei|brigamos|discuti|discussão|discutimos)\\b.*",
      "(?:meu chefe|minha chefe|meu namorado|minha namorada|meu marido|minha esposa|minha mãe|meu pai) (?:não|sempre|nunca|me)\\b.*",
      "(?:término|divórcio|me deixou|terminamos)",
      "me sinto (?:muito |tão )?(?:sozinh[oa]|rejeitad[oa])",
    ),
  },
  missed: words(
    "(?:você não (?:me )?(?:entende|entendeu|escuta|está ouvindo)|não foi (?:isso )?o que eu (?:disse|quis dizer)|isso não (?:me )?ajuda)",
  ),
  asks_about_it: words(
    "(?:qual é (?:o |a )?(?:seu|sua|teu|tua)|você gosta de|como você se chama|quantos anos você tem|me conta uma (?:piada|história))\\b.*",
  ),
  introduces: words("(?:me chamo|chamo-me|(?:o )?meu nome é) (?<name>\\p{L}[\\p{L}'-]{1,20})"),
  what_can_you_do: words(
    "o que (?:é que )?(?:você )?(?:pode|podes|sabe|sabes) fazer",
    "como (?:você )?(?:pode|podes) (?:me )?ajudar(?:-me)?[?. ]*$",
    "para que (?:você )?serve(?:s)?",
    "como (?:isso |isto )?funciona(?:s)?[?. ]*$",
  ),
  asks: patterns("[?]\\s*$"),
  what_are_you: words(
    "(?:você é|és|tu és) (?:um |uma |mesmo )*(?:human[oa]|pessoa|robô|bot|ia|máquina|inteligência artificial|terapeuta|psicólog[oa]|real)\\b.*",
    "quem é você",
    "o que (?:você é|és tu)",
  ),
  what_do_i_have: words("(?:eu )?(?:tenho|será que tenho) (?:depressão|tdah|transtorno|ansiedade generalizada)\\b.*"),
});
