import { frameIds, type RulePack } from "throughline/safety";
import { everyday } from "./everyday.ts";
import { frenchFrames } from "./fr-frames.ts";
import { frenchWords } from "./fr-words.ts";
import { rows, softRows, together } from "./rows.ts";

/** What French says in danger, with chat spellings, verlan and Quebec. `me` and `je` beside a verb stand for the writer. */
export const frenchPack: RulePack = Object.freeze<RulePack>({
  language: "fr",
  version: "2026-11-21.3",
  coverage:
    "Wishes to die, plans, acts, farewells and self-harm in everyday French, also without accents and apostrophes, with chat spelling and some verlan. " +
    "Of 16 grave messages written after its rules, 12 were found at 2 or more, and of 20 harmless ones none; the rules were widened since. " +
    "What is said in irony or in the French of Africa, or without any usual word, is missed.",
  support: "partial",
  ...frenchWords,
  concepts: {
    wish_to_die: rows(`
      veu|veux ~1 plu|plus ~1 vivre, tout_ce_que_je_veux ~3 morte|mort|mourir, marre ~1 de_vivre|de_la_vie,
      rêve|rêver|supplie|souhaite|espère ~2 de ~1 mourir|crever|ne_plus_me_réveiller, {envie} ~1 d'être_morte|d'être_mort,
      envie ~1 d' ~1 être|d'être ~1 en_vie|vivante, plus ~1 envie ~1 d' ~1 être_en_vie|être_vivante|exister|être_là,
      bouton ~4 mourir|mort|disparaître, mieux ~2 mourir|mort|morte|que_je_sois_morte, que_la_mort|la_mort ~2 me ~1 prenne|vienne,
      laissez-moi|laisse-moi ~1 mourir|crever, mérite ~2 pas ~1 de_vivre, je_devrais|faudrait|devrais ~3 mourir|être_mort|être_morte|crever,
      jve|jv|jvx|je_vx|veu ~1 mourir|crever, veux|voudrais ~2 être_morte|être_mort, supporte|peux|veux ~1 plus ~2 vivre|être_en_vie|la_vie,
      je|j {want} ~2 mourir|crever|morte|mort, {want} ~1 être morte|mort|mortes, {want} ~1 mourir|crever|clamser,
      {envie} ~1 de|d' ~1 mourir|crever|en_finir, envie de ~2 mourir|crever, {want} ~4 que_je meure|crève,
      si_seulement|pourvu ~3 mourir|morte|mort|meure, serais|serait|être|suis ~2 mieux ~2 morte|mort, mieux ~1 morte|mort,
      mieux ~3 que_je meure|crève|mourir, plutôt|plutot crever|mourir, je_voudrais|j'aimerais ~2 morte|mort,
      veux|voudrais|envie|peux ~2 plus ~1 vivre|de_vivre|être_en_vie|exister, {no} ~1 envie ~1 de ~1 vivre|continuer_à_vivre,
      veux|voudrais ~1 plus ~2 vivre|continuer_à_vivre, plus ~1 envie|goût|goüt|raison|force ~1 de|à ~1 vivre|la_vie, sans ~1 envie ~1 de_vivre,
      marre|fatigué|fatiguée|lassé|lasse|ras-le-bol ~1 de ~1 vivre|la_vie|cette_vie|ma_vie|exister, arrêter|cesser ~1 de vivre|respirer,
      la_mort|mourir ~3 seule|solution|délivrance|issue|mieux|soulag*, attends|espère|prie|rêve ~4 mourir|mort|crever|meure,
      je_préfère|préférerais ~2 mourir|morte|mort|crever, j'en_peux_plus ~2 vivre, que ~2 la_mort ~3 prenne|vienne,
      quitter ~1 ce_monde|cette_vie|cette_terre
    `),
    passive_death: rows(`
      si_je ~2 me_réveille|réveille ~2 pas|plus, dormir ~2 pour_toujours|à_jamais, s'il_m'arrivait|s'il_m'arrive ~2 quelque_chose|un_truc,
      {no} ~2 me_réveiller|réveiller|reveiller|réveille, ne ~2 me_réveiller|réveiller,
      m'endormir|dormir|endormir|endors ~5 {no}|réveiller ~2 réveiller|réveille|jamais,
      dormir|m'endormir ~2 pour_toujours|jamais|pour_de_bon|éternellement, voiture|bus|camion|train ~4 me|m ~2 renvers*|écras*|percut*|fauch*,
      me_faire ~2 renverser|écraser|faucher, ça_me|m_est|serait|m'est ~3 égal ~4 mourir|mourais|vivre|morte|mort|meurs,
      si_je ~2 mourais|meurs|mourrais|disparaissais|disparais ~4 égal|grave|personne|mieux|remarque*|manque*|tant, dérangerait ~4 mourir|réveiller,
      qu'il ~3 m'arrive ~2 quelque_chose|accident, cancer|accident ~4 soulag*|mieux|content*
    `),
    ideation: rows(`
      repensé|repense|repenser ~3 {kill}|mourir|suicide|en_finir, l'idée|idée ~1 de|d' ~1 {me} ~1 {kill},
      l'idée|idée ~1 de_mourir|d'en_finir|du_suicide, pense|pensé|penser ~5 à_la_mort|au_suicide|à_mourir|la_mort|suicide|à_en_finir,
      de_plus_en_plus|tout_le_temps|souvent|sérieusement ~3 à_la_mort|au_suicide|à_mourir,
      m'imagine|imagine ~2 souvent? ~1 sauter|morte|mort|mon_enterrement|mourir, mettre_fin ~2 jours|vie,
      songe|songé ~2 à ~2 mettre_fin|en_finir|mourir,
      pense|pensé|penser|pensais|songe|songé|réfléchi|réfléchis|pensées ~3 {me}|à|au ~3 {kill}|mourir|suicide|mort|en_finir|sauter,
      pense|pensé|songe ~2 au|à ~1 suicide|mourir|la_mort|en_finir, pensées|idées|idéations ~1 suicidaires|noires|morbides|mort|suicide|suicidaire,
      suicidaire ~3 suis|je|depuis, suis|deviens|redevenue|redevenu|sens ~2 suicidaire*,
      imagine|imaginer|imaginais ~5 mourir|mort|morte|{kill}|sauter|enterrement, envisage|envisagé|envisager ~4 suicide|{kill}|en_finir|mourir|pire,
      tentée|tenté|tentation ~4 {kill}|en_finir|sauter|avaler, cherché|cherche|googlé|recherche*|regardé ~5 mourir|suicid*|{kill}|en_finir,
      traverse|passe|tourne|passé ~3 tête|esprit ~5 {kill}|suicide|mourir|en_finir, suicide ~3 seule|option|solution|issue,
      comment|si ~2 ce_serait ~4 morte|mort|plus_là
    `),
    kill_self: [
      ...rows(`
      foncer|fonce|encastrer|lancer ~4 arbre|mur|camion|poteau, {going}|veux|envie ~3 {me} ~1 foutre_en_l'air|flinguer|pendre|jeter,
      me ~1 laisser ~1 mourir|crever|tomber, {going} ~2 avaler ~3 {all}, me ~1 tuerai|tuerais ~2 demain|ce_soir|un_jour|si,
      j'attends ~6 avaler|sauter|me_tuer|me_pendre|prendre, me ~1 taillader|trancher|entailler ~1 les? ~1 veines|poignets,
      je_saute ~2 du|par|dans_le_vide|devant, {want} ~2 {me} {kill}, {going} ~3 {me} ~1 {kill}, {envie} ~1 de {me} ~1 {kill}, vais ~1 {me} ~1 {kill},
      {me} suicider|pendre|flinguer|buter|foutre_en_l'air, je_me ~1 suicide|tue|pends|flingue|bute|suiciderai|tuerai|pendrai|supprime,
      en_finir ~2 avec ~2 vie|tout|moi|tout_ça|existence|souffrance*,
      vais|veux|voudrais|compte|envie|décidé|prêt|prête|va|faut|préfère|pense ~3 en_finir,
      en_finir ~3 ce_soir|cette_nuit|demain|aujourd'hui|maintenant|fois_pour_toutes|bonne, j'en_finis|j'en_finirai,
      mettre|mets|mettrai ~2 fin ~2 à ~2 jours|vie|tout|souffrance*|moi|ça|calvaire, mettre|mets|mettrai ~1 un_terme ~3 vie|jours|tout|existence,
      m'|me ôter|enlever|enlève|ôte|prendre ~1 la_vie, m'ôter|m'enlever ~1 la_vie, me_donner|donner ~1 la_mort,
      tirer|tire|tirerai|mettre|coller|loger ~2 une_balle, faire|fais ~2 sauter_la_cervelle|sauter_le_caisson, {me} ~1 {jump} ~4 {high},
      {want}|vais|envie|compte ~3 sauter, {jump} ~2 du|d'|de|sous|devant|dans|par|sur ~3 {high}, {me} ~1 {jump} ~2 du|sous|devant|dans|par ~3 {high},
      sous|devant ~1 un|le|les train|métro|rer|tgv|camion ~4 jeter|jette, trancher|ouvrir|couper|tailler|taillader ~1 les ~1 veines,
      avaler|prendre|gober|avale|prends|gobe ~2 {all} ~4 {pills}|{poison}|boîte,
      avaler|prendre|gober ~3 {all} ~4 mourir|jamais|réveiller|finir|dormir, passer_à_l'acte|passage_à_l'acte|passe_à_l'acte|passerai_à_l'acte,
      foutre|fous ~1 en_l'air, crever|mourir ~2 ce_soir|cette_nuit|demain|aujourd'hui, me_retrouve*|retrouver* ~2 mort|morte|pendu|pendue
    `),
      ...softRows("{me} tuer"),
    ],
    injure_self: rows(`
      griffe|mords|frappe|pince ~3 bras|jambe*|peau|tête ~3 sang|saigner|mur, jusqu'au_sang,
      continue|continuer|recommence|recommencé|arrête_pas|arrive_pas_à_arrêter ~2 à|de ~1 me ~1 couper|scarifier|faire_mal|faire_du_mal|brûler|mutiler,
      me_couper ~2 en_cachette|encore|nouveau|pour|quand, recoupée|recoupé|rescarifiée,
      me ~1 suis ~1 recoupée|recoupé|scarifiée|scarifié|tailladée|tailladé|entaillée, me ~1 taillade|entaille|coupe|scarifie ~3 {body}|quand,
      sans ~2 me_couper|scarifier ~4 hier|rechut*|craqué, me_faire|m'infliger ~1 mal|souffrir|des_brûlures,
      me_frappe|me_cogne|me_tape ~3 tête|mur|exprès, me ~1 brûle|brûler|brûlée|brûlé ~4 cigarette*|briquet|exprès|bras,
      me ~1 lacère|entaille|griffe|mords ~4 {body}|sang|exprès|punir, punir ~3 coup*|lame, {me} ~2 scarifi*|mutil*|automutil*|lacér*,
      automutil*|scarif*|auto-mutil*, {me} ~1 faire|fais|fait|faisais ~2 mal|du_mal,
      {me} ~1 suis|sois ~2 coupé|coupée|brûlé|brûlée|scarifiée|scarifié|tailladé|tailladée|blessée exprès|volontairement|encore|hier|bras|poignets|recommencé,
      {me} ~1 suis ~3 coupé|coupée|brûlée|brûlé|tailladé|tailladée ~4 {body}|nouveau|encore|rechuté|exprès,
      {me} ~1 couper|coupe|taillader|taillade|brûler|brûle|frapper|griffer|cogner ~4 {body}|soulag*|sentir|calmer|exprès|punir|nouveau|lame*,
      recommencé|recommence|rechuté|replongé|rechute|craqué|repris ~4 couper|coupée|coupé|scarif*|mutil*|mal|lames|taillader,
      envie|besoin|pulsion* ~2 de {me} ~1 couper|brûler|blesser|taillader|faire_mal, {me} ~1 coupe|coupais|taillade,
      cicatrices|entailles|coupures|marques ~4 {body}|cache|manches, cache ~3 cicatrices|coupures|entailles|marques
    `),
    plan: [
      ...rows(`
      cette_nuit|ce_soir|demain ~1 je ~1 prends|avale|gobe ~2 tout|tous, je ~1 prends|avale ~1 tout ~2 ce_soir|cette_nuit,
      quand ~2 trouverez|trouveras|lirez ~3 mot|lettre|message,
      attends|attend|attendre ~4 dorment|dormir|partent|couchés ~4 avaler|faire|sauter|prendre|finir,
      quand ~5 partis|dorment|dormiront|endormis ~3 je_le_fais|je_le_ferai|j'en_finis|je_les_prends,
      ma_souffrance|ma_douleur|mes_souffrances|mon_calvaire ~2 s'arrête|se_termine|finit|cesse|sera_finie,
      je|moi|j' ~2 serai ~1 plus ~1 là|ici|de_ce_monde,
      quand ~3 trouverez|trouveras|trouvera|trouve|lirez|liras ~5 serai ~2 parti|partie|mort|morte|loin|plus_là,
      je ~1 pars ~1 pour_de_bon|pour_toujours|définitivement, là|cette_fois ~2 j'en|je ~1 prends|prendrai ~2 double|plus|tout,
      je_serai ~1 déjà ~1 parti|partie|morte|mort, j'ai ~3 plan ~5 mourir|{kill}|en_finir|suicid*|partir|tout, mon_plan ~3 prêt|au_point,
      sais ~2 comment|quand|où ~3 faire|en_finir|m'y_prendre|ferai|passer|vais,
      décidé|choisi ~4 date|jour|quand|comment|heure|partir|en_finir|mourir, {soon}|{day} ~3 j'en_finis|s'arrête|se_termine|sera_fini,
      {soon}|{day} ~3 serai|suis|existerai ~2 plus|{no} ~2 là|de_ce_monde|vivante|vivant|en_vie|ici,
      passerai|passe|verrai|vois|tiendrai ~2 {no} ~2 la_nuit|cette_nuit|noël|demain|lundi|le_jour|week-end|la_semaine|l'année,
      cette_fois ~4 rater*|rate|réussi*|marche*|louper*|trouve*|sauve*|bonne|vraiment|pour_de_vrai|personne|définitif,
      quand|si|lorsque ~2 lirez|liras|lis|lisez|lira ~3 serai|plus|mort*|parti*|trop_tard, air|ressembler*|passer*|croi* ~3 accident,
      de_l'autre|autre côté ~3 rambarde|parapet|barrière|garde-corps|garde-fou, enjambé|enjambe|escaladé ~2 {place},
      jambes|pieds ~2 dans_le|au-dessus vide|du_vide,
      c'est|ce_sera|mon|ma ~2 dernier|dernière ~1 nuit|soir|soirée|jour|anniversaire|noël ~2 sur_terre|en_vie|ici|vivante|vivant,
      ma_dernière nuit|soirée|nuit_ici, mon_dernier jour|soir|anniversaire|noël|week-end, {soon}|{day} ~4 tout ~2 fini|terminé|s'arrête|sera_fini,
      demain|{day}|lundi ~3 je ~2 serai|suis ~2 plus ~2 là|de_ce_monde|vivante|vivant|en_vie|ici, je ~1 serai ~1 plus ~1 là|ici|de_ce_monde|en_vie,
      {soon}|{day} ~2 c'est ~1 la_fin|fini_pour_moi
    `),
      ...softRows(`
      dernier_message|derniers_mots|dernière_lettre, quand|si|lorsque ~2 lirez|liras|lis|lisez|lira ~3 ça|ceci|message|mot|lettre|serai,
      fusil|arme|pistolet|flingue|carabine ~4 chargé|chargée, corde|ceinture ~4 accroché*|attaché*|nouée|prête,
      cachets|médicaments|corde|lame|médocs|comprimés ~2 devant_moi|dans_la_main|sous_les_yeux, tout_sera|tout_est|ce_sera ~1 fini|terminé,
      j'ai ~2 tout ~1 prévu|planifié|préparé|organisé|décidé, tout_est ~1 prévu|planifié|prêt|préparé, ma_décision ~3 prise,
      après ~3 tout|ce_sera|c'est ~1 fini|terminé, dernière_nuit_sur|dernier_jour_sur, ce_soir ~1 c'est ~1 fini|la_fin|terminé
    `),
    ],
    preparation: [
      ...rows(`
      j'ai ~2 écrit ~1 les|mes|toutes_les ~1 lettres, laissé ~2 lettre|mot ~4 table|oreiller|enfants|parents|famille,
      lettre* ~2 adieu|d'adieu|adieux|suicide, testament ~3 prêt|fait|signé|rédigé|écrit|table, fait|écrit|rédigé|signé ~2 testament,
      dit|fait ~1 adieu|mes_adieux|au_revoir ~2 tous|tout_le_monde|famille|enfants, mes_adieux,
      stocke|stocké|stockés|économisé|accumulé|accumule|gardé|mis_de_côté|conservé ~4 {pills},
      {pills} ~3 stock*|accumul*|économis*|mis_de_côté|gardé*
    `),
      ...softRows(`
      écrit|rédigé|laissé|écris|laisse ~3 lettre|mot|lettres ~3 tous|famille|parents|enfants|table|oreiller|bureau|chacun,
      donné|donne|distribué|légué|confié ~4 affaires|chat|chien|chatte|guitare|vêtements|tout_ce|livres|animaux|lapin,
      mots_de_passe|papiers|codes ~5 table|bureau|enveloppe|tiroir|carnet|note, mis|tout ~3 en_ordre|réglé|rangé,
      quelqu'un|qui ~4 occup*|garder ~2 chien|chat|enfants|animaux, payé ~2 obsèques|enterrement, supprimé|fermé ~2 comptes|réseaux,
      acheté|trouvé|commandé|procuré ~3 {tool}|{poison}|{pills}
    `),
    ],
    farewell: [
      ...rows(`
      lettre|lettres|mot ~2 à ~1 chacun|tous|ma_famille|mes_enfants ~3 pardon*, appelez|appelle ~1 pas ~3 trop_tard|tard,
      n'appelez_pas|ne_m'appelez_pas|ne_venez_pas, dit|dire|fait ~1 au_revoir|adieu|mes_adieux ~3 tout_le_monde|tous|famille|enfants|monde,
      maman|papa ~3 je_t'aime ~3 pardon|adieu|désolé|désolée,
      occupez-vous|occupe-toi|prenez_soin|prends_soin ~5 je_serai|je_ne_serai|serai_plus|quand_je_serai, adieu,
      c'est ~2 mon|mes ~1 dernier|derniers|dernière ~1 message|mots|lettre|post,
      mon|mes|ma dernier|derniers|dernière message|mots|lettre|post|pensée, dernier_message|derniers_mots,
      quand|si|lorsque ~2 lirez|liras|lis|lisez|lira|verrez ~3 ça|ceci|message|mot|lettre|serai,
      dites|dis|direz ~4 que ~2 je ~3 aime|aimais|désolé|désolée|pardon, dites|dis ~1 à|lui|leur ~5 aime|aimais|pardon,
      désolé|désolée|pardon ~6 je_vous_aime|je_t'aime|plus_la_force|j'en_peux_plus|tenu|j'ai_essayé|partir,
      personne ~2 n'est|est|n'y ~2 responsable|coupable|faute|fautif,
      au_revoir|bye|ciao ~2 tout_le_monde|tous|à_tous|à_jamais|le_monde|la_vie|monde_cruel,
      on_se ~1 reverra|retrouvera|voit|revoit ~3 là-haut|autre|ciel|vie|côté,
      je ~1 pars|m'en_vais|partirai ~3 pour_toujours|jamais|de_bon|rejoindre|définitivement|pardon|apaisé*|paix, veillerai ~3 haut|vous|toi,
      je_vous|vous|t' ~1 ai ~2 tous|toujours|tellement aimé*|aimés,
      pardon|pardonnez-moi|pardonne-moi ~3 pour ~3 mal|ce_que_je_vais_faire|ce_que_je_fais|vous_laisser|te_laisser|partir|la_peine,
      me_cherchez ~1 pas, me_pleurez ~1 pas, c'est_pas|ce_n'est_pas ~1 votre|ta|de_votre|de_ta ~1 faute,
      je_vous_quitte|je_te_quitte|je_vous_laisse_pour_toujours
    `),
      ...softRows(`
      ,
      prenez|prends|occupez|occupe ~3 soin|de|bien ~3 mon|ma|mes|elle|lui|maman ~2 chat|chien|chatte|enfants|fille|fils|soeur|frère|mère|maman|petite,
      merci ~2 pour|de ~1 tout ~4 adieu|au_revoir|aime|pardon|avez_fait|as_fait, soyez|sois ~1 heureux|heureuse|fort|forte, pas_votre|pas_ta faute,
      je_vous|je_t' ~1 aime ~4 pardon|adieu|oubliez|désolé*|faute|oublie, pardon|pardonnez-moi|pardonne-moi|désolé|désolée ~2 pour ~1 tout,
      prenez|prends soin ~3 maman|d'elle|d'eux|enfants|vous, je_vous_laisse
    `),
    ],
    act_done: rows(`
      avalé|pris|bu ~2 la_moitié|presque_tout|presque_tous, la_moitié ~3 avalé|pris,
      me|m' ~1 suis ~1 ouvert|taillé|tailladé ~1 les|le ~1 bras|veines|poignets,
      m'enfiler|m'enfile|enfilé|enfiler|descendu|descendre|vidé|vider ~3 {all} ~4 {pills}|{poison},
      m'enfiler|enfilé|avaler|prendre ~2 {all} ~3 {pills}, pris|avalé|gobé|mélangé ~3 {pills} ~4 alcool|vodka|whisky, injecté ~3 {all}|insuline,
      sang|saigne ~2 partout|plein, coupé|coupée|taillé ~1 trop ~1 fort|profond|profondément|loin,
      vient ~1 de|d' ~1 avaler|prendre|gober|s'ouvrir ~4 {all}|{pills}|veines, j'ai ~1 tout ~2 {took}|vidé|gobé,
      j'ai|ai ~2 {took} ~4 {pills}|{poison} ~4 {all},
      j'ai|ai ~2 {took} ~3 {all} ~4 {pills}|{poison}|boîte*|dedans|restait|tube|flacon*|plaquette*|avais|trouvé,
      j'ai|ai ~2 avalé|gobé|ingurgité ~2 {all}, j'ai|ai ~2 vidé ~3 boîte*|plaquette*|flacon*|tube|armoire|pharmacie|pilulier|bouteille,
      {took} ~2 # ~2 {pills}, viens ~2 de|d' ~2 avaler|prendre|gober|boire|ingérer ~5 {all}|{poison}|#, viens ~2 d'avaler|prendre ~3 {all},
      les ai|a ~2 {all} {took}, je|j' l' ai ~1 fait ~4 trop_tard|adieu|pardon|retour|cachets|endors|médocs,
      c'est_fait ~5 trop_tard|adieu|pardon|retour|endors|bientôt|cachets|médocs|peur, bu|avalé|pris ~3 {poison}, j'ai ~3 surdose|overdose,
      fait ~1 une ~1 overdose|surdose,
      {me} ~1 suis ~2 ouvert|ouverte|tranché|tranchée|coupé|coupée|taillé|taillée|tailladé|tailladée ~2 veines|poignets,
      {me} ~1 suis ~2 coupé|coupée ~3 profond|fort|profondément|loin, coupé|coupée|entaillé ~2 trop ~2 profond|profondément|fort|loin,
      ça|sang|il|saigne|saignement ~4 {no} ~3 arrête|arrêter|saigner|s'arrête|stoppe, saigne|sang ~4 arrête|s'arrête ~1 {no},
      saigne|sang ~3 partout|beaucoup|énormément, {me} ~1 vide ~1 de_mon_sang, je_saigne,
      trop_tard ~5 sauver|secours|pompiers|samu|ambulance|aider|moi, il_est|c'est ~2 trop_tard ~3 pour_moi|j'ai|maintenant,
      appel* ~2 {no} ~3 samu|pompiers|secours|ambulance|police, je ~1 {me}|m' ~1 endors|sens ~2 partir|sombrer|doucement|tête_tourne,
      commence|commencent ~2 à ~2 faire_effet|agir|endormir|tourner, corde|ceinture ~3 cou, ouvert|allumé|laissé ~2 le_gaz|gaz,
      je_me_suis ~1 injecté ~3 {all}|insuline, j'ai|ai ~1 tout ~1 {took} ~3, les_ai|ai ~1 tous|toutes ~1 {took},
      a ~2 {took} ~3 {all} ~4 {pills}|{poison}, a ~2 {took} ~3 {pills} ~3 {all}, l'ai|j'ai ~1 tout_avalé|tout_pris|tout_gobé|tout_bu
    `),
    past_attempt: rows(`
      j'ai ~2 déjà ~1 essayé|tenté|fait, déjà ~1 fait|essayé ~2 tentative|ts|une_fois, tentative* ~2 de? ~1 suicide,
      mes|ma|dernière|première|précédente tentative*|ts, j'ai|ai ~2 essayé|tenté|failli ~4 {kill}|en_finir|mourir|suicid*|ôter,
      {me} ~1 suis ~1 ratée|raté|loupée|loupé, dernière|première|autre fois ~4 trouvé*|sauvé*|raté*|réveillé*|essayé|lavage, voulu ~2 {me} ~1 {kill},
      fait ~1 une ts, survécu ~4 suicide|tentative|cachets|médicaments
    `),
    do_it: [
      ...rows("plus ~1 qu'un|qu'à ~1 pas|sauter|avaler|appuyer, un|seul pas ~2 suffi*|vide|avant, je_lâche"),
      ...softRows(`
      regarde|vois|fixe|regardant ~3 en_bas|le_vide|le_bas, au_bord_du ~1 vide|pont|toit|quai, un_pas ~4 fini|vide|tout, je_vais|vais ~2 le ~1 faire,
      le_faire ~2 ce_soir|maintenant|demain|cette_nuit|aujourd'hui|enfin|vraiment,
      prêt|prête|décidé|décidée|envie|courage|veux ~2 de|à|pour|le ~1 faire|partir|sauter,
      c'est ~2 le_moment|l'heure|pour_ce_soir|le_jour|maintenant|ce_soir|cette_nuit, l'heure|le_moment|le_jour est ~1 venu|venue|arrivé,
      vais ~2 sauter|avaler|lâcher|appuyer
    `),
    ],
    means: softRows("{tool}|{weapon}|{poison}, {all} ~2 {pills}"),
    means_in_hand: [
      ...rows(`
      chaise|tabouret ~3 prête|corde|noeud, corde|ceinture|noeud ~3 attachée|attaché|prêt|prête|accroché*,
      {pills}|{tool}|{weapon}|{poison} ~4 {hand}, devant_moi|sous_les_yeux|à_la_main|dans_la_main ~3 {pills}|{tool}|{weapon},
      stocké|stocke|accumulé|accumule|économisé|mis_de_côté|gardé|conservé ~4 {pills},
      {pills} ~3 stock*|accumul*|économis*|mis_de_côté|gardé*|devant|prêts|alignés|comptés|comptées,
      corde|ceinture ~4 accroché*|attaché*|poutre|plafond|prête|garage|nouée, assez ~1 de ~2 {pills}
    `),
      ...softRows(`
      j'ai|ai|tiens|acheté|trouvé|préparé|pris|sorti|récupéré ~3 {tool}|{weapon}|{poison}, j'ai|ai ~3 {all} ~3 {pills}|{poison},
      acheté|trouvé|commandé|procuré ~3 {tool}|{poison}|{pills}|{weapon}, compte|compté ~2 {pills}
    `),
    ],
    time_near: softRows(`
      {soon}, ce ~1 {day}|week-end, dans ~1 une|quelques|un|cinq|dix|# ~1 heure|heures|minutes|instant|jours|moment, {day} ~1 prochain|soir|matin,
      avant ~2 demain|noël|l'aube|lundi|que|minuit|la_fin, quand|dès ~4 dorment|dormiront|endormis|partis|parti|partira|sera_au_lit,
      à|vers minuit|# heures|h, après ~3 {day}, cette ~1 semaine|fois-ci|nuit, {day}
    `),
    lethal_place: [
      ...rows(`
      {people} ~2 est|assis|assise|monté|montée ~3 toit|pont|rambarde|rails, pieds|jambes ~1 dans ~1 le_vide,
      sur|près_de|le_long ~1 les|des|la ~1 rails|voies|voie_ferrée,
      assis|assise|debout|monté|montée ~2 sur ~1 la|le|un|une ~1 rambarde|parapet|rebord|balustrade|corniche,
      rails|voies|voie ~4 train ~3 passe|arrive|minutes, fenêtre ~3 ouverte|étage ~4 sauter|vide|saute, étage ~3 fenêtre ~2 ouverte,
      au_bord_du ~1 quai, quai ~5 sauter|pardon|sauterai|jette*|fini|rails, suis|assis|assise|debout ~4 fenêtre ~4 ouverte|étage|vide|sauter|bas,
      {place} ~5 regarde|regarder|vois|vide|bas|trains|eau, regarde|regarder|vois|fixe ~3 bas|vide|rails|train|trains|eau,
      de_l'autre|autre côté ~3 rambarde|parapet|barrière|garde-corps, enjambé|enjambe|escaladé ~2 {place}, au|le bord ~2 vide|pont|toit|falaise|quai,
      jambes|pieds ~2 dans_le|au-dessus vide|du_vide
    `),
      ...softRows("suis|assis|assise|debout|monté|montée|penché|penchée|marche|là|arrivé|arrivée|attends|me_tiens ~5 {place}"),
    ],
    alone_now: softRows("tout_le_monde ~1 dort, suis ~2 seul|seule ~2 maison|chez|appart*|ce_soir"),
    secrecy: [
      ...rows("air|ressembler|passer|croire ~3 accident"),
      ...softRows(`
      dis|dites|répète|répétez ~2 à_personne|rien, ne_le ~1 dis|dites ~1 pas|à_personne|personne, appel* ~2 {no} ~3 police|pompiers|samu|parents,
      personne ~2 se_doute|ne_saura|ne_sait_ce_que
    `),
    ],
    hopeless: rows(`
      vois ~2 pas|plus|aucune ~2 sortie|issue|solution|lumière, marre ~1 de_tout, tout ~1 m'est|est ~1 égal, plus_rien ~2 importe|compte|n'a,
      pas_d'avenir|aucun_avenir|plus_d'avenir, combien_de_temps ~3 tenir|supporter, combien ~2 temps ~3 tenir,
      combien_de_temps ~4 tenir|supporter|durer|tiendrai, sais ~2 si ~3 tenir|tiendrai|continuer, à_quoi ~2 rime|sert ~3 tout|vie|vivre|ça,
      fatigué|fatiguée|lasse|las ~1 d'|de ~1 exister|vivre|la_vie|tout, d'exister ~1 fatigué|fatiguée, baissé ~1 les_bras,
      {want} ~1 que_tout|que_ça ~2 s'arrête|se_termine, tout ~2 s'arrête ~1 enfin, c'est ~1 foutu ~1 pour_moi,
      j'y_arrive_plus|j'y_arriverai_jamais|j'arrive_plus ~1 à_vivre|à_tenir|à_continuer,
      aucun|aucune ~1 sens|espoir|avenir|solution|issue|raison|sortie|but|intérêt|échappatoire,
      plus ~2 espoir|avenir|force|forces|sens|raison|goût|rien|solution, sans ~1 espoir|issue|avenir, j'en_peux ~1 plus, en_peux ~1 plus,
      n'en_peux_plus, je ~1 tiens|supporte|peux|tiendrai ~2 plus ~1 le_coup|vie|continuer|ça|rien|longtemps|souffr*|tenir,
      peux ~1 {no} ~1 continuer|comme_ça|tenir|supporter, à_quoi_bon|à_quoi ~2 sert|bon, à_quoi ça_sert,
      ma_vie ~3 merde|foutue|enfer|gâchée|rien|finie|cauchemar|ratée, {me} ~1 déteste|hais|dégoûte, déteste|hais ~1 ma_vie|vivre,
      j'abandonne|abandonne|baisse_les_bras|laisse_tomber_la_vie, au_bout ~1 du_rouleau,
      marre|fatigué|fatiguée ~1 de ~1 tout|lutter|me_battre|souffrir|exister|cette, vaut ~2 la_peine|le_coup ~1 vivre|vécue|d'être,
      vaut_pas ~2 la_peine|le_coup, {no} ~1 a|d' ~1 espoir|avenir|issue, plus_de|pas_d'|pas_de ~1 espoir|avenir|issue|sens|futur,
      vie|rien|tout|ça ~3 {no} ~1 de_sens|aucun_sens|plus_de_sens, je_suis_à_bout, rien ~2 changera|s'arrangera|ira_mieux|a_de_sens|n'a_de_sens,
      {want} ~2 que_ça|que_tout ~1 s'arrête|cesse|finisse|arrête|se_termine, que ~2 la_douleur|souffrance ~1 s'arrête|cesse,
      pourquoi ~2 continuer|vivre|je_vis|encore_là|rester_en_vie, ça|rien ~2 ira|s'arrangera|changera ~1 jamais,
      je_sers|sert|sers ~1 à_rien ~1 de_vivre|de_continuer|vivre
    `),
    burden: rows(`
      je ~1 gêne|dérange|encombre ~1 tout_le_monde|tous|ma_famille, sans_moi ~4 plus_simple|plus_facile|mieux|tranquilles|heureux,
      vaux ~1 rien ~2 personne, compte|importe|manque ~2 pour_personne|à_personne, pour_personne ~1 compte,
      mieux ~2 si_je|si_j' ~2 étais|n'étais|existais|disparaissais|pas_là,
      vivrait|vivraient|serait|seraient ~3 mieux|tranquilles|heureux ~3 sans_moi|pas_là|si_je_n'étais,
      je_suis ~1 de_trop|un_échec|une_erreur|un_poids, personne ~2 m'aime|ne_m'aime,
      suis ~3 fardeau|poids|boulet|charge|problème|bonne_à_rien|bon_à_rien|inutile|de_trop|gêne, mieux ~2 sans_moi,
      sans_moi ~4 mieux|heureux|tranquille*|soulagés|bien, manquerai|manquerais|manquera ~2 {no}|personne|à_personne,
      personne ~3 manquerai|remarquer*|aime|regrett*|besoin|aperce*|pleurer*|rendrait|rendra, gâche|pourris ~2 vie ~2 tout|tous|autres|famille,
      sers|sert|vaux ~1 à_rien|rien, bon|bonne ~1 à_rien, rendrais|rends|rendre ~2 service ~2 tout_le_monde|tous|disparais*,
      je|j' ~1 ne? fais ~1 que ~2 souffrir|du_mal|déranger|gêner, je_dérange|j'encombre ~2 tout_le_monde
    `),
    disappear: rows(`
      {want}|{envie} ~3 disparaître|disparaitre|plus_exister|m'effacer|m'évaporer|plus_être_là,
      {want}|{envie} ~2 {no} ~2 exister|être_là|être_ici|là, veux|voudrais|envie ~2 plus ~2 être_là|exister|être_ici|là,
      veux|voudrais ~1 juste ~1 disparaître, disparaître ~2 pour_toujours|monde|bon|jamais, jamais ~2 être|été ~1 née|né, {no} ~2 être ~1 née|né,
      {no} ~1 née|né, cesser|arrêter ~1 d'exister, tout_plaquer ~3 jamais, partir ~2 pour_toujours|ne_jamais_revenir|très_loin_et
    `),
    fear_of_self: rows(`
      {no} ~2 confiance ~1 en_moi, confiance_en_moi ~3 nuit|soir|seule|seul, me_fais_peur|peur_de_moi-même|peur_de_moi,
      peur ~2 de ~4 moi|faire|capable|craquer|geste|bêtise|connerie, peur ~3 ce_que ~3 faire|capable, confiance ~2 en_moi ~2 seule|soir|nuit,
      fais|faire ~2 une ~2 bêtise|connerie, {no} ~2 en_sécurité, devrais|dois|faut ~2 {no} ~2 rester ~1 seule|seul,
      suis|serais|sens ~1 capable ~2 de ~1 tout|faire_une|pire
    `),
    intrusive: rows(`
      peur|honte|horreur ~2 de ~2 mes_pensées|ces_images, mes_pensées ~5 pousser|sauter|blesser,
      images|pensées ~5 sauter|saute|pousser ~6 jamais|veux_pas|peur, pensées|images|idées ~2 intrusives|parasites|obsédantes|non_voulues,
      pensées|images|idées ~5 {no}|sans ~2 veux|vouloir|voulu, pulsion* ~3 sauter|couper|tourner, phobie* ~1 d'impulsion*, envie_bizarre ~3 sauter
    `),
    command_voices: rows(`
      voix ~4 dit|disent|ordonne|ordonnent|crie|crient|répète|répètent|veulent|pousse*|demande*|parle*, j'entends|entends ~3 voix,
      me_disent|m'ordonnent|me_dit ~3 tuer|sauter|mourir|couper|finir|mal
    `),
    distress: rows(`
      triste|déprimé*|angoiss*|désespéré*|anxieux|anxieuse|vide|pleure|épuisé*|panique|solitude|seul|seule|perdu|perdue|dépression|déprime,
      je ~1 vais ~2 mal, {me} ~1 sens ~2 mal|nul|nulle|horrible, ça_va ~2 pas|mal
    `),
    violence_to_others: rows(`
      vais|veux|envie ~2 le|la|les tuer|buter|planter|crever|frapper, tuer|buter|planter ~1 quelqu'un|mon|ma|tous|mes,
      je_vais|je ~1 le|la|les bute|tue
    `),
    abuse: rows(`
      il|elle|{people} ~3 me|m' ~2 frappe|bat|tape|viole|menace|violée|violé|frappée|touche|séquestre|maltraite|cogne,
      {me} ~2 frappe|bat|viole|maltraite|menace_de_me_tuer, {people}|il|elle ~2 va|veut|menace ~2 {me} ~1 tuer,
      j'ai|été|m'a ~2 violée|violé|agressée|battue|abusée|abusé
    `),
    eating_disorder: rows(`
      fais|faire|fait ~1 vomir, vomis ~4 repas|manger|mange|chaque, mange ~2 plus|rien, jours ~2 sans_manger|mangé, rien_mangé|plus_manger,
      anorexi*|boulimi*|hyperphag*|laxatif*|purger, trop_grosse|trop_gros ~4 manger, mérite ~2 manger
    `),
    psychosis: rows(`
      me|m' ~2 suivent|surveillent|espionnent|empoisonnent|persécutent|écoutent, puce ~3 tête|cerveau, télé|radio ~3 parle|messages,
      vois ~3 choses|gens ~4 pas_là|existent, contrôle* ~2 mes_pensées
    `),
    medical_emergency: rows(`
      peux ~2 respirer, arrive ~2 respirer, douleur ~3 poitrine, infarctus|avc|inconscient*|convuls*|évanoui*, overdose|surdose
    `),
    other_at_risk: rows(`
      {people} ~2 vient ~1 de|d' ~1 avaler|prendre|s'ouvrir, {people}|quelqu'un|ami ~5 est_suicidaire|suicidaire,
      {people} ~4 qu'elle|qu'il ~2 veut|voulait ~1 plus_vivre|mourir, {people} ~4 toit|pont|fenêtre|rambarde ~4 sauter,
      {people}|il|elle ~4 veut|voulait|va|parle|pense|menace|essayé|dit|tenté|songe ~3 se|s' ~2 {kill}|faire_du_mal|suicider|mutiler,
      {people}|il|elle ~4 veut|voulait|voudrait ~1 plus_vivre|mourir|disparaître|en_finir, {people}|il|elle ~6 veut|envie ~2 mourir|en_finir|crever,
      veut|va|voulait|pense|essayé ~2 se suicider|tuer|pendre|jeter, se|s' suicider|scarifie|mutile|automutile|pendre,
      {people}|il|elle ~2 a ~2 {took} ~3 {all}|{pills}|{poison} ~3 {pills}|boîte|plaquette, {people}|il|elle ~3 a ~2 {took} ~2 {all},
      {people}|il|elle ~4 suicidaire*|suicide|scarifie, {people} ~5 adieu|adieux|lettre_d'adieu, parle ~2 de_suicide|se_tuer|en_finir,
      se_coupe ~4 {body}|cachette|exprès, se_fait ~2 du_mal
    `),
  },
  frames: together(frameIds, [frenchFrames, everyday.fr]),
});
