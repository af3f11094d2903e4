import type { RulePack } from "throughline/safety";
import { rows } from "./rows.ts";
import { shortForms } from "./short-forms.ts";

/** Words of German: what tells it from other languages, lists that its patterns name, short forms, and words in which a slip is forgiven. */
export const germanWords: Pick<RulePack, "detect" | "words" | "abbreviations" | "lexicon"> = {
  detect: {
    words: rows(`
      ich, nicht, und, das, ist, mir, mich, mein, meine, auf, für, mit, aber, auch, noch, wie, wenn, nur, schon, bin, habe, hab, kann, will, möchte,
      leben, heute, immer, nichts, alles, mehr, sich, sein, der, die, den, dem, ein, eine, einen, einfach, jetzt, morgen, gerade, wird, werde, danke,
      hallo, gibt, keine, kein, weiß, weil, nach, isch, nöd, nüm, ned, du, war, dass, vom, zum, zur, bei, sehr, ihr, wir, man, über, tag, gestern,
      lesen, lieben, legen, loben, streben, strich, brücken, schlingel, spring, sprechen
    `),
    script: "Latin",
  },
  words: {
    or: rows("oder, noch"),
    self: ["ich", "mich", "mir", "mein", "meine", "meinem", "meinen", "i", "isch"],
    contrast: ["aber", "doch", "sondern", "trotzdem", "jedoch"],
    want: rows(`
      will, möchte, moechte, mag, wollte, möcht, mecht, würde, wuerde, muss, wünschte, wünsche, wuenschte, moecht, wil
    `),
    kill: rows(`
      umbringen, umzubringen, töten, toeten, erhängen, erhaengen, erschießen, erschiessen, vergiften, aufhängen, aufhaengen, killen
    `),
    killed: rows("umbringe, töte, toete, erhänge, erhaenge, erschieße, erschiesse, vergifte, aufhänge, umbrächte"),
    leap: rows("springen, stürzen, stuerzen, werfen, schmeißen, schmeissen, legen, runterspringen, runterstürzen, spring, springe"),
    pills: rows(`
      tablette*, pille*, schlaftablette*, schlafmittel, medikament*, kapsel*, ibus, ibuprofen, paracetamol, schmerzmittel, antidepressiva,
      *tabletten, *pillen, tavor, insulin, schmerztabletten, blister, meds, benzos, pulver
    `),
    poison: rows("gift, rattengift, bleiche, chlor, abflussreiniger, pflanzengift, frostschutzmittel"),
    all: rows(`
      alle, alles, ganze, ganzen, gesamten, packung*, schachtel*, flasche*, handvoll, überdosis, ueberdosis, sämtliche, komplette, kompletten,
      zuviele, zwanzig, dreißig, vierzig, fünfzig, hundert, 20, 30, 40, 50, 60, 100, massenhaft, sämtlichen
    `),
    swallowed: rows(`
      genommen, geschluckt, eingenommen, reingeworfen, eingeworfen, getrunken, runtergespült, gnoh, gschluckt, intus, reingehauen
    `),
    weapon: rows(`
      messer, klinge, klingen, rasierklinge*, pistole, waffe, gewehr, revolver, knarre, skalpell, cutter, jagdgewehr, dienstwaffe
    `),
    tool: rows(`
      strick, seil, schlinge, gürtel, pistole, waffe, gewehr, gift, rattengift, rasierklinge*, revolver, knarre, jagdgewehr, strang
    `),
    hand: rows(`
      hand, händen, haenden, tisch, nachttisch, mir, bereit, geladen, griffbereit, bett, schublade, daliegen, liegen, liegt
    `),
    place: rows(`
      brücke, bruecke, dach, bahnsteig, gleis, gleise, gleisen, bahngleis*, schienen, geländer, gelaender, klippe, abgrund, hochhaus, parkhaus,
      autobahnbrücke, turm, balkon, bahnübergang, brückengeländer, fenstersims, fensterbrett, bahnsteigkante, kante
    `),
    high: rows(`
      brücke, bruecke, dach, zug, bahn, s-bahn, u-bahn, ubahn, sbahn, gleis, gleise, schienen, klippe, balkon, fenster, auto, hochhaus, tod, tiefe,
      turm, lkw, laster, autobahn, stock, parkhaus, geländer, baum, wasser
    `),
    day: rows(`
      montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonnabend, sonntag, wochenende, geburtstag, weihnachten, silvester
    `),
    soon: rows("heute, morgen, abend, nacht, jetzt, gleich, bald, heit, hüt, übermorgen, stunde, minuten"),
    people: rows(`
      freund, freundin, bruder, schwester, mutter, vater, mama, papa, sohn, tochter, partner, partnerin, mann, frau, ex, kollege, kollegin, nachbar,
      nachbarin, cousin, cousine, onkel, tante, oma, opa, kumpel, mitbewohner*, schüler*, chef, kind, freundes, geschwister, kumpels, mutti, vati,
      enkel, bekannte, bekannter, bester, beste, jemand, typ, klassenkamerad*
    `),
    body: rows("arm, arme, armen, handgelenk*, beine, bein, oberschenkel, haut, unterarm*, pulsadern, adern, puls, bauch"),
    tired: rows("müde, mued, lebensmüde, satt, leid, kraft, keine"),
  },
  abbreviations: shortForms(`
    hab = habe, hb = habe, nich = nicht, nimmer = nicht mehr, nimma = nicht mehr, ned = nicht, nöd = nicht, nüm = nicht mehr, nümme = nicht mehr,
    mehra = mehr, ka = keine ahnung, kb = keinen bock, iwie = irgendwie, iwann = irgendwann, vllt = vielleicht, vlt = vielleicht, wg = wegen,
    svv = selbstverletzung, ritzn = ritzen, wott = will, läbe = leben, stärbe = sterben, lebn = leben, sterbn = sterben, gibs = gibt es,
    habs = habe es, machs = mache es, ichs = ich es, kanns = kann es, wars = war es, gehts = geht es, halts = halte es, ists = ist es, nen = einen,
    nem = einem, heit = heute, hüt = heute
  `),
  lexicon: rows(`
    umbringen, sterben, selbstmord, suizid, tabletten, abschied, verschwinden, ritzen, erhängen, brücke, abschiedsbrief, springen, lebensmüde,
    geschluckt, pulsadern, schlinge, strick, selbstverletzung, suizidgedanken, selbstmordgedanken
  `),
};
