import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";

/** What changes, in French, how the rest is meant: idioms, games, fiction, what is past, what is taken back, and answers to a question. */
export const frenchFrames: RulePack["frames"] = {
  subject_other: rows(`
    mon|ma|un|une|notre|mes ~2 {people} ~3 dit|disait|écrit|envoyé|confié|raconté|parle|posté|répète|annoncé,
    il|elle ~2 dit|m'a_dit|a_dit|écrit|m'a_écrit|disait, inquiet|inquiète|inquiétude|peur ~2 pour ~2 {people}|lui|elle|quelqu'un,
    {people} ~3 a|veut|s'est|se|dit_que|m'a_dit, elle|il a|veut|se
  `),
  negation: rows("pas|jamais|aucun|aucune"),
  idiom: rows(`
    dernier|dernière soir|jour|nuit ici ~5 déménag*|pars|partons|rentre|rentrons|train|avion|vacances|retour, que ~1 signifie|veut_dire ~2 idéation|suicid*, tuer|tue|écraser ~3 moustique*|mouche*|fourmis|zombies|cafard*, blague ~2 tué|tue,
    en_peux_plus ~1 de|du|des ~1 ce|bruit|ces|mon_chef|mes_collègues|travail|boulot|chaleur|attendre|travaux,
    peux_plus ~1 de_ce|du|des ~1 bruit|voisins|chaleur, tuerais|tuerait ~1 pour, en_finisse|en_finir ~1 avec ~2 travaux|dossier|reportage,
    saute ~1 sous_la_douche|dans_le_bus|sur_l'occasion, coupé ~1 les_ponts, failli ~1 mourir ~1 de,
    au_bout_du_rouleau ~4 lol|mdr|mort_de_rire|dossier|boulot, tentative ~3 il_y_a|y_a ~2 ans, veux|voudrais ~1 pas ~1 mourir,
    le_ferai|vais_le_faire|le_fais|le_faire ~1 demain|plus_tard|après, merci_pour_tout ~3 à_demain|à_bientôt|bonne|à_plus|bisous,
    mort|morte|meurs|mourir|crever|crève|morts|mourrais|mourait|mortes ~1 de ~2 rire|faim|honte|froid|chaud|soif|fatigue|ennui|peur|trouille|envie|rire,
    mourir|meurs|crève ~1 d' ~1 ennui|envie|impatience|amour|inquiétude, c'est ~2 mortel|tuant|à_mourir|mortelle, mortel|mortelle,
    à_en_mourir|à_crever|à_mourir_de_rire,
    mère|père|parents|maman|papa|boss|chef|patron|femme|copine|prof|daronne|mari|mec ~2 va|vont ~1 me|m' ~1 tuer|buter|défoncer|étrangler,
    va|vont ~1 {me} ~1 tuer ~3 si|quand, batterie|téléphone|portable|ordi|voiture|tel ~3 mort*|morte|crevé*, pneu ~2 crevé, tuer ~1 le_temps,
    mort|morte ~1 de_fatigue|fatigué*, je_me ~1 tue ~2 à|au ~2 travail|répéter|tâche|dire|boulot|expliquer|sport,
    me_tuer ~1 à|au ~2 travail|répéter|tâche|boulot|dire, coupé*|couper|coupe ~2 les_cheveux|les_ongles|doigt|frange|la_parole|la_barbe|cheveux,
    coupé*|couper ~5 cuisin*|oignon*|papier|rasant|légumes|pain|rasage|verre,
    sauter ~3 joie|parachute|corde|élastique|piscine|repas|trampoline|classe|dans_le_train,
    saute|sauter ~2 de_joie|le_repas|au_plafond|un_repas|aux_yeux, disparaître ~3 vacances|week-end|semaine|île|honte|montagne,
    en_peux_plus ~3 rire|manger|chaleur|travaux|voisins|boulot|attendre|cours|maths|devoirs|examens|révisions,
    en_peux_plus ~2 de_rire|de_cette_chaleur|d'attendre, beau|belle|drôle|bon|ennui|ennuyeux ~2 à_mourir|à_en_mourir,
    {pills} ~4 allergie*|rhume|tête|ordonnance|médecin|grippe|docteur|prescrit*|matin|thyroïde,
    petite_mort|peine_de_mort|point_mort|nature_morte|mort_né|arrêt_de_mort, suicide|suicidaire ~2 commercial|politique|sportif|professionnel|social,
    {want}|vais|envie|pense|compte|ferai ~1 {no} ~2 mourir|faire_du_mal|faire_de_mal|en_finir|sauter,
    veux|vais|pense|ferai|ferais|compte ~1 pas|jamais ~2 {me} ~1 {kill}|faire_mal|faire_du_mal|faire_de_mal|couper,
    veux|voudrais|envie ~1 pas|jamais ~1 de? mourir|crever|en_finir, jamais|pas ~1 {me} ~1 {kill}|ferais_du_mal|suiciderais|tuerais|suiciderai,
    me|m' ~1 suiciderai|suiciderais|tuerais|tuerai|ferai|ferais ~1 jamais|pas,
    {no}|aucune ~2 pensées|idées|envies|envie ~1 suicidaires|suicidaire|noires|de_mourir|mort|suicide, pense ~1 {no} ~2 au_suicide|à_mourir|à_me,
    suis ~1 {no} ~1 suicidaire, jamais ~3 suicid*|pensé_au_suicide, {no} ~2 de ~1 {me} ~1 {kill}, {no} ~1 l'intention ~2 {me}|mourir ~1 {kill},
    peur ~1 de ~1 mourir|la_mort, peur_de_mourir|peur_de_la_mort, {no} ~2 mourir ~2 vivre,
    ça|il|elle|chaleur|boulot|prof|maths|stress|dos|pieds|tu|ils|réunion|examens ~2 me|m' ~1 tue|tuer|tuent|achève|bute|tues, me_tues ~1,
    {no} ~1 {me} ~1 {kill}, jamais ~3 {kill}|suicid*, en_finir ~2 avec ~2 dossier|projet|travaux|examens|boulot|partiels|rapport|thèse|déménagement,
    tout ~1 fini|terminé ~3 manger|assiette|boulot|devoirs, mangé|manger|bouffé ~2 tout
  `),
  joke: rows("haha*, hihi*, mdr*, lol, ptdr*, mort_de_rire, xd*, blague|rigole|déconne|plaisante|plaisanterie, je_rigole"),
  fiction: rows(`
    roman|nouvelle|scénario|poème|film|série|personnage*|héros|héroïne|livre|chapitre|anime|manga|pièce|saison|épisode|fanfic*|fiction|polar|bd,
    écris|écrire|écrit ~2 un|une|mon ~1 roman|histoire|nouvelle|scénario|chanson|poème, dans ~1 le|la|un|une|mon film|série|livre|roman|jeu|histoire,
    mon_personnage
  `),
  game: rows(`
    jeu|jeux|minecraft|fortnite|boss|niveau|lol|valorant|zelda|gta|roblox|fifa|raid|respawn|ranked|zombie*|dark_souls|elden_ring|quête|manette,
    meurs|mourir|mort ~4 boss|niveau|ennemi*|lave|creeper|partie
  `),
  quote: rows(`
    citation|paroles|refrain|gros_titre|article|proverbe|mème|tweet|expression, dans ~2 chanson, la_chanson ~2 dit|parle
  `),
  academic: rows(`
    mémoire|dissertation|exposé|statistique*|taux|prévention|sociologie|durkheim|épidémiologie|thèse,
    que_signifie|qu'est-ce_que|c'est_quoi|définition|signifie, travail|devoir|exposé ~2 sur ~3 suicide
  `),
  professional: rows(`
    mes_patients|ma_patiente|mon_patient|un_patient|une_patiente|usager*|patients,
    suis|travaille_comme|bosse_comme ~1 psychologue|infirmier*|infirmière|médecin|enseignant*|prof|éducateur|éducatrice|bénévole|psy|assistante_sociale|pompier|thérapeute*,
    protocole|formation|astreinte|garde ~3 service|écoute|crise
  `),
  past_recovered: rows(`
    avant ~1 je_voulais|je_pensais|j'avais|j'étais ~2 mourir|envie|suicid*|dépressi*, avant ~1 je_voulais_mourir|j'avais_envie_de_mourir,
    quand_j'étais_ado|à_l'adolescence, il_y_a ~3 ans|mois|longtemps|années,
    quand_j'étais|quand_j'avais ~2 ado|jeune|ans|enfant|adolescente|adolescent,
    aujourd'hui|maintenant|désormais ~4 je|j' ~2 vais|suis|me_sens ~2 mieux|bien|heureuse|heureux|contente|content|guérie|guéri|reconnaissant*,
    je ~1 vais ~1 mieux|bien ~1 maintenant|aujourd'hui|depuis, contente|content|heureuse|heureux|soulagée ~3 en_vie|vivante|vivant|là,
    m'en_suis|je_m'en_suis sortie|sorti, surmonté|derrière_moi|guérie|guéri|rétablie, depuis ~3 ans|mois ~4 plus|sans|sobre|clean,
    ans|mois ~2 que ~3 plus ~2 coup*|scarif*|fait_mal|mutil*, à_l'époque, il_y_a ~2 ans|mois|longtemps|années
  `),
  bereavement: rows(`
    décédé*|obsèques|enterrement|funérailles|deuil|veuve|veuf|décès|enterré*, {people} ~2 est|était ~1 mort|morte|parti|partie,
    {people} ~1 s'est ~1 suicidé*|tué*|pendu*|donné_la_mort|ôté_la_vie, s'est_suicidé*|s'est_pendu*, perdu ~1 mon|ma|mes ~2 {people}|chat|chien,
    manque ~3 {people}
  `),
  harmless_plan: rows(`
    déménag*|emménag*|crémaillère|fiançailles, nouveau|nouvelle|nouvel boulot|travail|poste|appart*|maison|école|boîte, café|petit-déj*|apéro|bière|lis|soleil|barbecue,
    parachute|élastique|plongeoir|trampoline|piscine|photo*|bus|retard|correspondance|surprise|balade|touriste*,
    examen|réunion|rendez-vous|dentiste|vol|voyage|vacances|mariage|fête|déménagement|entretien|concert|valise*|dîner|bagages|rentrée|match|garde_de_nuit,
    dernier|dernière jour|semaine|soir|soirée|nuit ~3 travail|boulot|école|vacances|cours|bureau|stage|fac|boîte|lycée|soldes|ici_à,
    démissionn*|retraite|pot_de_départ|préavis|démission|enterrement_de_vie, donné ~4 anniversaire|noël|emmaüs|association|vide-grenier|déménage*
  `),
  denial: rows(`
    veux|voudrais|vais|envie ~1 {no} ~2 mourir|faire_du_mal|me_tuer|me_suicider,
    vais|veux ~1 {no} ~1 {me} ~1 faire ~1 mal|de_mal|du_mal|tuer|suicider, {no}|aucune ~2 idées|pensées|intention|envie ~2 suicid*|noires|mourir|mal,
    suis ~1 en_sécurité, {no} ~1 en_danger, suis ~1 {no} suicidaire, rien_de_tel|rien_de_ça, c'est|c'était ~1 pas ~1 ça, pas_ce_que_je_voulais_dire,
    rien_de_tel
  `),
  retraction: rows(`
    je|c'était|c'est ~2 rigole|blague|plaisante|déconne|plaisanterie|rigolais|plaisantais|déconnais|exagérais|exagère|délire,
    {no} ~2 sérieux|sérieuse|sérieusement|pensais, oublie|oubliez|laisse_tomber|laissez_tomber, voulais ~1 {no} ~1 dire
  `),
  yes: rows(`
    oui, ouais, ouai, mouais, ui, wi, parfois, des fois, de temps en temps, souvent, un peu, tous les jours, peut-être, je crois ~1 que? oui,
    honnêtement oui, j'avoue, ça m'arrive, j'y ai ~2 pensé, j'y pense, tout le temps, chaque soir, toujours, ces derniers temps, quelquefois,
    carrément, je pense que oui, malheureusement oui, si, depuis ~3 semaines|mois|jours, ouep, grave, plus ou moins
  `),
  no: rows(`
    non, nan, jamais, pas du tout, absolument pas, nn, pas vraiment, non non, bien sûr que non, nope, aucunement, rien de tel
  `),
  evasion: rows(`
    je sais pas, sais pas, chais pas, jsp, je ne sais pas, veux pas ~2 parler|répondre, préfère ~1 pas ~2 parler|répondre|dire,
    qu'est-ce que ça ~1 fait, pourquoi cette question, pourquoi tu ~1 demandes, pourquoi vous ~1 demandez, peu importe, ça te regarde pas,
    changeons de sujet, laisse, c'est compliqué, aucune importance, quelle importance, bof, difficile à dire
  `),
  safety_question: rows(`
    mettre_fin ~2 vos_jours|tes_jours|votre_vie|ta_vie,
    pensez|pensé|penses|pensées|idées|songez|songé ~5 suicid*|mourir|mort|vous_tuer|te_tuer|vie|en_finir,
    envie ~3 mourir|vous_tuer|te_tuer|vous_suicider|te_suicider|en_finir, vous|te|t' ~1 suicider|tuer|ôter|faire_du_mal
  `),
};
