import { frameIds, type RulePack } from "throughline/safety";
import { everyday } from "./everyday.ts";
import { portugueseFrames } from "./pt-frames.ts";
import { portugueseWords } from "./pt-words.ts";
import { rows, softRows, together } from "./rows.ts";

/** What Portuguese says in danger, as it is written in Brazil and in Portugal. Verbs in the first person and `me` stand for the writer, so that a wish
 * that is taken back ("não quero morrer") stands with the idioms: a bare "não" would reach the next sentence of who writes without stops. */
export const portuguesePack: RulePack = Object.freeze<RulePack>({
  language: "pt",
  version: "2026-11-21.3",
  coverage:
    "Wishes to die, plans, acts, farewells and self-harm in everyday Portuguese of Brazil and Portugal, also without accents and in chat spelling. " +
    "Of 16 grave messages written after its rules, 10 were found at 2 or more, and of 20 harmless ones none; the rules were widened since. " +
    "What is said in irony or in the Portuguese of Africa, or without any usual word, is missed.",
  support: "partial",
  ...portugueseWords,
  concepts: {
    wish_to_die: [
      ...rows(`
      ir ~1 embora|sair|partir ~1 deste|desse|do ~1 mundo, sair_desta_vida|deixar_este_mundo|deixar_esse_mundo, quero|queria ~1 morre,
      a_única_coisa_que ~4 morrer|morta|morto|estar_morta, não ~1 aguento ~1 mais ~1 viver, sonho|sonhando|imploro|suplico ~2 em|com ~2 morrer|morte,
      apetece-me|apetece ~2 morrer|não_viver|não_existir, apetece-me morrer, só|apenas ~1 queria|quero ~1 estar|era ~1 {dead}, melhor {dead},
      botão ~4 morrer|sumir|desaparecer, me ~1 deixem|deixa|deixe ~1 morrer, {no} ~1 mereço ~1 viver|estar_viva|estar_vivo,
      {no} ~1 devia|deveria ~1 estar_viva|estar_vivo|viver, {no} ~1 tenho ~1 mais? ~1 vontade ~1 de_viver|de_existir,
      {no} ~2 estar ~1 cá|viva|vivo|neste_mundo, {no} ~1 suporto|aguento ~1 mais? ~1 viver|estar_viva|estar_vivo, morrer ~1 logo|já|agora|de_uma_vez,
      já_não ~1 quero|queria ~1 viver|estar_cá|existir, {want} ~2 morrer, {want} ~1 estar|ter|era ~1 {dead}|morrido, só|apenas ~1 {want} ~2 morrer,
      vontade|ganas ~2 de ~1 morrer|não_viver|não_estar_vivo|não_estar_viva, tomara|oxalá|queria ~3 eu ~1 morra|morresse,
      tomara|oxalá ~2 que_eu ~1 morra|morresse, melhor ~2 {dead}|morrer|morrendo|morto, estaria|estava|era ~2 melhor ~1 {dead}|morrer|morresse,
      antes|prefiro|preferia ~2 morrer|{dead}, {no} ~1 {want} ~1 mais? ~1 viver|viva|vivo|continuar_vivo|continuar_viva|vida,
      {no} ~1 {want} ~2 estar ~1 vivo|viva|neste_mundo|nesse_mundo|aqui, {no} ~1 {want} ~2 continuar ~1 vivendo|viver|a_viver|aqui|viva|vivo,
      {no} ~2 vontade ~1 de ~1 viver, sem ~1 vontade ~1 de ~1 viver, perdi ~2 vontade ~1 de ~1 viver,
      farto|farta|cansado|cansada|cansei|exausta|exausto ~1 de ~1 viver|estar_viva|estar_vivo|vida|existir|da_vida,
      cansado|cansada|farta|farto|cansei ~2 da|desta|dessa|de|com ~1 vida, deixar|parar ~1 de ~1 viver|respirar,
      morte ~3 única|solução|saída|alívio|libertação|paz, morrer ~3 única|solução|saída|alívio|melhor|mais_fácil,
      peço|rezo|oro|imploro ~4 morrer|morte|morra|me_leve|me_levar, desejo ~3 morte|morrer, espero|quero ~1 a ~1 morte,
      deus|senhor ~2 me ~1 leve|leva|levar|levasse
    `),
      ...softRows(`
      morrer_em_paz|queria_morrer|morrer_logo
    `),
    ],
    passive_death: rows(`
      se_eu ~2 não_acordar|não_acordasse ~3 tudo_bem|melhor|tanto_faz|bem, {no}_acordar_amanhã|não_acordar_mais,
      dormir|durmo ~1 pra_sempre|para_sempre, dormir|durmo|adormecer|deitar ~5 {no}|nunca ~2 acordar|acorde|acordasse|mais,
      {no} ~1 acordar|acordasse|acorde ~1 mais|amanhã|nunca, {want}|queria ~3 {no} ~1 acordar|acordasse, {no} ~1 {want} ~2 acordar,
      dormir|adormecer ~2 pra_sempre|para_sempre|eternamente,
      carro|ônibus|caminhão|autocarro|camião|trem|comboio ~3 me ~2 atropel*|pegasse|acertasse|levasse, ser ~1 atropelad*,
      tanto_faz|tanto_me_faz|indiferente ~4 viver|morrer|morro|vivo|viva, {no} ~2 importa*|importo ~3 morrer|morresse|acordar|acordasse|morro,
      se_eu ~2 morresse|morrer|sumisse|sumir|desaparecesse ~5 ninguém|melhor|diferença|falta|tanto|igual|notar*,
      tomara|queria|oxalá ~4 acontec* ~2 comigo|me, doença|câncer|cancro|acidente ~4 alívio|tomara|sorte
    `),
    ideation: rows(`
      ideia|pensamento ~1 de ~1 {kill}|morrer|acabar_com_tudo, ideia_de_me_matar|ideia_de_morrer|ideia_do_suicídio,
      penso|pensando|pensar|pensei ~4 morte|suicídio|morrer|{kill}, cada_vez_mais ~2 morte|suicídio|morrer,
      imaginando|imagino|imaginar ~3 minha_morte|meu_velório|meu_enterro|pular|morrer|morta|morto, seriamente|sério ~2 suicídio|{kill}|me_matar,
      a_pensar|ando_a_pensar ~2 em ~2 morrer|acabar|matar-me|suicídio,
      penso|pensei|pensando|pensar|pensado|pensava ~2 em|no|na|nisso ~2 {kill}|morrer|suicídio|morte|me|acabar|pular|sumir_da_vida|desistir_da_vida,
      a_pensar ~2 em|no|na ~2 {kill}|morrer|suicídio|morte|acabar, pensamentos|ideias|ideação ~2 suicida*|suicídio|morte|morrer|acabar,
      passa|passou|passando|vem|veio ~2 cabeça|mente ~5 {kill}|suicídio|morrer|acabar|morte, pela_cabeça|na_cabeça ~4 {kill}|suicídio|morrer|acabar,
      imagino|imaginando|imaginar|fantasio ~5 {kill}|morrer|morte|pular|funeral|morta|morto|velório,
      considero|considerando|considerei|cogito|cogitando|cogitei|ponderado|pondero ~3 suicídio|{kill}|tirar|acabar|morrer,
      tentada|tentado|tentação ~4 {kill}|pular|tomar|acabar, suicídio ~3 saída|opção|solução|única,
      pesquisei|pesquisando|pesquiso|procurei|procurando|pesquisar|googlei ~5 morrer|{kill}|suicídio|formas|maneiras|indolor,
      como_seria ~2 morrer|{dead}|não_estar, sou|estou|ando|fiquei ~2 suicida
    `),
    kill_self: [
      ...rows(`
      bater|jogar|enfiar|bato|jogo|atirar ~2 o_carro|carro|moto ~4 poste|muro|árvore|caminhão|contra, me ~1 deixar|deixo ~1 morrer|cair,
      vou|quero|vontade ~2 me ~1 atirar|jogar|pendurar|enforcar|afogar, vou|quero ~1 enforcar-me|atirar-me|afogar-me|matar-me,
      vou|{want} ~1 pular|saltar ~2 da|do|daqui|desta, atirar-me|me_atirar|me_jogar ~2 ponte|linha|trem|metrô|comboio|prédio|janela|carro,
      acabar|acabo ~1 com ~1 a? ~1 minha_vida|esta_vida|tudo_de_vez, {want}|{going} ~2 {kill}, vontade|ganas|coragem ~2 de ~1 {kill},
      acho|sinto|vez|dia|noite ~2 que? ~1 vou ~1 {kill},
      me_suicidar|suicidar-me|me_enforcar|enforcar-me|tirar_minha_vida|tirar_a_minha_vida|cometer_suicídio|acabar_com_a_minha_vida|acabar_com_minha_vida,
      eu|hoje|vou|juro|agora|já me_mato|mato-me|me_suicido|suicido-me|me_enforco, me_mato ~2 hoje|agora|amanhã|logo,
      vou-me|vou_me matar|suicidar|enforcar,
      acabar|acabo|terminar|termino|acabava ~1 com ~1 tudo|isso_tudo|isto|minha_vida|esta_vida|essa_vida|essa_dor|sofrimento|dor,
      pôr|por|dar|colocar|botar|ponho|dou ~1 um? ~1 fim|termo|ponto_final ~3 vida|tudo|isso|isto|sofrimento|dor|mim|existência,
      tirar|tiro ~1 a? ~1 minha|própria ~1 vida, meter|dar|dou|meto|enfiar ~2 tiro|bala ~3 cabeça|mim|boca|peito,
      {want}|vou|vontade|ia ~1 me ~1 {jump}, me ~1 {jump} ~3 {high}, {want}|vou|vontade|penso ~3 {jump} ~3 {high},
      vou|{want}|vontade ~1 pular|saltar $, {jump} ~1 da|do|de|na_frente|à_frente|debaixo ~2 {high},
      cortar|corto|abrir ~1 os|as|meus|minhas ~1 pulsos|veias, tomar|engolir|tomo|engulo ~2 {all} ~4 {pills}|{poison},
      vou|{want} ~2 tomar|engolir ~2 {all}, tomar|beber ~2 {poison}, atentar|atentado ~2 minha_vida|própria_vida,
      me ~1 encontr* ~3 {dead}|pendurad*|enforcad*, morrer ~2 hoje|amanhã|agora|esta_noite|essa_noite|logo
    `),
      ...softRows("me_matar|matar-me|mi_matar"),
    ],
    injure_self: rows(`
      arranho|mordo|bato|belisco ~3 braço*|perna*|rosto|pele|cabeça ~4 sangr*|dor|parede, até ~1 sangrar,
      me_machuco|me_firo|magoo-me ~1 pra|para|quando|porque|escondid*|sempre, me_cortando ~2 escondid*|ainda|sempre|braços|coxas,
      me_corto|me_cortei|corto-me|cortei-me|me_cortar|me_machuco|me_queimo, sem_me_cortar ~5 ontem|recaí|hoje|voltei, recaí ~5 cort*|machuc*,
      me ~1 bato|arranho|mordo|belisco ~4 castig*|sentir|sangr*|propósito, castigar ~3 cort*|dor,
      me ~1 machucar|machuco|machuquei|machucando|ferir|feri|magoar|magoo|mutilar|mutilo|automutilar,
      magoar-me|ferir-me|cortar-me|mutilar-me|cortei-me|queimar-me|corto-me, automutil*|auto-mutil*|autoles*|autolesão,
      fazer|fiz|faço ~1 mal ~1 a_mim|mim, me_fazer|me_faço|fazer-me mal,
      me ~1 cortar|corto|cortei|cortando|cortava ~4 {body}|novo|outra|ontem|hoje|aliviar|sentir|dor|propósito|gilete|lâmina*|banheiro|sempre|escondid*|acalm*,
      vontade|preciso|quero|necessidade ~2 de? ~1 me_cortar|me_queimar|me_arranhar|cortar-me,
      voltei|recaí|recomecei|voltar|comecei|volto ~4 cortar|cortei|mutilar|machucar|queimar, cortei|cortando|corto|cortar ~3 {body},
      me ~1 queimo|queimei|queimar|arranho|bato|bati|soco ~5 {body}|propósito|sentir|castigar|cigarro|isqueiro,
      cortes|cicatrizes|marcas ~4 {body}|escondo|esconder|manga*, escondo|esconder ~2 cortes|cicatrizes|marcas,
      me_corto|corto-me|me_cortar|cortar-me|me_cortando
    `),
    plan: [
      ...rows(`
      hoje_à_noite|hoje|esta_noite|amanhã ~1 eu ~1 tomo|engulo ~1 tudo|todos, eu_tomo_tudo|vou_tomar_tudo,
      esperando|espero|esperar|à_espera ~4 dormir*|dormirem|sair*|saírem|adormec* ~4 tomar|fazer|pular|acabar|me_matar,
      quando ~5 dormirem|saírem|saíssem|dormir|sair ~3 vou_fazer|eu_faço|faço_isso|eu_vou|acabo,
      minha_dor|meu_sofrimento|a_dor ~1 acaba|termina|vai_acabar|acabará,
      quando ~3 acharem|encontrarem|lerem|acharem-me ~4 já ~3 ido|partido|morto|morta|embora, já ~1 vou_ter_ido|terei_partido|terei_ido,
      eu ~2 não_vou ~1 mais? ~1 estar ~1 mais? ~1 aqui|cá, não_vou_mais_estar|já_não_vou_estar|não_estarei_mais,
      hoje_à_noite|hoje|amanhã|logo eu_vou ~1 embora|partir|de_vez, agora|dessa_vez|desta_vez ~2 tomar|tomo ~2 dobro|mais|tudo,
      atirar-me|me_atirar|me_jogar ~4 amanhã|hoje|sexta|logo, tenho ~3 plano ~5 {kill}|morrer|acabar|suicíd*|partir|sumir,
      já ~2 decidi ~3 quando|como|dia|data|partir|acabar|morrer|ir|hora|onde, já ~1 sei ~1 como|quando|onde ~3 fazer|vou|vai|será,
      amanhã|{day} ~3 {no}|nunca ~2 vou_estar|estarei|estou|existo|existirei|acordo,
      {no} ~1 passo|passarei|passar|chego|chegarei|chegar|vou_chegar|vou_passar ~2 de|desta|dessa|até|ao|hoje ~2 hoje|noite|{day}|amanhã|semana|ano,
      {no} ~2 estarei|vou_estar|estar ~2 aqui|viva|vivo|mundo,
      desta|dessa|essa|esta vez ~4 certo|funcion*|falh*|erro|errar|consig*|encontr*|verdade|salvar*|resulta*|sério|definitiv*,
      quando|se|qdo ~2 ler*|lerem|leres|lendo|receber* ~2 isso|isto|mensagem|carta ~5 já|não|mort*|partid*|tarde|ido, parec* ~2 acidente|acidental,
      outro_lado ~3 grade|parapeito|muro|corrimão|guarda, pernas|pés ~2 pendurad*|balançando|fora|vazio,
      meu|minha|é|esta|essa|será ~1 último|última ~1 dia|noite|semana|aniversário|natal,
      tenho|está ~2 tudo ~1 planejado|planeado|decidido|marcado ~3, {no} ~1 passo|passa ~1 de|dessa|desta hoje|noite|semana|esta_noite
    `),
      ...softRows(`
      hoje|hoje_à_noite|esta_noite|amanhã eu_vou $, vai_ser|será|já_é ~1 tarde|tarde_demais $, última_mensagem|últimas_palavras|última_carta,
      quando|se ~2 ler*|lerem|leres|vires|virem ~2 isso|isto|mensagem|carta, arma|revólver|pistola ~4 carregad*,
      corda|laço ~4 amarrad*|pendurad*|pront*|atad*, {pills}|veneno|corda|arma ~2 na_minha_frente|à_minha_frente|na_mão,
      tudo ~1 acaba|vai_acabar|termina|acabou, {soon}|{day} ~4 tudo|isso|isto|eu ~1 acaba|acabará|termina|acabou|acabar|terminar|acabo,
      {soon}|{day} ~3 acaba|acabará|termina|acabo|vai_acabar ~1 tudo|isso|com|isto, amanhã|{day} ~2 já_não ~2 estarei|existo|estou|vou,
      tudo ~1 pronto|preparado ~2 partir|ir|hoje|acabar|morrer, depois ~3 tudo ~1 acaba|acabou|termina, {soon} ~2 acaba|termina ~1 tudo
    `),
    ],
    preparation: [
      ...rows(`
      já ~1 escrevi ~1 as|minhas|todas_as ~1 cartas, carta*|bilhete*|nota|vídeo ~2 de? ~1 despedida|suicídio|adeus,
      escrevi|deixei|escrevendo|gravei|deixo ~3 carta*|bilhete* ~3 todos|cada|família|pais|filhos|mesa|travesseiro|cama|despedida,
      testamento ~3 pronto|feito|assinei|escrevi|mesa|gaveta, fiz|escrevi|assinei ~2 testamento,
      me_despedi|despedi-me ~2 todos|todo_mundo|família|filhos|pais|toda_a_gente,
      juntando|guardando|juntei|guardei|acumul*|estocando|a_juntar|a_guardar|poupado ~3 {pills}
    `),
      ...softRows(`
      deixei|deixo ~2 testamento|chaves|senhas|documentos ~4 irmão|irmã|mesa|mãe|família,
      doei|dei|dando|entreguei|distribuí|reparti ~4 coisas|gato|gata|cachorro|cão|cadela|roupas|violão|livros|pertences|animais|guitarra|tudo_o,
      senhas|palavras-passe|passwords|documentos|papéis ~5 mesa|gaveta|envelope|caderno|anotad*|secretária|escrivaninha|cama|papel,
      deixei|tudo|deixo ~3 em_ordem|organizado|resolvido|arrumado|pronto|pago|tratado,
      quem|alguém ~4 cuid*|ficar ~3 gato|cachorro|cão|filhos|gata|cadela|bicho*, paguei ~2 dívidas|funeral|enterro|velório,
      apaguei|deletei|excluí|encerrei ~2 contas|redes|perfis, comprei|arranjei|consegui|arrumei|encomendei ~3 {tool}|{poison}|{pills}
    `),
    ],
    farewell: [
      ...rows(`
      carta|cartas|bilhete ~3 cada_um|todos|vocês|meus_filhos ~4 perdo*|desculp*, não ~1 me? ~1 liguem|liga|ligue|procurem ~3 tarde,
      hoje|esta_noite ~2 vou_embora ~1 pra_sempre|para_sempre, mãe|pai ~2 te_amo|amo-te|amo_você ~3 desculp*|perdão|adeus|me_perdo*,
      cuidem|cuida|cuide ~5 não_vou ~2 estar|eu_não_estarei|quando_eu_for|quando_eu_não, me_despedi|despedi-me ~2 todo_mundo|todos|toda_a_gente,
      adeus ~2 a? ~1 todos|todas|mundo|mãe|pai|gente|família|amigos|pessoal|vida, adeus ~4 perdão|perdoem|desculp*|amo|obrigad*,
      est*|ess* ~1 é|são ~2 minha*|meu|a|o|as ~1 última*|último|últimas|últimos ~1 mensagem|carta|noite|palavras|adeus|dia|post|despedida,
      minha|minhas|meu última|últimas|último|últimos mensagem|palavras|carta|adeus|recado|dia, última_mensagem|últimas_palavras,
      é|esta ~1 a? ~1 minha ~1 despedida, quando|se ~2 ler*|lerem|leres|lendo|receber*|vires|virem ~2 isso|isto|mensagem|carta,
      diz|diga*|digam|fala|falem|dizer ~5 amo|amava|amei|desculp*|perdão|adoro|gosto_dela|amo-a|amo-o|quero_bem,
      desculp*|perdão|perdoem ~5 não_aguent*|não_consegui|amo_vocês|não_fui|fraca|fraco|forte, {no} ~1 me ~1 procur*|chor*|esqueç*|esper*,
      {no} ~1 chor*|procur* ~2 por|me, sejam|seja|sê ~1 feliz|felizes, culpa ~2 {no} ~2 de_ninguém|vossa|sua|tua|vocês,
      {no} ~1 é|foi ~1 culpa ~1 de|sua|tua|vossa,
      nos ~2 vemos|encontramos|veremos|vemo-nos ~3 na_outra_vida|no_céu|do_outro_lado|noutra_vida|outra_vida $,
      vou|vou-me|parto ~2 embora ~1 para_sempre|pra_sempre|deste_mundo|desse_mundo, parto ~2 paz|sempre,
      amo ~1 vocês|todos|vos ~3 perdo*|desculp*|adeus|esqueç*|culpa|muito_obrigad*, sempre ~2 amei|amarei|vou_amar ~2 vocês|todos|vos|te, ^ adeus $,
      ninguém ~1 tem ~1 culpa
    `),
      ...softRows(`
      perdoem-me|me_perdo*|perdoa-me|perdão|desculp* ~3 por|pela|pelo ~2 tudo|isso|isto|dor|não_ter|fazer|sofrimento,
      cuida*|cuidem|cuide|tomem_conta|toma_conta|tratem ~2 da|do|dos|das|de ~2 mãe|filho*|filha*|irmã*|irmão*|gato|gata|cachorro|cão|cadela|família|uns|mim|avó,
      obrigad* ~1 por ~1 tudo ~4 adeus|amo|desculp*|perd*|tentei|tchau, obrigad*_por_tudo ~2 adeus|tchau, já_não ~2 vou_estar|estarei ~1 aqui|cá,
      adeus
    `),
    ],
    act_done: rows(`
      tomei|engoli|bebi ~1 já? ~1 metade|quase_tudo|quase_todos, metade ~3 tomei|engoli,
      abri|cortei|rasguei ~1 os|as|meus ~1 braços|pulsos|veias ~5 sangue|sangr*, muito_sangue,
      virar|virei|mandei|matei|tomar|tomando ~2 {all} ~3 {pills}|{poison}, acabei ~1 de ~1 virar|mandar|tomar|engolir ~3 {all}|{pills},
      injetei|injetado|apliquei ~3 {all}|insulina, sangue ~2 todo_lado|toda_parte|todo_o_lado|tudo|por_todo,
      cortei ~2 fundo|profundo|mais_fundo|demais, acabou ~1 de ~1 tomar|engolir|se_cortar|cortar ~4 {all}|{pills}|pulsos,
      tomei ~3 {pills} ~4 álcool|vodka|bebida|cerveja ~2 todos|tudo|muitos, {took}|tomado|engolido ~2 {all} ~4 {pills}|{poison}|gaveta|armário,
      tomei|engoli|mandei_para_dentro|bebi|tomei-os ~2 {all}, tomei|engoli ~3 # ~1 {pills},
      acabei|acabo|acabar ~1 de ~1 tomar|engolir|beber|ingerir ~4 {all}|{pills}|{poison}|#,
      {took} ~4 {pills} ~4 {all}|morrer|acordar|dormir|sono|morta|morto, {pills} ~3 {all} ~2 tomei|engoli, já ~1 os? ~1 tomei|engoli ~2 {all},
      bebi|tomei|engoli|ingeri ~3 {poison}, tive|tomei|fiz|fazendo ~2 overdose, injetei|apliquei ~3 {all}|insulina,
      cortei|abri ~1 os|as|meus|minhas|me ~1 pulsos|veias, cortei|cortei-me|corte ~3 fundo|profundo|demais,
      {no} ~2 para|pára|parar|estanca|consigo_parar ~2 de|o|a? ~1 sangrar|sangue|sangramento,
      sangue|sangrando|sangrar|sangramento ~4 {no} ~1 para|pára|estanca|parar, muito_sangue|sangue ~2 todo|toda|tudo|chão|banheiro|lado,
      me_esvaindo|esvair-me|estou ~2 sangrando|sangrar ~2 muito|bastante|imenso,
      já ~1 fiz|está_feito|tá_feito ~5 volta|tarde|adeus|perd*|comprimidos|sono|desculp*, eu ~1 já ~1 fiz ~1 isso|isto,
      tarde_demais ~5 salvar|ambulância|mim|ajuda|já|samu|inem, é|já_é ~1 tarde ~1 demais|de_mais,
      {no} ~2 chame*|liguem|ligue ~3 ambulância|samu|inem|polícia|bombeiros,
      estou|começo|começando|começar ~3 sono|tonta|tonto|sonolent*|zonz*|fraca|apagar ~5 {pills}|tomei|todos,
      {pills} ~4 fazer_efeito|fazendo_efeito|a_fazer_efeito, começ* ~2 fazer_efeito, corda|cinto|laço ~3 pescoço, abri|liguei|deixei ~1 o ~1 gás,
      me ~1 enforquei|joguei|atirei ~3 {high}|ponte, tomou|engoliu ~3 {all} ~4 {pills}|{poison}, cortou ~2 pulsos
    `),
    past_attempt: rows(`
      já_tentei ~2 antes|outras|uma_vez|vezes, tentei_antes, tentei|tentado|tentar ~3 {kill}|suicídio|morrer|contra_minha_vida,
      já ~1 me ~1 tentei ~1 matar|suicidar, tentativa* ~2 de? ~1 suicídio, minha|última|primeira|outra tentativa,
      última|outra|primeira vez ~4 encontr*|salv*|falh*|tentei|sobrevivi|lavagem|descobr*|acharam,
      sobrevivi ~4 suicídio|tentativa|overdose|comprimidos
    `),
    do_it: [
      ...rows("um|só_um|mais_um passo, vou ~1 soltar|me_soltar|puxar|largar|largar-me|apertar"),
      ...softRows(`
      olhando|olho|olhar|vejo ~3 baixo|pra_baixo|vazio, na_beirada, vou ~2 fazê-lo|fazer_isso|fazer_isto|fazer_mesmo,
      vou ~1 fazer ~2 hoje|agora|esta|essa|amanhã|logo|isso|isto|mesmo|já,
      pronto|pronta|decidido|decidida|coragem|preparad* ~2 para|pra|de ~2 ir|partir|fazer|isso|morrer|pular|acabar|fazê-lo,
      chegou|é ~1 a|o ~1 hora|momento|dia, é|vai_ser|será hoje|agora|esta_noite|essa_noite que, vai_ser|será hoje|esta_noite|essa_noite|amanhã,
      fazer|fazê-lo ~1 hoje|agora|esta_noite|essa_noite ~2 isso|mesmo
    `),
    ],
    means: softRows("{tool}|{weapon}|{poison}, {all} ~2 {pills}"),
    means_in_hand: [
      ...rows(`
      corda|laço|cinto ~3 presa|preso|pronta|amarrad*|pendurad*, cadeira|banco|banquinho ~3 pront*|corda|laço,
      {pills}|{tool}|{weapon}|{poison} ~4 {hand}, frente|mão|mãos ~3 {pills}|{tool}|{weapon}|{poison},
      juntando|guardando|juntei|guardei|acumul*|estocando|a_juntar|a_guardar|poupado ~3 {pills}, arma|revólver|pistola ~4 carregad*|pai|gaveta|avô,
      corda|cinto|laço ~4 amarrad*|pendurad*|pront*|teto|viga|atad*|árvore|presa
    `),
      ...softRows(`
      tenho|estou_com|peguei|comprei|consegui|arranjei|guardei|preparei|achei|pego ~3 {tool}|{weapon}|{poison},
      tenho|estou_com|peguei ~3 {all} ~3 {pills}|{poison}, comprei|arranjei|consegui|arrumei|encomendei ~3 {tool}|{poison}|{pills}|{weapon},
      contando|contei|a_contar ~2 {pills}, {pills} ~3 suficiente*|bastante*|contad*|separad*|guardad*|alinhad*
    `),
    ],
    time_near: softRows(`
      {soon}, esta|essa|nesta|nessa ~1 noite|tarde|madrugada|semana|manhã,
      em|daqui|dentro ~1 a|de|uma|umas|poucas|# ~1 hora|horas|minutos|instantes|dias|pouco, neste|nesse|este|esse|no|na|próxim* ~1 {day},
      quando ~4 dormir*|dormirem|saírem|sair|dormindo|adormecer*|saírem, assim_que ~4 dormir*|sair*|adormecer*,
      antes ~2 amanhecer|meia-noite|{day}|noite|que|de_amanhã, à|as|às meia-noite|# horas?, depois ~2 {day}, {day} ~1 à_noite|que_vem|de_manhã
    `),
    lethal_place: [
      ...rows(`
      pés|pernas ~3 fora|vazio|ar ~3 beirada|ponte|parapeito|janela|grade, {people} ~2 está|subiu|sentado ~3 telhado|ponte|viaduto|trilhos,
      nos|sobre_os|na|nas ~1 trilhos|carris|linha_do_trem|linha_do_comboio, sentad*|deitad*|parad* ~2 linha ~3 trem|comboio,
      sentad*|em_pé|parad*|subi ~3 beirada|parapeito|grade|corrimão|mureta|beiral, trilhos|linha|carris ~4 trem|comboio ~3 passa|vem|minutos|chega,
      andar ~3 janela ~2 aberta, janela ~3 aberta ~3 pular|saltar, estou|sentad*|parad* ~3 janela ~4 andar|aberta|pular|baixo,
      {place} ~5 olhando|olho|vendo|olhar|vejo ~3 baixo|água|carros|vazio|trem|comboio|chão, olhando|olho|olhar ~2 baixo|vazio|pra_baixo,
      outro_lado ~3 grade|parapeito|muro|corrimão|guarda, na|à beira|beirada ~2 ponte|prédio|telhado|plataforma|penhasco|terraço,
      pernas|pés ~2 pendurad*|balançando|vazio
    `),
      ...softRows("estou|sentad*|parad*|subi|em_pé|cheguei|vim|vou|caminhando|indo|de_pé|pé|debruçad*|aqui ~4 {place}"),
    ],
    alone_now: softRows("estou ~2 sozinh*|só, sozinh* ~2 em_casa"),
    secrecy: [
      ...rows("parec* ~2 acidente"),
      ...softRows(`
      {no} ~2 conte*|conta|diga*|digas|fale|fala|contes ~3 ninguém|mãe|pais, {no} ~2 chame*|ligue*|liguem ~3 polícia|ambulância|samu|ninguém|inem,
      ninguém ~1 desconfia|suspeita|vai_saber|vai_desconfiar
    `),
    ],
    hopeless: rows(`
      tudo ~2 indiferente|igual|tanto_faz, não_tenho ~1 futuro|esperança|saída, já_nada_importa|nada_importa|nada_mais_importa,
      {no}_sei ~1 quanto ~3 aguentar|aguento|suportar, quanto_tempo ~3 aguentar|aguento, qual ~1 o? ~1 sentido ~2 disso|disto|tudo|viver|vida,
      pra_que|para_quê ~1 isso_tudo|tudo_isso|viver|continuar, já_desisti|desisti_de ~1 tudo|mim|viver,
      {want} ~1 que ~1 tudo|isso|isto ~1 acabe|pare|termine, estou ~1 no_limite|no_meu_limite, {no}_tenho_forças|sem_forças,
      sem ~1 sentido|saída|esperança|esperanças|futuro|forças|rumo,
      {no} ~1 vejo|há|tem|tenho|existe|encontro ~3 saída|futuro|esperança|solução|motivo*|razão|razões|jeito|forças|sentido|porquê,
      nenhum|nenhuma ~1 saída|esperança|motivo|razão|solução, nada ~1 vale ~2 pena,
      para_quê|pra_que|pra_quê|para_que|por_que|porquê ~2 viver|continuar|continuo|vivo|existir|tentar|seguir|insistir,
      {no} ~1 aguento|suporto|consigo|dá|posso|aguentando ~1 mais, já_não|não ~1 aguento|suporto|consigo|posso ~2 viver|dor|vida|continuar,
      cansei|cansada|cansado|farta|farto|exausta|exausto ~1 de ~1 tudo|lutar|sofrer|tentar|existir|ser|mim,
      nada|nunca ~2 vai_melhorar|melhora|muda|vai_mudar|dar_certo|melhorar|dá_certo,
      minha|a_minha|essa|esta vida ~3 merda|inferno|lixo|acabou|droga|desgraça|fracasso|nada,
      me_odeio|odeio-me|odeio_minha_vida|odeio_a_minha_vida|odeio_viver, {want} ~2 que ~3 acabe|pare|termine|acabasse|parasse,
      fundo_do_poço|beco_sem_saída|fim_da_linha, nada|vida|tudo|viver|existir ~3 sentido,
      {no} ~1 vejo|acho|encontro|tem ~1 sentido ~2 em|na|nisso|viver|vida|nada,
      {no} ~1 vale ~1 a? ~1 pena ~1 viver|continuar|existir|nada|estar|lutar, vida ~3 não_vale|não_vale_a_pena,
      desisto_de_tudo|desisti_de_tudo|desisti_de_mim|desisti_da_vida|desisto_da_vida|quero_desistir_de_tudo|vou_desistir_de_tudo|vou_desistir_da_vida,
      perdi ~2 esperança*|fé ~2, perdi_as_esperanças|perdi_a_esperança, não_há|não_tem ~1 mais ~1 nada ~2 mim|fazer|esperar
    `),
    burden: rows(`
      me_sinto ~1 um ~1 estorvo|peso|lixo|fardo,
      se_eu ~1 não_existisse|não_estivesse|sumisse|morresse ~4 melhor|fácil|tranquil*|feliz|felizes|alívio, não_valho ~2 nada|ninguém,
      viveria|viveriam|seria|seriam|ficaria|ficariam|estaria|estariam ~3 melhor|felizes|em_paz ~3 se_eu_não|sem_mim|se_eu_sumisse,
      melhor ~1 se_eu ~1 não ~1 existisse|estivesse|tivesse_nascido, ninguém ~1 se? ~1 importa ~1 comigo,
      sou ~3 peso|fardo|estorvo|problema|inútil|carga|incômodo|incómodo|lixo|fracasso,
      só ~1 atrapalho|incomodo|estorvo|dou_trabalho|dou_problema|faço_mal|causo, melhor ~2 sem_mim, sem_mim ~4 melhor|felizes|bem|paz|feliz|descans*,
      ninguém ~3 falta|sentiria|notaria|sentir|importa|precisa|gosta|ligar|liga|ama|perceb*|choraria|notar|saudade*, falta ~2 ninguém,
      {no} ~2 faço|faria|farei ~1 falta|diferença, {no} ~1 sirvo ~2 nada, {no} ~1 valho ~1 nada|a_pena,
      um|faria|favor ~3 todos|mundo ~3 sumir|morr*|desaparec*, estrago|estraguei|arruíno ~2 vida|tudo, estou ~1 a_mais|sobrando,
      mundo ~3 melhor ~2 sem
    `),
    disappear: rows(`
      {want}|vontade|apetece-me|dava-me ~3 sumir|desaparecer|evaporar|sumisse|desaparecesse|deixar_de_existir,
      sumir|desaparecer ~2 pra_sempre|para_sempre|mundo|tudo|vez|mapa, {no} ~1 {want} ~2 existir|estar_aqui|ser|mais_existir,
      {want} ~2 {no} ~1 existir|ter|estar_aqui|existisse, deixar|parar ~1 de ~1 existir,
      {no}|nunca ~1 ter|tivesse|devia_ter|deveria_ter ~1 nascido|existido, {no} ~1 estar ~1 aqui|cá ~1 mais, {no} ~1 nascido,
      ir ~1 embora ~1 pra_sempre|para_sempre|de_vez
    `),
    fear_of_self: rows(`
      {no} ~1 confio ~1 em_mim, medo ~2 do_que|de_mim|do ~4 posso|fazer|capaz|mim|faço|possa|vou,
      medo ~2 de ~2 fazer|me|magoar-me ~3 besteira|mal|machucar|loucura|asneira|disparate|algo|alguma|bobagem|merda|matar, medo_de_mim|medo_de_fazer,
      {no} ~1 confio ~2 em? ~1 mim, {no} ~1 me? ~1 sinto|estou ~2 segur* ~2 sozinh*|comigo|mim,
      fazer|faça|faço|fazendo ~2 besteira|loucura|asneira|bobagem|disparate|merda, {no} ~2 devia|posso|deveria|quero ~1 ficar ~1 sozinh*
    `),
    intrusive: rows(`
      pensamentos|imagens ~3 empurrar|pular|machucar|ferir ~6 nunca|não_quero|jamais|assusta*, medo ~2 pensamentos ~4 trilhos|faca|empurrar,
      pensamentos|imagens|ideias ~2 intrusiv*|indesejad*, pensamentos|imagens ~5 {no} ~1 quero|queria|controlo|controlar,
      impulso* ~3 pular|saltar|cortar|virar, vêm|surgem|aparecem|vem ~2 pensamentos|imagens
    `),
    command_voices: rows(`
      voz|vozes ~4 diz|dizem|manda|mandam|dizendo|mandando|ordenam|ordena|grita|gritam|falam|fala|a_dizer|pedem,
      ouço|escuto|ouvindo|ouvir|oiço|escutando ~2 voz|vozes, me ~1 mandam|dizem ~3 morrer|matar|pular|cortar|acabar
    `),
    distress: rows(`
      ,
      triste|deprimid*|ansios*|angustiad*|desesperad*|vazio|vazia|chorando|pânico|solidão|sozinh*|depressão|ansiedade|perdid*|exaust*|sufocad*|inútil,
      me_sinto|sinto-me ~2 mal|péssim*|horrível, {no} ~1 paro ~1 de ~1 chorar, estou ~2 mal
    `),
    violence_to_others: rows(`
      vou|{want}|vontade ~2 matar|esfaquear|atirar_em ~2 ele|ela|todos|meu|minha|alguém|esse|aquele|eles, matá-lo|matá-la|matá-los,
      vou ~1 o|a|te matar
    `),
    abuse: rows(`
      me ~2 bate|batem|bateu|agride|agrediu|estupr*|violou|viola|abusa|abusou|ameaça|ameaçou|espanca|espancou|tranca,
      bate-me|bate_em_mim|bateu-me|agride-me|violou-me|ameaça-me|abusou_de_mim|abusa_de_mim, fui|sido ~1 estuprad*|violad*|abusad*|agredid*,
      {people}|ele|ela ~2 vai|quer|ameaça* ~1 me_matar|matar-me
    `),
    eating_disorder: rows(`
      vomito|vomitar|vomitando ~4 comer|comida|refeição|depois|propósito|provoc*, provoco ~2 vômito|vómito,
      {no} ~1 como ~4 dias|nada|emagrecer|gorda, dias ~2 sem_comer, sem_comer ~3 dias,
      anorexia|bulimia|compulsão_alimentar|laxante*|purgar|purgo|anorética|anoréxica|bulímica, mereço ~1 comer,
      parar|parei|deixei|deixar ~1 de ~1 comer
    `),
    psychosis: rows(`
      me|estão_a_me ~2 perseguindo|seguindo|vigiando|espionando|envenenando|perseguem|seguem|vigiam|envenenar, perseguem-me|seguem-me|vigiam-me,
      chip ~3 cabeça|cérebro, vejo ~3 coisas|pessoas|vultos ~4 não, tv|televisão|rádio ~3 fala|mensagens|comigo,
      controlam|controlar|leem ~3 pensamentos|mente
    `),
    medical_emergency: rows("{no} ~1 consigo ~1 respirar, dor ~2 peito, enfarte|convuls*|inconsciente|desmaiad*|avc, overdose"),
    other_at_risk: rows(`
      {people} ~3 acabou ~1 de ~1 tomar|engolir|se_cortar, {people}|alguém|amigo ~5 é_suicida|suicida|se_matar,
      {people} ~5 não_quer_mais_viver|não_quer_viver|quer_morrer, {people} ~4 ponte|telhado|janela|viaduto ~4 pular|saltar,
      {people}|ele|ela ~4 quer|queria|vai|pensa|tentou|ameaça*|diz|disse|fala|planeja ~4 se_matar|matar-se|suicidar-se|se_suicidar|morrer|suicíd*|se_enforcar,
      quer|queria|vai|tentou|pensa|ameaça*|pensando ~2 se_matar|matar-se|suicidar-se|se_suicidar|se_enforcar|se_cortar|se_jogar,
      se_matar|matar-se|suicidar-se|se_suicidar, {people}|ele|ela ~3 quer ~1 morrer, {people}|ele|ela ~3 {no} ~1 quer ~2 viver,
      {people}|ele|ela ~3 tomou|engoliu ~3 {all}|{pills}|{poison} ~2 {pills}, tomou|engoliu ~2 {all} ~3 {pills}|{poison},
      {people}|ele|ela ~3 se_corta|corta-se|automutila|se_mutila|se_cortou|se_machuca|se_cortando, {people}|ele|ela ~4 suicid*|suicídio,
      {people}|ele|ela ~5 despedida|despediu|adeus, {people}|ele|ela ~6 quero_morrer|quer_morrer|não_quer_viver|quer_sumir
    `),
  },
  frames: together(frameIds, [portugueseFrames, everyday.pt]),
});
