import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in Portuguese. */
export const portuguese: SafetyPhrases = {
  language: "pt",
  ask_directly: [
    "Quero entender bem, por isso pergunto diretamente: você está pensando em suicídio?",
    "O que você escreveu importa, e prefiro perguntar a supor: você está pensando em tirar a própria vida?",
    "Quando tudo pesa tanto, há pessoas que pensam em morrer, por isso pergunto com clareza: você pensa em se matar?",
  ],
  ask_directly_other: [
    "Quero entender bem como essa pessoa está, por isso pergunto diretamente: ela falou em suicídio ou em querer morrer?",
    "Prefiro perguntar a supor: você acha que essa pessoa está pensando em tirar a própria vida?",
  ],
  opening: [
    "Que bom que você me contou. É muita coisa para carregar, e eu levo isso a sério.",
    "Que bom que você disse isso aqui. Dá para ler quanta dor existe no que você escreve, e eu levo isso a sério.",
    "É preciso coragem para dizer isso. Aqui você não precisa esconder nada, e eu levo isso a sério.",
  ],
  opening_imminent: [
    "Que bom que você me disse. Agora a sua segurança vem primeiro; vamos um passo de cada vez.",
    "Fez bem em me dizer. Você pode estar em perigo agora, e neste momento só importa que você fique em segurança.",
    "Estou lendo e levo isso muito a sério. Agora só há uma coisa a fazer: atravessar os próximos minutos em segurança.",
  ],
  opening_other: [
    "É bom que você cuide dessa pessoa. Assusta ver assim alguém de quem se gosta, e eu levo isso a sério.",
    "Que bom que você percebeu e não deixou passar. Levo a sério o que você está me contando.",
  ],
  heard: [
    "Eu leio você, e é bom que continue escrevendo.",
    "Agradeço por você continuar aqui, consiga ou não dizer algo agora.",
    "Eu entendo. Você não precisa ter resposta para tudo.",
  ],
  heard_place: "Agradeço por me dizer onde você está.",
  heard_someone: "Que bom que há alguém aí. Por favor, conte como está difícil e fiquem juntos.",
  heard_willing: "Que bom. Por favor, faça isso agora, e continue me escrevendo enquanto isso, se ajudar.",
  heard_no: "Agradeço a sua sinceridade.",
  call_now: "Por favor, ligue agora para {emergency} ou para uma linha de crise, e diga o que você me disse.",
  call_still: [
    "Por favor, ligue agora para {emergency} ou para uma linha de crise, mesmo que seja difícil: esses serviços existem para isso.",
    "O mais importante ainda é ligar agora para {emergency} ou para uma linha de crise.",
  ],
  emergency_unknown: "o número de emergência do seu país",
  be_with_someone:
    "Vá agora para perto de alguém, ou peça a alguém que venha e fique com você: uma amizade, a vizinhança, a família, quem estiver perto. Estar com uma pessoa ajuda.",
  distance: "Fique longe de tudo o que você poderia usar para se machucar: vá para outro cômodo, saia de casa ou peça a alguém que leve embora.",
  stay_with_them: "Fique com essa pessoa, se puder fazer isso sem perigo para você, ou garanta que alguém esteja com ela até chegar ajuda.",
  resources_intro: "Com quem você pode falar ({place}):",
  resources_both: "Há mais de um lugar com esse nome. Escolha aquele onde você está:",
  resource_stale: "dados de {date}; confirme no site",
  no_resources: "Não tenho nenhuma linha confirmada para {place}. Estes diretórios reúnem serviços por país:",
  directories: "Estes diretórios reúnem serviços gratuitos e confidenciais por país:",
  ask_location: "Em que país você está, para que eu possa mostrar serviços que funcionam aí?",
  resources_again: [
    "Os serviços que mostrei continuam aí para você, quando quiser falar com alguém.",
    "Você pode procurar a qualquer momento os serviços de antes, mesmo que já tenha ligado.",
  ],
  ask_plan: "Você já pensou em como faria isso?",
  ask_means: "Há algo ao seu alcance com que você poderia se machucar?",
  ask_time: "Você já pensou em quando?",
  ask_someone: "Há alguém com você agora, ou alguém que possa vir e ficar com você?",
  ask_willing: "Você aceitaria ligar ou escrever para um desses serviços, ou para alguém de confiança, enquanto conversamos?",
  ask_barriers: "O que torna difícil, agora, procurar alguém?",
  human_care:
    "Conte também a alguém de confiança e fale com um profissional, por exemplo no posto ou centro de saúde. Você merece ter pessoas ao seu lado, e pode pedir isso.",
  coping: [
    "Até lá, pode ajudar soltar o ar devagar algumas vezes, ou segurar algo frio e reparar na sensação.",
    "Nos próximos minutos, pode ajudar ficar onde há outras pessoas, beber um pouco de água e adiar qualquer decisão.",
    "Se puder, olhe em volta e nomeie algumas coisas que você vê e ouve. O que é muito intenso sobe e depois também desce.",
  ],
  ai_limits: "Sou uma IA, não uma pessoa. Não vejo onde você está e não posso ligar para ninguém por você.",
  nobody_watching: "Nenhuma pessoa está lendo esta conversa, por isso, por favor, não espere que alguém perceba.",
  somebody_told: "A equipe deste serviço recebeu um aviso. Por favor, não espere por ela: se você está em perigo, ligue agora.",
  stay: [
    "Continuo aqui, e podemos conversar o tempo que você quiser.",
    "Você pode continuar me escrevendo a qualquer momento.",
    "O que você quiser me contar agora, eu leio.",
  ],
  not_saved:
    "O que você escreveu talvez não tenha sido guardado agora, e talvez eu não me lembre. Por favor, envie de novo daqui a pouco; se você está em perigo, ligue agora para o número de emergência do seu país.",
  limited: "As verificações de segurança estão limitadas neste momento. Se precisar de apoio, você encontra um serviço aqui: {directory}",
  disclosure:
    "Sou uma IA de companhia, não uma pessoa, e posso errar. Para assuntos de saúde ou de segurança, fale com alguém de confiança ou com um profissional.",
  apology: "Desculpe, não consegui dar uma boa resposta. Pode dizer de novo, talvez com outras palavras?",
};
