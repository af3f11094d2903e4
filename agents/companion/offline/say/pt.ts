import type { Sentences } from "./sentences.ts";

export const portuguese: Sentences = {
  feelings: {
    overwhelmed: ["É muita coisa de uma vez.", "Parece mais do que uma pessoa consegue segurar sozinha."],
    anxious: ["Parece muita preocupação para carregar.", "Viver nessa tensão cansa demais."],
    angry: ["Dá para sentir quanta raiva isso dá, e faz sentido.", "Muita gente ficaria com raiva de algo assim."],
    ashamed: ["Parece doloroso, e é preciso coragem para dizer.", "Agradeço por contar com tanta franqueza."],
    lonely: ["Parece bem solitário.", "Sentir que está só com tudo isso pesa."],
    tired: ["Dá para sentir o seu cansaço.", "Esse cansaço vai além de uma noite mal dormida."],
    sad: ["Sinto muito que esteja tão pesado agora.", "Parece muito triste, e não há pressa de deixar isso para trás."],
    hurt: ["Isso deve ter doído.", "Dá para sentir que isso foi fundo."],
    stressed: ["Parece muita pressão e pouco espaço para respirar."],
    numb: ["Não sentir quase nada pode ser tão difícil quanto sentir demais."],
    confused: ["Parece emaranhado, e não é preciso ter clareza para falar disso."],
    jealous: ["O ciúme é incômodo de carregar, e dar nome a ele é honesto."],
    relieved: ["Que alívio deve ser."],
    proud: ["Isso merece orgulho."],
    calm: ["Que bom que está um pouco mais calmo."],
    happy: ["Que bom ler isso."],
  },
  heard: ["Agradeço por me contar.", "Estou ouvindo.", "Faz sentido que isso ocupe a sua cabeça."],
  grief: ["Sinto muito pela sua perda.", "Sinto muito. O luto tem o seu próprio ritmo, e não há jeito errado de passar por ele."],
  shock: [
    "É assustador passar por isso. Não é preciso entender nada agora.",
    "Sinto muito que isso tenha acontecido. O que o corpo faz agora ajuda a atravessar.",
  ],
  torn: ["Parece que uma parte de você quer uma coisa e outra tem boas razões contra."],
  glad: ["Fico feliz em ler isso."],
  about: ["Parece que há algo tomando muito espaço agora: {topic}.", "E com {topic} no meio, não é pouca coisa."],
  questions: ["O que foi mais difícil hoje?", "O que você gostaria que eu entendesse disso?", "Como está agora, enquanto escreve?"],
  grief_questions: ["Quer me contar como era?", "Do que você sente mais falta hoje?"],
  glad_questions: ["O que ajudou para que fosse assim?"],
  listening: [
    "Estou aqui, e vou só ouvir. Use o espaço de que precisar.",
    "Sem conselhos, então. Estou ouvindo, e aqui nada precisa ser consertado.",
  ],
  greetings: ["Olá, que bom que você está aqui. O que ocupa a sua cabeça hoje?", "Olá. Como você está hoje, de verdade?"],
  welcome: ["Com prazer.", "De nada. Estou aqui se houver mais."],
  patterns: ["Parece que não é a primeira vez: algo volta.", "Noto um padrão no modo como conta, como uma cena que se repete."],
  patterns_about: ["Algo leva você sempre ao mesmo lugar, e no meio está isto: {topic}."],
  pattern_questions: ["O que costuma acontecer logo antes?", "O que você costuma fazer depois, e o que isso custa?"],
  clarify: [
    "Quero entender bem. Prefere falar sobre isso, fazer um exercício curto ou que eu procure uma informação?",
    "Falta-me uma peça para acompanhar. De que se trata?",
  ],
  explain: {
    any: [
      "O que sentimos costuma ir à frente do que sabemos explicar: o corpo nota algo importante e reage antes das palavras. Perguntar-se já costuma ser o começo do alívio.",
    ],
    panic: [
      "No pânico, o alarme do corpo dispara sem nada de que fugir, e a mente lê esses sinais como perigo. Parece não ter fim, mas sobe, chega ao ponto mais alto e desce sozinho.",
    ],
    worry: [
      "A preocupação é a mente tentando proteger você ao ensaiar o que pode dar errado. Como quase nunca acontece, ela aprende que adiantou, e oferece mais.",
    ],
    sleep: ["O sono vem quando o corpo está cansado e o alarme interno, desligado. Esforçar-se para dormir liga esse alarme."],
  },
  explain_questions: ["Isso combina com o que você vive?"],
  ways: {
    any: [
      "Uma coisa pequena para tentar: escreva o que está nas suas mãos e o que não está, e hoje faça só a menor da primeira lista.",
      "Dá para começar bem pequeno: diga em uma palavra o que sente, solte o ar devagar e escolha um único passo de poucos minutos.",
    ],
    panic: [
      "Quando subir, deixe a expiração durar mais que a inspiração e diga em voz alta o que vê. Não é para parar a onda, só para ficar nela até baixar.",
    ],
    worry: ["Marque um horário para a preocupação: um quarto de hora fixo, no papel. Se ela vier antes, anote uma palavra e deixe para depois."],
    sleep: ["Se não dormir, levante-se, mantenha pouca luz e faça algo sem graça até ter sono. E acorde todos os dias na mesma hora."],
  },
  way_questions: ["Qual seria a menor versão disso para você?", "Parece possível, ou procuramos outra coisa?"],
  closings: ["Agradeço por conversar comigo hoje. Que o resto do dia seja gentil com você.", "Foi bom que você veio. Cuide-se."],
  closings_about: ["Agradeço por conversar comigo. Hoje você deu espaço a isto: {topic}. Por agora basta."],
  what_i_am: [
    "Sou uma companhia de inteligência artificial, não uma pessoa, e agora funciono com regras simples, sem modelo de linguagem. Posso ouvir, guiar um exercício curto ou procurar informações gerais sobre bem-estar.",
  ],
  no_name: [
    "Não posso dizer se você tem algo, e não quero adivinhar. Uma médica, ou outra pessoa da área que converse com calma com você, pode. O que você tem notado?",
  ],
  remembered: ["Você me contou antes: “{quote}”."],
  nothing_remembered: ["Não tenho nada guardado que responda a isso. Quer me contar de novo?"],
  let_go: "Nada foi apagado, aliás: deixei essa pergunta de lado.",
  paused: "O exercício espera onde paramos; diga quando quiser voltar.",
  nothing_found: "Não encontrei nenhuma fonte que responda a isso, e prefiro não adivinhar.",
  last_time: "Da última vez tenho esta nota: “{quote}”.",
  repair: ["Não entendi o que você queria dizer, e sinto muito. Conte de novo do seu jeito."],
  check_in: ["Não esqueci o que você me contou. Você está em segurança agora?"],
  room: ["Conte mais quando quiser."],
};
