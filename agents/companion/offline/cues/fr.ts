import { cuesFrom, patterns, whole, words } from "./cues.ts";

const polite =
  "(?:(?:bonjour|salut|ok|alors|bon|s'il te plaît|oui)[,!.]? +|(?:peux-tu|tu peux|pourrais-tu|tu pourrais|est-ce que tu peux|je voudrais que tu) )*";
const asked = "(?: s'il te plaît| stp| maintenant| merci)*";
const kin =
  "(?:mère|maman|père|papa|frère|sœur|fils|fille|bébé|femme|mari|compagnon|compagne|copain|copine|ami|amie|oncle|tante|cousin|cousine|grand-père|grand-mère|chien|chienne|chat|chatte)";
const exercice =
  "(?:(?:un|l'|cet|cet |autre) ?)?(?:petit )?exercices?(?: (?:de|pour) (?:respiration|respirer|ancrage|relaxation|valeurs|me calmer))?";

/** French. */
export const french = cuesFrom({
  memory: {
    status: whole(`${polite}(?:quel est l')?(?:état|statut) de (?:la|ta) mémoire`, `${polite}de combien de choses te souviens-tu`),
    list: whole(
      `${polite}(?:que|qu'est-ce que) (?:sais-tu|tu sais|te rappelles-tu|tu te rappelles|as-tu retenu|tu as retenu|as-tu enregistré|tu as enregistré)(?: (?:de|sur) moi)?${asked}`,
      `${polite}de quoi te souviens-tu(?: (?:de|sur|à propos de) moi)?`,
      `${polite}(?:montre|dis)-moi (?:tout )?ce que tu (?:sais|as retenu|as enregistré)(?: (?:de|sur) moi)?${asked}`,
    ),
    recall_on: whole(`${polite}(?:active|réactive) (?:le rappel|les souvenirs|la mémoire)${asked}`),
    recall_off: whole(`${polite}(?:désactive|coupe) (?:le rappel|les souvenirs|la mémoire)${asked}`),
    preference: whole(
      `${polite}(?:désormais|à partir de maintenant|dorénavant),? (?<text>.{4,280})`,
      `${polite}(?<text>je préfère (?:que tu |des réponses |les réponses |des phrases ).{3,260})`,
    ),
    forget_by_index: whole(
      `${polite}(?:oublie|efface|supprime) (?:le |la |l')?(?<kind>fait|souvenir|séance|session|règle|préférence) (?:numéro )?(?<place>\\d{1,3})${asked}`,
      `${polite}(?:oublie|efface|supprime) (?:le |numéro |le numéro )?(?<place>\\d{1,3})${asked}`,
    ),
    forget_by_query: whole(
      `${polite}(?:oublie|efface|supprime) (?:tout )?ce que (?:je t'ai dit|tu sais|j'ai dit) (?:de|du|sur|à propos de) (?<query>.{2,80}?)${asked}`,
      `${polite}(?:oublie|efface|supprime) (?:tout|les souvenirs) (?:de|du|sur) (?<query>.{2,80}?)${asked}`,
      `${polite}oublie que (?<query>.{4,80}?)${asked}`,
      `${polite}(?:oublie|efface|supprime) (?:l'histoire (?:de|du|avec)|ce qui concerne) (?<query>.{2,80}?)${asked}`,
      `${polite}(?:oublie|efface|supprime) (?<query>(?:mon|ma|mes) .{2,60}?)${asked}`,
    ),
    forget_vague: whole(`${polite}(?:oublie|efface|supprime) (?<query>ça|cela|ceci)${asked}`),
  },
  recalls: words(
    "(?:te souviens-tu|tu te souviens|tu te rappelles|te rappelles-tu)\\b.*",
    "la dernière fois qu'on a parlé\\b.*",
    "je t'(?:ai|avais) (?:dit|parlé|raconté)\\b.*",
  ),
  lookup: patterns(
    `^${polite}(?:cherche(?:r)?|recherche(?:r)?|vérifie(?:r)?)(?: des informations (?:sur|de))? (?!à)(?<query>.{3,200})$`,
    `^${polite}(?:que dit la (?:recherche|science)|y a-t-il des (?:preuves|études)|combien d'heures|combien de (?:gens|personnes|temps))\\b.*`,
    `^${polite}(?:qu'est-ce que|qu'est-ce qu'|c'est quoi) (?!je|tu|se passe|il|on|ça|ne va).{3,200}$`,
    "^(?:est-ce que )?(?:le café|la caféine|l'alcool|le sport|le magnésium|la mélatonine|la méditation|le yoga|la sieste) (?:aide|affecte|empêche|nuit|améliore)\\b.*",
  ),
  exercise: [
    ...words(
      `(?:on peut|pouvons-nous|peut-on|faisons|j'aimerais|je voudrais|je veux|j'ai besoin d'|on fait|essayons|commençons) ?(?:faire |essayer |commencer )?${exercice}`,
      `(?:guide-moi|accompagne-moi|montre-moi|donne-moi)(?: (?:dans|pour|à travers))? ${exercice}`,
    ),
    ...whole(
      `${polite}(?:exercice (?:de respiration|d'ancrage|sur les valeurs|de relaxation)|respiration carrée|journal de pensées|boussole des valeurs)${asked}`,
    ),
  ],
  exercise_vague: whole(`${polite}(?:on peut faire|faisons|on fait) (?:quelque chose|ça)`),
  accepts: whole(
    "(?:oui|d'accord|ok|volontiers|bien sûr|avec plaisir|allons-y|je veux bien)(?:[,.! ]+(?:s'il te plaît|allons-y|merci|volontiers|on y va|je veux bien))*",
  ),
  declines: whole("(?:non|pas maintenant|plutôt pas|annule|laisse tomber|non merci)(?:[,.! ]+(?:merci|pas maintenant|laisse))*"),
  resumes: words("(?:reprendre|reprenons|revenir à|revenons à|continuer|continuons) (?:l')?exercice", "où (?:en étions-nous|on en était)"),
  asks_back: words(
    "(?:qu'est-ce que tu veux dire|que veux-tu dire|ça veut dire quoi)",
    "je ne comprends pas (?:l'étape|la question)",
    "est-ce que (?:je peux|ça compte)\\b.*",
  ),
  turns_away: patterns("^(?:au fait|attends|autre chose|avant de continuer|je voudrais parler)[,: ].{6,}"),
  exits: [
    ...whole("(?:stop|arrête|arrêtons|ça suffit|assez|on arrête)(?: (?:là|maintenant|s'il te plaît|l'exercice|ici))*"),
    ...words("je (?:ne )?veux (?:plus|pas) (?:continuer|faire)\\b.*", "je veux (?:arrêter|m'arrêter)"),
  ],
  stuck: words("je n'(?:arrive pas|y arrive pas)\\b.*", "je (?:ne )?trouve (?:pas|rien)\\b.*", "(?:trop )?difficile", "je ne sais pas"),
  holds: words("(?:attends|un (?:moment|instant)|une (?:minute|seconde)|pas encore)", "distrait[e]?"),
  done: [...whole("(?:fini|terminé|c'est fait|fait|suivant|oui|prêt|prête)(?:[,. ]+(?:fini|suivant|fait|c'est fait))*"), ...words("étape suivante")],
  unclear: whole(
    "(?:ça|cela|chose|truc|le truc|quelque chose|tout|rien|aide|aide-moi|à l'aide|je ne sais pas|sais pas|hm+|bof|ben|encore ça|comme d'habitude|c'est arrivé|peu importe|laisse tomber|tu peux le faire|fais-le)(?: (?:s'il te plaît))?",
  ),
  just_listen: words(
    "(?:pas de|sans) conseils?",
    "je ne veux pas de conseils?",
    "(?:juste|seulement) (?:besoin )?(?:que tu m'écoutes|d'être écouté\\p{L}*|parler|vider mon sac|m'écouter)",
    "écoute-moi (?:juste|simplement)",
    "vider mon sac",
  ),
  closing: whole(
    "(?:bon|ok|merci|bien)?[,.! ]*(?:au revoir|à (?:bientôt|demain|plus tard|la prochaine|plus)|bonne nuit|bonne (?:soirée|journée)|je (?:dois y aller|dois partir|vais (?:dormir|me coucher|y aller))|c'est tout(?: pour aujourd'hui)?|ce sera tout)(?:[,.! ]+(?:merci|pour aujourd'hui|à (?:bientôt|demain)|de m'avoir écouté\\p{L}*|au revoir))*",
    "merci (?:beaucoup )?(?:pour (?:tout|ton aide|ton écoute|aujourd'hui)|de m'avoir écouté\\p{L}*)",
    "merci[,.! ]+(?:c'est tout|ce sera tout|au revoir|à (?:bientôt|demain))(?: pour aujourd'hui)?",
  ),
  greeting: whole("(?:bonjour|salut|bonsoir|coucou)(?:[,.! ]+(?:ça va|comment (?:ça va|vas-tu)|à nouveau))*", "(?:ça va|comment (?:ça va|vas-tu))"),
  thanks: whole("(?:merci(?: beaucoup)?)"),
  wants_to_understand: words(
    "pourquoi (?:je|j'|est-ce que|ça|mon|ma|suis-je|ai-je)\\p{L}*\\b.*",
    "(?:que|qu'est-ce qui) se passe(?:-t-il)? (?:dans|quand|chez)\\b.*",
    "est-ce (?:que c'est )?normal\\b.*",
    "(?:je (?:voudrais|veux|aimerais)|j'aimerais|aide-moi à) comprendre\\b.*",
    "je ne comprends pas pourquoi\\b.*",
  ),
  wants_a_way: words(
    "(?:que|qu'est-ce que) (?:puis-je|je peux|dois-je|je dois|je pourrais) faire\\b.*",
    "comment (?:puis-je|je peux|faire pour|gérer|je pourrais)\\b.*",
    "(?:des|as-tu des|tu as des|donne-moi des) (?:conseils|idées|astuces)\\b.*",
    "aide-moi à (?:me calmer|dormir|organiser|préparer|décider)\\b.*",
    "quelque chose de (?:pratique|concret)\\b.*",
  ),
  recurring: words(
    "(?:encore et encore|chaque fois que|à chaque fois|tous les (?:jours|soirs|matins)|toujours (?:la même chose|pareil|le même)|sans cesse|je finis toujours|ça recommence|le même schéma)\\b.*",
  ),
  approaches: {
    grief_support: words(
      `(?:mon|ma) ${kin} (?:est|vient de|vient d'être) (?:\\p{L}+ )?(?:mort[e]?|décédé[e]?|mourir|décéder)`,
      `(?:la mort|l'enterrement|les obsèques|la perte) de (?:mon|ma)\\b.*`,
      `perdu (?:mon|ma) ${kin}`,
      "(?:deuil|endeuillé[e]?)",
    ),
    pfa: words(
      "(?:un|d') ?accident",
      "(?:on m'a|j'ai été|je me suis fait) (?:volé|agressé|attaqué|cambriolé|agresser|voler)\\p{L}*\\b.*",
      "(?:en état de |sous le )choc",
      "(?:arrête pas|cesse pas) de trembler",
      "tremblement de terre|incendie|inondation",
    ),
    motivational_interviewing: words(
      "une partie de moi\\b.*",
      "d'un côté\\b.*",
      "je ne sais pas si je (?:dois|devrais|veux)\\b.*",
      "(?:devrais-je|dois-je|est-ce que je devrais) (?:quitter|partir|rester|arrêter)\\b.*",
      "je n'arrive pas à (?:me décider|décider)\\b.*",
    ),
    dbt_skills: words(
      "(?:dépassé[e]?|submergé[e]?|débordé[e]?)",
      "(?:c'est|tout est|ça fait) trop",
      "n'arrive pas à me calmer",
      "(?:crise|attaque) de panique",
    ),
    cbt: words(
      "je suis (?:un |une )?(?:raté[e]?|nul(?:le)?|idiot[e]?|échec|bonne? à rien)",
      "tout le monde (?:pense|me déteste|se moque|me juge)\\b.*",
      "je n'arrête pas de (?:penser|ruminer)\\b.*",
      "et si\\b.*",
      "c'est (?:de )?ma faute",
    ),
    act: words("mes valeurs", "ce qui (?:compte|m'importe)(?: vraiment| pour moi)?", "sens (?:de|à) ma vie", "en pilote automatique"),
    interpersonal_therapy: words(
      "(?:dispute|disputé[es]*|engueulé[es]*|conflit)\\b.*",
      "(?:mon|ma) (?:patron|patronne|chef|cheffe|copain|copine|mari|femme|mère|père|collègue) (?:ne|n'|est|m'|me|a|dit|veut)\\b.*",
      "(?:rupture|divorce|m'a quitté[e]?|séparé[es]*)",
      "(?:seul[e]?|rejeté[e]?|exclu[e]?) (?:en ce moment|ces temps)|je me sens (?:très |si |tellement )?(?:seul|rejeté|exclu)\\p{L}*",
    ),
  },
  missed: words("(?:tu ne (?:m'écoutes|me comprends|comprends) pas|ce n'est pas ce que (?:je voulais dire|j'ai dit)|ça ne m'aide pas)"),
  asks_about_it: words("(?:quelle? est ton|tu aimes|comment tu t'appelles|quel âge as-tu|raconte-moi une (?:blague|histoire))\\b.*"),
  introduces: words("(?:je m'appelle|mon nom est|mon prénom est) (?<name>\\p{L}[\\p{L}'-]{1,20})"),
  what_can_you_do: words(
    "(?:que|qu'est-ce que) (?:peux-tu|tu peux|sais-tu|tu sais) faire",
    "comment (?:peux-tu|tu peux) m'aider[? .]*$",
    "à quoi sers-tu",
    "comment ça marche[? .]*$",
  ),
  asks: patterns("[?]\\s*$"),
  what_are_you: words(
    "(?:es-tu|tu es|êtes-vous|vous êtes) (?:une? |vraiment )*(?:humain[e]?|robot|bot|ia|machine|personne|intelligence artificielle|thérapeute|médecin|psy|réel(?:le)?)\\b.*",
    "(?:qui es-tu|qui êtes-vous|tu es qui|qu'es-tu)",
  ),
  what_do_i_have: words(
    "(?:est-ce que j'ai|ai-je) (?:une |un )?(?:dépression|tdah|trouble|anxiété|burn-?out)\\b.*",
    "suis-je (?:dépressi[fv]e?|fou|folle|malade)\\b.*",
  ),
});
