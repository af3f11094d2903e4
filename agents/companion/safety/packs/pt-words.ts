import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";
import { shortForms } from "./short-forms.ts";

/** Words of Portuguese: what tells it from other languages, lists that its patterns name, short forms, and words in which a slip is forgiven. */
export const portugueseWords: Pick<RulePack, "detect" | "words" | "abbreviations" | "lexicon"> = {
  detect: {
    words: rows(`
      não, nao, eu, você, vc, estou, tô, tou, uma, um, mas, quero, minha, meu, tudo, muito, já, hoje, pra, para, isso, isto, com, sem, também,
      ninguém, nada, vida, ela, ele, são, tenho, fazer, agora, obrigado, obrigada, olá, oi, foi, vou, mais, amanhã, noite, sinto, posso, gente,
      todos, os, as, do, da, dos, das, em, no, na, ao, à, que, mim, comigo, sou, meus, minhas, todo, porque, quando, nunca, sempre, aqui, esta, essa,
      esse, está, mãe, pai, só, contar, contar-me, subir, esforçar, esforço, ponta, monta, morder, pulos, somar, pulsar, cotar, temer, tomem, montar
    `),
    script: "Latin",
  },
  words: {
    or: rows("ou, nem"),
    self: ["eu", "me", "mim", "comigo", "meu", "minha"],
    contrast: ["mas", "porém", "embora", "contudo"],
    want: rows("quero, queria, quis, quisera, desejo, desejava, gostaria, gostava, preciso, prefiro, preferia, quereria, qro"),
    going: rows(`
      vou, penso, planejo, planeio, decidi, decidido, decidida, pretendo, tentei, tento, tentar, disposto, disposta, ia, irei
    `),
    kill: rows(`
      me matar, matar-me, me suicidar, suicidar-me, me enforcar, enforcar-me, me envenenar, tirar a minha vida, tirar minha vida,
      tirar a própria vida, tirar minha própria vida, me afogar, afogar-me, me desviver, acabar com a minha vida, acabar com minha vida,
      cometer suicídio, pôr fim à vida, pôr termo à vida, dar um fim na minha vida, dar fim à minha vida, dar cabo de mim, dar um tiro,
      me dar um tiro, acabar comigo, tirar a vida, me matá, mi matar, estourar os miolos, estourar meus miolos, me jogar da ponte, cortar os pulsos,
      me pendurar
    `),
    jump: rows("pular, saltar, jogar, atirar, atirar-me, lançar, pulo, salto, jogo, atiro, tacar, atirando, me_jogar"),
    high: rows(`
      ponte, prédio, janela, telhado, terraço, varanda, sacada, viaduto, penhasco, abismo, trem, comboio, metrô, metro, andar, laje, parapeito,
      passarela, trilhos, linha, falésia, precipício, carro, caminhão, camião, ônibus, rio, água, arriba
    `),
    place: rows(`
      ponte, telhado, terraço, varanda, sacada, viaduto, penhasco, abismo, trilhos, trilho, laje, parapeito, passarela, plataforma, beira, beirada,
      falésia, precipício, carris, linha do comboio, linha do trem, cais, muro, grade, corrimão, arriba, topo
    `),
    pills: rows(`
      comprimido*, remédio*, pílula*, medicamento*, cartela*, rivotril, clonazepam, paracetamol, antidepressivo*, calmante*, medicação, cápsula*,
      dorflex, dipirona, insulina, ansiolítico*, tarja preta, xanax, benuron, ben-u-ron, blister*, lamela*, medicamentos, tramal
    `),
    poison: rows(`
      veneno, chumbinho, água sanitária, lixívia, raticida, pesticida, agrotóxico, soda cáustica, cândida, veneno de rato
    `),
    all: rows(`
      todos, todas, tudo, toda, inteira, inteiro, inteiras, caixa*, frasco*, cartela*, monte, montão, punhado, vários, muitos, vinte, trinta,
      quarenta, cinquenta, cem, 20, 30, 40, 50, 60, 100, overdose, um monte, embalagem, demais, vidro, lamela*
    `),
    took: rows("tomei, engoli, bebi, ingeri, tomar, engolir, tomado, mandei, virei, tomei-os, engolido"),
    weapon: rows(`
      faca, lâmina*, gilete, navalha, estilete, arma, revólver, pistola, espingarda, canivete, bisturi, caçadeira, xizato
    `),
    tool: rows(`
      corda, laço, cinto, arma, revólver, pistola, espingarda, veneno, chumbinho, gilete, lâmina*, balas, caçadeira, forca
    `),
    hand: rows(`
      mão, mãos, mesa, frente, lado, carregada, carregado, pronta, pronto, prontos, cama, gaveta, criado-mudo, bolso, colo
    `),
    day: rows(`
      segunda, terça, quarta, quinta, sexta, sábado, domingo, aniversário, natal, niver, fim de semana, réveillon, sexta-feira
    `),
    soon: rows(`
      hoje, amanhã, agora, hoje à noite, esta noite, essa noite, logo, daqui a pouco, já já, madrugada, mais logo, hj, amnh, dessa noite
    `),
    people: rows(`
      amigo, amiga, irmão, irmã, mãe, pai, filho, filha, namorado, namorada, marido, esposa, mulher, ex, primo, prima, colega, vizinho, vizinha, tio,
      tia, avó, avô, parceiro, parceira, aluno, aluna, sobrinho, sobrinha, mano, mana, chefe, miúda, miúdo, rapariga, rapaz, moça, cara, alguém,
      paciente, conhecido, conhecida, bff, guri, menina, menino, enteado
    `),
    body: rows("braço, braços, pulso, pulsos, perna, pernas, coxa, coxas, pele, veias, antebraço, antebraços, barriga"),
    dead: rows("morto, morta, mortos, defunto"),
    no: rows("não, nao, n, ñ, nunca, jamais, num"),
  },
  abbreviations: shortForms(`
    vc = você, vcs = vocês, hj = hoje, amnh = amanhã, tbm = também, tb = também, pq = porque, mt = muito, mto = muito, mta = muita, ngm = ninguém,
    nd = nada, td = tudo, tds = todos, ñ = não, qro = quero, qria = queria, qnd = quando, tô = estou, tou = estou, tava = estava, msm = mesmo,
    smp = sempre, fds = fim de semana, obg = obrigado, blz = beleza, oq = o que, dps = depois, vdd = verdade, mds = meu deus, agr = agora,
    suissidio = suicídio
  `),
  lexicon: rows(`
    suicidar, quero, suicídio, matar, morrer, enforcar, comprimidos, remédios, desaparecer, sumir, despedida, veneno, morta, morto, pulsos, cortar,
    engoli, tomei, ponte, pular, adeus, suicida, suicidas
  `),
};
