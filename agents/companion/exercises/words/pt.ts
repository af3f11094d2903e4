import type { CueWords } from "./cue-words.ts";

const exercise = "(?:exercício|prática|respiração|registro|bússola)";

export const portuguese: CueWords = {
  before: "(?:(?:ok|tá|bom|bem|é|hã|hm+|desculpa|por favor|oi|olá|não|sim|na verdade|acho que|e|mas|então|ah|agora)[,.]? )",
  after: "(?: (?:por favor|agora|por hoje|hoje|obrigad[oa]|de novo|então|ainda|mesmo|acho|por enquanto))",
  cues: {
    exit_clear: [
      `(?:(?:podemos|quero|queria|prefiro|gostaria de|vamos) )?(?:parar|deixar|terminar|sair d|encerrar|cancelar)(?: com)? ?(?:o |este |esse |esta |a |d?o )${exercise}(?: .{0,60})?`,
      `não quero (?:mais )?(?:fazer|continuar)(?: com)? (?:o |este |esse |esta |a )?${exercise}`,
      "(?:prefiro|quero) (?:só |apenas )?conversar(?: .{1,60})?",
    ],
    exit: [
      "vou parar(?: (?:por aqui|aqui))?",
      "tenho que (?:ir|parar)(?: .{0,20})?",
      ...[
        "pare",
        "para",
        "parar",
        "chega",
        "me deixa? (?:em paz|quiet[oa])|deixa-me em paz",
        "basta",
        "sair",
        "cancelar?",
        "deixa pra lá",
        "esquece",
        "não,? obrigad[oa]",
        "agora não",
        "hoje não",
        "mais tarde",
        "outra hora",
        "não quero mais",
      ],
      "(?:podemos|quero|queria|prefiro|gostaria de|vamos) (?:parar|terminar|sair|encerrar|cancelar)(?: (?:com )?(?:isso|isto|aqui))?",
      "não quero(?: (?:mais )?(?:continuar|fazer)(?: (?:isso|isto))?)?",
      "(?:podemos|prefiro|quero) (?:fazer|falar de) outra coisa",
    ],
    unwell: [
      "(?:agora )?(?:me sinto|estou(?: me sentindo)?|tô|fiquei)(?: (?:um pouco|muito|ainda|mais|bem))* (?:pior|tont[oa]|mal|enjoad[oa]|ansios[oa]|nervos[oa])|isso (?:piora|me deixa (?:pior|mal|nervos[oa]|ansios[oa]))(?: .{0,15})?",
      "não consigo respirar(?: .{0,20})?|(?:está|tá) doendo|falta ar|me falta o ar|(?:estou|tô) (?:tremendo|em pânico)",
    ],
    stuck: [
      ...[
        "não sei(?: .{1,40})?",
        "(?:não faço|nenhuma) ideia",
        "(?:estou|tô) (?:travad[oa]|perdid[oa]|pres[oa])",
        "não (?:consigo|posso)(?: .{0,30})?",
        "não (?:me )?vem nada(?: .{0,20})?",
        "nada",
        "é (?:muito )?difícil(?: demais)?",
      ],
      ...[
        "não entend[io](?: .{0,30})?",
        "não (?:está )?(?:funciona|funcionando|ajuda|ajudando)",
        "socorro",
        "me ajuda",
        "preciso de ajuda",
        "não (?:vejo|ouço|sinto) nada",
      ],
    ],
    hold: [
      ...[
        "(?:eu )?me distraí(?: .{0,20})?",
        "onde (?:estávamos|paramos)",
        "o mesmo passo",
        "repet(?:e|ir|a)(?: .{0,20})?",
        "(?:pode|poderia) repetir(?: .{0,20})?",
        "de novo",
        "(?:um |só um |me dá um )?(?:momento|segundo|minuto|instante)",
      ],
      ...[
        "espera",
        "ainda não",
        "não estou pront[oa]",
        "(?:estou|tô) (?:pensando|tentando|fazendo)",
        "deixa eu pensar",
        "recomeçar",
        "vamos recomeçar",
        "não",
      ],
    ],
    skip: ["(?:(?:podemos|quero) )?(?:pular|passar|pulo|passo)(?: (?:este|esse|isso)(?: passo)?)?"],
    advance: [
      "(?:o )?próximo(?: passo)?",
      "(?:vamos |podemos )?(?:continuar|continua|seguir|segue|em frente|adiante)",
      "mais um passo",
      "e agora",
      "o que vem depois",
    ],
    yes: [
      ...["feito", "pronto", "pronta", "(?:já )?fiz", "já", "sim", "ok", "tá", "terminei", "acabei", "estou pront[oa]", "certo", "beleza"],
      "(?:eu )?(?:inspirei|expirei|respirei|segurei)(?: .{0,20})?",
    ],
    nothing: ["bom|bem|hã|hm+|e|então|obrigad[oa]|desculpa|oi|olá|talvez|vamos ver"],
  },
  resume: [
    "\\b(?:voltar|voltemos|vamos voltar|retomar|retomemos)\\b.{0,30}(?:exercício|respiração|registro|valores)|\\b(?:continuar|continuemos|continuamos|seguir|seguimos) (?:com )?(?:o|a|nosso|nossa) (?:\\p{L}+ ){0,2}(?:exercício|respiração|registro)",
  ],
  clarify: [
    "\\bvocê quer dizer\\b|\\bo que você quer dizer\\b|\\bo que significa\\b|\\b(?:conta|contam|vale) .{1,40}\\?|^(?:e |mas )?(?:por exemplo|quant[oa]s|qual)\\b.{0,40}\\?",
  ],
  explain: ["(?:e |mas )?(?:por que|para que|pra que|como) (?:fazemos|faço|serve|ajuda|funciona|isso|isto)\\b.{0,80}\\?"],
  memory: [
    "o que você (?:lembra|sabe|guardou|tem guardado)(?: (?:de|sobre) (?:mim|nós))?$|você (?:se )?lembra .{1,100}\\?$",
    "(?:por favor )?esque(?:ça|ce) (?:o que|tudo|que)\\b.{0,100}",
    "(?:apague|apaga|exclua|remova) .{0,40}(?:memórias?|lembranças?|dados|guardou)",
    "não (?:guarde|lembre) (?:isso|isto|nada)\\b",
  ],
  lookup: [
    "(?:(?:você )?(?:pode|poderia) |por favor )(?:pesquis[ae]r?|procur[ae]r? (?:na|por|informaç)|busc[ae]r? |verific(?:a|ar|que)) ?.{2,120}",
    "(?:quais são|você tem) (?:as |suas )?fontes\\b.{0,40}",
  ],
  orders: { memory: [], lookup: ["(?:pesquise?|pesquisa|busque|verifique) .{2,120}"] },
};
