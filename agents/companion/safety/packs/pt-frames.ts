import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";

/** What changes, in Portuguese, how the rest is meant: idioms, games, fiction, what is past, what is taken back, and answers to a question. */
export const portugueseFrames: RulePack["frames"] = {
  subject_other: rows(`
    meu|minha|um|uma|nosso|nossa|o|a ~1 {people} ~3 disse|diz|escreveu|mandou|contou|falou|postou|confessou|dizendo|publicou,
    preocupad* ~2 com ~2 {people}|ele|ela|alguém, {people} ~3 se|tomou|quer|disse_que|me_disse|falou, ele|ela se|tomou|quer
  `),
  idiom: rows(`
    última|último noite|dia aqui ~5 muda|mudo|mudamos|viajo|viajamos|volto|voltamos|avião|férias, que ~1 significa|é|quer_dizer ~2 ideação|suicid*, significa ~3 suicid*|ideação, matar|mato ~3 mosquito*|barata*|formiga*|zumbi*|inseto*,
    piada|vídeo|meme|música ~2 me_matou|me_mata, mataria ~1 por, acabar|acabamos ~2 com ~2 reforma|louça|obra|projeto|relatório,
    pular|saltar|pulo ~1 no_banho|na_piscina|no_mar|na_cama, tentou|tentativa ~2 suicídio ~2 há|faz, tentou_suicídio ~2 anos,
    {no} ~1 aguento ~1 mais ~1 esse|este|esses|essa ~1 barulho|calor|trânsito|frio|vizinho*, despedir ~2 colegas|amigos|vizinhos, esquadrão_suicida,
    cortei ~1 relações|laços, vou_fazer|faço|vou_fazê-lo ~2 amanhã|depois|mais_tarde,
    obrigad* ~1 por_tudo ~3 até_amanhã|até_logo|até_mais|até_breve|beijos|abraço*,
    morr*|morta|morto|mortos|mortinha|mortinho|matando|mata ~2 de ~2 rir|riso|fome|saudade*|vergonha|frio|calor|sono|tédio|medo|sede|inveja|ciúme*|amor|amores,
    morr*|morta|morto ~1 de ~2 cansaço|curiosidade|raiva|vontade|preguiça|susto|dó|pena|ansiedade|nervos|orgulho|tanto, a_morrer ~1 de,
    mata-me|matou-me|me_mata|me_matou|me_matando|a_matar-me|está_a_matar-me|estão_me_matando,
    mãe|pai|pais|chefe|namorada|namorado|mulher|marido|professor*|esposa|patrão|irmã ~2 vai|vão|quer|ia ~1 me_matar|matar-me,
    vai|vão me_matar|matar-me ~3 se|quando, lindo|linda|bom|boa|calor|medo|fofo|fofa ~1 de_matar|de_morrer|pra_morrer,
    matar ~1 o_tempo|aula|saudade*|tempo|fome|sede|trabalho|a_fome|a_sede|a_aula|as_saudades, matar ~2 saudade*|aula|tempo|fome|charada,
    me_matei|me_mato|matei-me|me_matar|mato-me|me_matando ~2 de? ~1 estudar|trabalhar|estudando|trabalhando|treinar|rir|academia|a_trabalhar|a_estudar|malhar,
    bateria|celular|telemóvel|carro|computador|pc|wifi|internet ~3 morr*|mort*,
    cort*|corto ~2 o|meu|a|as|minha ~1 cabelo|dedo|unha*|franja|barba|cabelos, cort* ~5 cozinha*|cebola|papel|barbea*|legumes|pão|vidro|barbear,
    pular|saltar|pulando ~3 alegria|corda|paraquedas|bungee|carnaval|piscina|etapa*|refeição|fora|cama_elástica|felicidade,
    sumir|desaparecer ~3 férias|praia|feriado|montanha|vergonha,
    {no} ~1 aguento|consigo|suporto ~1 mais ~2 de_rir|rir|calor|comer|esperar|trânsito|prova*|trabalho|tarefa*|vizinho*|aula*|barulho|estudar|exames|ver,
    {no} ~2 aguento ~1 mais? ~1 esperar|de_rir|de_tanto_rir|tanta_ansiedade, {no} ~1 aguento ~1 mais? ~1 de_rir|de_tanto_rir|esse_calor|este_calor,
    linda|lindo|bom|boa|fofo|fofa ~2 de_morrer|que_dói|pra_morrer,
    por_cima_do_meu_cadáver|beco_sem_saída_na|questão_de_vida_ou_morte|natureza-morta|peso_morto|ponto_morto|língua_morta,
    {pills} ~4 alergia|gripe|cabeça|receit*|pressão|médic*|resfriado|constipação|tiroide|tireoide,
    me_joguei|me_jogar|jogar|atirar-me ~3 sofá|cama|piscina|trabalho|estudos|mar,
    acabar ~1 com ~2 trabalho|louça|projeto|tarefa*|namoro|pizza|bolo|chocolate|prova*,
    não|nao|n {want} ~1 morrer|{kill}|me_machucar|magoar-me|fazer_mal|pular, {no} ~1 vou ~1 {kill}|me_machucar|morrer|magoar-me|fazer|pular,
    {no} ~1 estou|ando ~2 pensando|a_pensar ~3 {kill}|morrer|suicídio, nunca|jamais ~3 {kill}|me_mataria|matava|suicidaria|pensei|machucar|faria,
    {no} ~1 me_mataria|me_suicidaria|faria_mal|me_mato|me_matava, {no} ~1 tenho ~3 pensamentos|ideias|vontade|intenção ~2 suicidas|morrer|suicídio,
    {no} ~1 sou|estou ~1 suicida, sem ~1 pensamentos|ideias|intenção|vontade ~1 suicidas|de_morrer,
    está-me|está_a_me|tá_me|está_me|estão_me|vai_me|me_está ~2 matando|mata|matar_de, me_mata|me_matando|me_matou|mata-me|matou-me ~2,
    morrendo|morro|morri|morta|morto ~1 de|por ~1 ele|ela|você|tanto|um|uma|chocolate|desejo|curiosidade, medo ~1 de ~1 morrer|da_morte,
    medo_de_morrer|medo_da_morte, {no} ~1 penso ~2 em|no ~1 {kill}|morrer|suicídio,
    {no} ~1 estou ~1 pensando|a_pensar ~2 em|no ~1 {kill}|morrer|suicídio, não|nao|n {want}|vou ~1 me_matar|morrer
  `),
  joke: rows("kkk*, haha*, rsrs*, hehe*, lol, brincadeira|brincando|zoeira|zoando|a_brincar|gozar, xd*, kkkk*, huehue*"),
  fiction: rows(`
    ,
    romance|conto|roteiro|poema|filme|série|personagem|personagens|protagonista|livro|capítulo|anime|mangá|peça|temporada|novela|fanfic*|ficção|episódio,
    escrevendo|escrevo|a_escrever|escrever ~2 um|uma|meu|minha ~1 romance|conto|história|roteiro|música|poema,
    no|na|do|da filme|série|livro|jogo|novela, meu_personagem|minha_personagem
  `),
  game: rows(`
    ,
    jogo|jogando|minecraft|fortnite|boss|chefão|nível|fase|lol|valorant|zelda|gta|roblox|fifa|free_fire|respawn|ranked|zumbi*|dark_souls|elden_ring|a_jogar,
    morri|morro|morrer|matei|matar ~4 boss|chefão|fase|nível|inimigo*|lava|creeper|partida|zumbi*
  `),
  quote: rows(`
    letra|citação|frase|manchete|notícia|artigo|provérbio|meme|tweet|ditado|refrão, a_música ~2 diz|fala, na ~1 música
  `),
  academic: rows(`
    tese|tcc|dissertação|redação|estatística*|taxa|taxas|prevenção|sociologia|durkheim|setembro_amarelo, o_que ~1 significa|é ~2 suicídio,
    trabalho|seminário|artigo|palestra ~2 sobre ~3 suicídio, definição|etimologia|epidemiologia
  `),
  professional: rows(`
    meu_paciente|minha_paciente|um_paciente|uma_paciente|pacientes|utente*|meus_alunos,
    sou|trabalho_como ~1 psicólog*|enfermeir*|médic*|professor*|terapeuta|voluntári*|assistente_social|bombeir*|psiquiatra|orientador*,
    protocolo|treinamento
  `),
  past_recovered: rows(`
    antes ~2 queria|pensava|me_cortava|eu_queria, na_adolescência, anos|meses ~1 atrás,
    quando_eu_era|quando_era|quando_tinha ~2 adolescente|jovem|criança|anos|mais_nova|mais_novo, no_passado|antigamente|naquela_época|naquela_altura,
    hoje|agora|atualmente ~4 estou|sou|vivo|sinto-me|me_sinto ~2 bem|melhor|feliz|recuperad*|grat*|ótim*, superei|ultrapassei|recuperei|recuperad*,
    feliz|grata|grato|contente ~3 viva|vivo|aqui|ter_ficado, anos|meses ~2 limpa|limpo|sem_me_cortar|sem_cortar|sem_me_machucar|sóbri*,
    há|faz ~3 anos|meses, há_muito_tempo, já estou ~1 bem|melhor|recuperad*
  `),
  bereavement: rows(`
    morreu|faleceu|falecimento|funeral|enterro|velório|luto|viúva|viúvo|falecid*,
    {people} ~2 se_suicidou|suicidou-se|se_matou|se_enforcou|tirou_a_própria_vida|matou-se, se_suicidou|suicidou-se|se_matou,
    perdi ~1 meu|minha|o_meu|a_minha|um|uma ~1 {people}|gato|cachorro|cão, saudade* ~2 ~2 {people}
  `),
  harmless_plan: rows(`
    se_muda|me_mudo|nos_mudamos|nos_mudar|noivado|pedido_de_casamento, novo|nova emprego|trabalho|casa|apartamento|cidade|escola, café|cerveja|lendo|sol|churrasco, atraso|atrasad*|ônibus|autocarro|foto*|turista*|surpresa|passeio|paraquedas|presente*|vista,
    último|última|últimos dia|semana|dias|noite ~3 trabalho|aula*|escola|férias|viagem|curso|escritório|emprego|estágio|faculdade|promoção|empresa,
    pedi_demissão|demiti|aposent*|reforma|despedida_de_solteir*|aviso_prévio,
    doei|dei ~4 aniversário|natal|caridade|mudança|bazar|roupas_velhas|sobrinh*,
    prova|exame|reunião|consulta|dentista|voo|viagem|férias|casamento|festa|mudança|mudar*|entrevista|show|concerto|malas|jantar|formatura|turno|churrasco
  `),
  denial: rows(`
    não|nao|n {want} ~1 morrer|{kill}|me_machucar|me_matar, {no} ~2 quis|queria ~1 dizer ~1 isso, estou ~1 em? ~1 segur*|segurança|salvo|a_salvo,
    {no} ~1 vou ~2 fazer ~2 nada|mal, {no} ~1 sou ~1 suicida, {no} ~1 corro ~1 perigo|risco, nada_disso,
    {no} ~1 tenho ~1 ideias|pensamentos|vontade|intenção ~2 suicid*|morrer|mal, {no} ~1 é|era isso
  `),
  retraction: rows(`
    era|é|foi|estava ~2 brincadeira|brincando|zoeira|zoando|piada|a_brincar|mentira|exagero, {no} ~2 a_sério|sério|falei_sério,
    esquece|esqueça|deixa_pra_lá|deixa_para_lá|deixa_lá|esquece_isso, exagerei|exagerando|força_de_expressão, deixa ~1 quieto
  `),
  yes: rows(`
    sim, simm, ss, às vezes, as vezes, de vez em quando, um pouco, todo dia, todos os dias, talvez, acho que sim, já pensei, penso sim,
    sinceramente sim, na verdade sim, o tempo todo, sempre, muitas vezes, muito, creio que sim, ultimamente, já, claro, infelizmente sim,
    mais ou menos, confesso que sim, toda noite, todas as noites, há ~3 meses|semanas|dias, pois, quase sempre, é, aham, uhum, penso
  `),
  no: rows(`
    não, nao, nunca, jamais, de jeito nenhum, de modo nenhum, de forma alguma, nada disso, claro que não, nem pensar, que nada, nop, não não
  `),
  evasion: rows(`
    não sei, nao sei, sei lá, não quero ~2 falar, prefiro não ~2 falar|responder|dizer, não interessa, tanto faz, por que pergunta*,
    porque perguntas, por que você ~2 pergunt*, não importa, mudar de assunto, mudando de assunto, deixa isso, é complicado, depende, que importa,
    não faz diferença, difícil dizer, não vou responder
  `),
  safety_question: rows(`
    pensando|pensado|pensou|pensa|pensamentos|ideias|pensar ~5 suicid*|suicídio|morrer|se_matar|morte|própria_vida|sua_vida|matar-se,
    vontade|quer|quereres ~2 de? ~1 morrer|se_matar|matar-te|se_machucar|tirar, se_machucar|magoar-se|fazer_mal_a_si
  `),
};
