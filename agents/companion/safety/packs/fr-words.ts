import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";
import { shortForms } from "./short-forms.ts";

/** Words of French: what tells it from other languages, lists that its patterns name, short forms, and words in which a slip is forgiven. */
export const frenchWords: Pick<RulePack, "detect" | "words" | "abbreviations" | "lexicon"> = {
  detect: {
    words: rows(`
      je, j, suis, pas, les, une, des, est, mais, avec, pour, dans, plus, tout, tous, moi, mon, ma, mes, ce, ça, cette, c, ai, veux, peux, vais,
      fait, être, avoir, rien, jamais, personne, sans, sur, qui, quand, comme, aujourd'hui, soir, demain, nuit, vie, très, trop, bien, merci,
      bonjour, oui, non, le, la, et, il, elle, on, nous, vous, au, aux, du, en, ne, se, leur, aussi, encore, jsuis, chui, jai, jveux, parce, depuis,
      déjà, était, perdre, peindre, coudre, couler, sautés, sauté, coupes, coupure, poignée, poignées, tueur
    `),
    script: "Latin",
  },
  words: {
    or: rows("ou, ni"),
    self: ["je", "j", "me", "m", "moi", "mon", "ma", "mes"],
    contrast: ["mais", "pourtant", "cependant"],
    want: rows(`
      veux, voudrais, veut, aimerais, souhaite, souhaiterais, voulais, aurais voulu, désire, préfère, préférerais, préfererais
    `),
    envie: rows("envie, besoin, hâte"),
    going: rows("vais, compte, pense, prévois, décidé, décidée, voulu, songe, allais, prêt, prête, projette, sur le point"),
    kill: rows(`
      tuer, suicider, pendre, buter, flinguer, foutre en l'air, zigouiller, empoisonner, supprimer, immoler, défoncer la tête, tirer une balle,
      trancher les veines, ouvrir les veines, ôter la vie, enlever la vie, noyer, égorger, étrangler
    `),
    jump: rows("sauter, jeter, balancer, lancer, jette, saute, balance, lance, jetterai"),
    high: rows(`
      pont, toit, balcon, fenêtre, falaise, immeuble, train, métro, rer, voies, rails, étage, tour, camion, voiture, vide, viaduc, quai, rambarde,
      parapet, eau, seine, fleuve, tgv, tram, haut
    `),
    place: rows(`
      pont, toit, balcon, falaise, voies, rails, rambarde, parapet, bord, corniche, viaduc, voie ferrée, précipice, terrasse, garde-corps, garde-fou,
      passerelle, rebord, barrière
    `),
    pills: rows(`
      cachet*, comprimé*, médicament*, médoc*, medoc*, pilule*, gélule*, somnifère*, anxiolytique*, antidépresseur*, doliprane*, paracétamol, xanax,
      lexomil, insuline, plaquette*, pillule*, neuroleptique*, calmants, cachetons, tramadol, traitement
    `),
    poison: rows("poison, javel, mort-aux-rats, mort aux rats, pesticide*, antigel, désherbant, soude, raticide"),
    all: rows(`
      tout, tous, toute, toutes, entière, entier, boîte*, plaquette*, tube, flacon*, poignée*, plein, trop, surdose, vidé, vingt, trente, quarante,
      cinquante, cent, 20, 30, 40, 50, 60, 100, dizaines, vingtaine, trentaine, quarantaine, overdose, bouteille*
    `),
    took: rows("pris, prise, avalé, avaler, gobé, ingéré, bu, avalés, avalées, prises, ingurgité, englouti, descendu"),
    weapon: rows("couteau, lame*, rasoir, cutter, fusil, flingue, pistolet, arme, carabine, scalpel, gun, revolver"),
    tool: rows(`
      corde, noeud coulant, noeud, ceinture, fusil, flingue, pistolet, arme, carabine, lame*, rasoir, poison, gun, revolver, cartouche*
    `),
    hand: rows("main, mains, table, devant, chargé, chargée, prêt, prête, prêts, côté, lit, chevet, tiroir, sous les yeux, poche"),
    day: rows("lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, week-end, weekend, anniversaire, noël, anniv"),
    soon: rows(`
      aujourd'hui, ce soir, cette nuit, demain, maintenant, tout à l'heure, bientôt, ce matin, cet aprem, tonight, ajd, cet après-midi
    `),
    people: rows(`
      ami, amie, frère, soeur, mère, père, maman, papa, fils, fille, copain, copine, mari, femme, ex, cousin, cousine, collègue, voisin, voisine,
      pote, meuf, mec, oncle, tante, conjoint, compagnon, compagne, élève, coloc, grand-mère, grand-père, reuf, reum, daron, daronne, patiente,
      patient, neveu, nièce, enfant, ado, quelqu'un, camarade, meilleure, meilleur, chum, blonde
    `),
    body: rows("bras, poignet*, cuisse*, jambe*, peau, veines, avant-bras, ventre, mollet*"),
    me: rows("me, m"),
    no: rows("pas, plus, jamais"),
  },
  abbreviations: shortForms(`
    jsuis = je suis, chui = je suis, chuis = je suis, jsui = je suis, jveux = je veux, jveu = je veux, jpeux = je peux, jpeu = je peux,
    jvais = je vais, jvai = je vais, jai = j'ai, jen = j'en, jme = je me, jm = je m, jle = je le, jlai = je l'ai, jpense = je pense, jsais = je sais,
    jcrois = je crois, jfais = je fais, jvoulais = je voulais, jvoudrais = je voudrais, jaimerais = j'aimerais, jarrive = j'arrive, cest = c'est,
    jamé = jamais, ojd = aujourd'hui, ajd = aujourd'hui, aujourdhui = aujourd'hui, dmain = demain, tt = tout, pq = pourquoi, pk = pourquoi,
    pcq = parce que, qd = quand, qq1 = quelqu'un, mdr = mort de rire, ptdr = mort de rire, svp = s'il vous plaît, stp = s'il te plaît,
    mtn = maintenant, bcp = beaucoup, vrmt = vraiment, tjr = toujours, tjrs = toujours, psk = parce que, oim = moi, ouam = moi, relou = lourd,
    creuver = crever, qqn = quelqu'un
  `),
  lexicon: rows(`
    suicider, suicide, mourir, tuer, pendre, cachets, comprimés, médicaments, disparaître, crever, scarifier, scarification, avalé, sauter, mutiler,
    couper, adieu, poignets, suicidaire, suicidaires
  `),
};
