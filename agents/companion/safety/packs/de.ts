import { frameIds, type RulePack } from "throughline/safety";
import { everyday } from "./everyday.ts";
import { germanFrames } from "./de-frames.ts";
import { germanWords } from "./de-words.ts";
import { rows, softRows, together } from "./rows.ts";

/** What German says in danger, with Austrian and Swiss spellings, and umlauts written out. `mich` and `mir` beside a verb stand for the writer. */
export const germanPack: RulePack = Object.freeze<RulePack>({
  language: "de",
  version: "2026-11-21.3",
  coverage:
    "Wishes to die, plans, acts, farewells and self-harm in everyday German, with some Austrian and Swiss German, and umlauts written out. " +
    "Of 16 grave messages written after its rules, 11 were found at 2 or more, and of 20 harmless ones none; the rules were widened since. " +
    "What is said in irony or in dialect as it is spoken, or without any usual word, is missed.",
  support: "partial",
  ...germanWords,
  concepts: {
    wish_to_die: rows(`
      leben ~1 will|möchte|mag ~1 ich ~2 nicht|nimmer, weg|raus ~2 von|aus ~1 dieser|der ~1 welt, leben ~2 nicht ~1 lebenswert|aushaltbar, ertrage|ertrag ~2 das|dieses|mein ~1 leben ~1 nicht,
      ^ {want} ~2 sterben|tot_sein, {want} ~2 nur ~1 sterben|weg_sein_für_immer, ich ~1 will|möchte|wil|moecht ~2 nimmer|nicht_mehr ~2 leben,
      einzige|einziger ~4 tot|tod|sterben, einfach ~1 tot ~1 sein, träume|träum|sehne_mich ~2 davon|danach|nach ~2 sterben|tot|tod,
      tot_sein ~1 will|möchte|wollte, {want} ~1 tot_sein|gestorben_sein, sterben ~2 {want}|darf|dürfte, knopf ~5 sterben|tot|tod|weg,
      lieber ~1 tot|sterben, tot ~1 wäre|wär, müde ~1 vom|des|von_diesem|am ~1 leben|lebens, das_leben ~2 nicht|nichts ~1 mehr|wert ~1 wert|leben,
      ich ~1 mag|will|möchte ~1 nicht_mehr ~2 leben|da_sein|weiter|existieren|aufwachen, lasst|lass ~1 mich ~2 sterben|gehen,
      {want} ~2 am_liebsten ~2 tot|sterben, am_liebsten ~2 tot|sterben|nicht_mehr_leben|nicht_mehr_da, lieber ~2 tot|sterben|gestorben ~1 als,
      keinen|kein ~1 lebenswillen|lebensmut, nicht_mehr|nimmer ~1 leben|weiterleben ~1 will|möchte|mag|wollen|kann,
      leben ~2 nicht_mehr ~1 will|möchte|mag|ertrage|aushalte, lust|bock ~2 zu_leben, {want} ~2 nicht_mehr ~2 auf_der_welt|am_leben|existieren,
      {want} ~2 dass_es_mich ~2 nicht_mehr_gibt, {want} ~3 erlöst ~1 werden, dem_tod|der_tod ~3 willkommen|freund|näher,
      {want} mein_leben ~2 nicht_mehr, ich {want} ~3 sterben|tot|totsein|tod, {want} ich ~3 sterben|tot,
      {want} ~1 einfach|nur|endlich|lieber|gern|gerne ~2 sterben|tot, {want} ~1 ich wäre|waere|wär|wer ~2 tot|gestorben,
      wäre|waere|wär ~1 ich ~3 tot|gestorben, wäre|waere|wär ~2 lieber|besser|am_besten ~1 tot, {want} ~2 nicht ~1 mehr|weiter ~1 leben|weiterleben,
      nicht mehr leben ~1 {want}|können|kann, {want} ~2 nicht mehr ~2 leben|weiterleben|aufwachen|am_leben|auf_dieser_welt|hier_sein|da_sein,
      {want} ~2 nicht ~1 weiterleben, nicht mehr ~2 am leben ~2 sein, kann ~2 nicht mehr ~1 leben|weiterleben,
      keine ~1 lust|bock|kraft|grund ~2 mehr? ~2 zu? leben, keinen ~1 lust|bock|grund ~2 mehr? ~2 zu? leben, wunsch ~2 zu sterben,
      wünsche|wuensche|wünsch|wünschte ~3 tod|tot|sterben, sehne ~3 tod|sterben, bete ~4 sterbe|sterben, hoffe ~3 ich ~2 sterbe|sterben,
      hoffentlich ~1 sterbe ich, lebensmüde|lebensmuede|lebensüberdrüssig|todessehnsucht|todeswunsch, tot ~1 sein {want}|besser|leichter,
      tot ~1 wäre|waere|bin ~1 ~2 besser|alle|alles, lebens ~1 müde|satt|leid, tod ~3 erlösung|ausweg|einzige|lösung,
      sterben ~2 ist|wäre ~3 ausweg|einzige|lösung|besser|leichter, {want} ~3 dass ~3 leben ~2 vorbei|endet|zu_ende,
      ich ~3 das leben ~2 nicht mehr|satt|leid, nicht mehr ~1 existieren
    `),
    passive_death: rows(`
      wenn ~3 morgen ~2 nicht ~1 aufwache|aufwachen ~3 okay|ok|egal|schlimm|gut, wenn_ich ~3 nicht_aufwache|nicht_mehr_aufwache|nie_wieder_aufwache,
      für_immer|ewig ~1 schlafen|einschlafen, hoffentlich ~3 wache ~2 nicht|nie,
      einschlafen|schlafen ~4 nicht|nie mehr|wieder ~2 aufwachen|aufwache|wach*,
      einschlafen|schlafen ~4 nicht|nie|nimmer ~2 aufwachen|aufwache|aufzuwachen, nicht|nie mehr|wieder ~1 aufwachen|aufwache|aufgewacht|aufzuwachen,
      morgen|morgens ~3 nicht|nie ~1 aufwachen|aufwache|aufgewacht, egal ~3 ob|wenn ich ~3 sterbe|lebe|tot|überfahren|aufwache,
      nichts dagegen ~4 sterbe|sterben|tot|überfahren|aufwachen, wenn ~2 mich ~3 überfahren|überfährt|ueberfahren|erwischt|umfährt,
      auto|bus|lkw|zug ~3 mich ~2 überf*|ueberf*|erwisch*|erfass*|umfahr*,
      wenn ich ~2 sterbe|sterben|tot|weg ~4 egal|niemand*|keiner|besser|juckt|interessier*, würde ~3 stören|ausmachen ~4 sterb*|tot
    `),
    ideation: rows(`
      gedanke ~2 mich ~2 {kill}|umzubringen, gedanken ~2 zu_sterben|zu_springen|ans_sterben|an_den_tod,
      denke|denk ~4 ans_sterben|an_den_tod|übers_sterben|an_suizid, suizid|selbstmord ~2 nachgedacht|nachgedacht_habe|überlegt|gedacht,
      über ~1 suizid|selbstmord|das_sterben|den_tod ~2 nachgedacht|nachdenke|nachdenken, ernsthaft ~3 suizid|selbstmord|umzubringen|sterben,
      stelle|stell ~2 mir ~2 vor ~5 sterben|tot|springen|stürzen|beerdigung, vor ~1 die|den ~1 bahn|zug ~1 zu ~1 springen|werfen,
      denke|denk ~3 an ~1 selbstmord|suizid|den_tod|freitod, selbstmord|suizid ~1 zu_begehen|nachgedacht|nachdenke|denke,
      selbstmordfantasien|suizidfantasien|todessehnsucht|suizidgedanke, ob|dass ~2 sterben ~3 besser|leichter|einfacher,
      wie ~2 am_besten|schmerzlos|schnell ~2 sterbe|sterben|stirbt|umbringe, schmerzlos ~2 sterben|umbring*|stirbt,
      denke|denk|dachte|gedacht|denken|nachgedacht|nachdenke|nachdenken ~5 {kill}|sterben|suizid|selbstmord|tod|umbringe|springen|leben_zu_nehmen,
      denke|denk|dachte|denken ~2 daran|dran|drüber|darüber|nach ~5 {kill}|sterben|suizid|selbstmord|springen|beenden|nehmen|machen,
      überlege|überleg|ueberlege|überlegt|überlegen ~4 {kill}|sterben|suizid|selbstmord|springen|beenden|schluss,
      suizidgedanken|selbstmordgedanken|suizidal|suizidale|todesgedanken|suizidgefährdet|selbstmordgefährdet|suizidalen,
      stelle|stell ~3 vor ~4 sterb*|tot|springen|{kill}, vorstellung ~4 tot|sterben|springen, spiele|spiel ~3 gedanken,
      suizid|selbstmord ~3 ausweg|option|lösung|einzige|gedacht|gegoogelt,
      google|gegoogelt|suche|gesucht|recherchier* ~5 sterben|{kill}|suizid*|selbstmord*|tödlich*|umbringt, wie es ~1 wäre|waere ~3 tot|weg|sterben,
      geht|gehen ~4 kopf ~4 {kill}|sterben|springen|selbstmord|suizid,
      gedanken ~3 daran|dran|an ~4 {kill}|sterben|suizid|selbstmord|schluss_zu_machen, gedanken ~2 mich ~2 {kill}
    `),
    kill_self: [
      ...rows(`
      fahre|fahr|rase|lenke ~3 gegen|in ~2 baum|wand|mauer|brückenpfeiler|gegenverkehr,
      gegen ~2 baum|wand|mauer|brückenpfeiler ~2 fahren|rasen|fahre|rase, gleich|jetzt ~1 springe|spring ~1 ich,
      ich ~1 springe ~1 gleich|jetzt|heute, überdosis ~2 nehmen|nehme, mich ~1 heute|jetzt|gleich|später ~1 aufhängen|aufzuhängen|umzubringen,
      leben ~1 ein_ende ~1 setzen|machen|bereiten, schluss ~1 machen|mache ~2 mit ~1 dem|meinem ~1 leben,
      mit_allem|mit_dem_leben|endgültig|für_immer ~1 schluss, dem|meinem ~1 leben|elend|leiden|qual ~1 ein ~1 ende,
      mich ~2 aus_dem_fenster|von_der_brücke|vom_dach|vor_den_zug ~1 springen|stürzen|werfen|zu_stürzen|zu_werfen, mir ~2 das_leben|mein_leben,
      mich ~1 abmurksen|abknallen|wegmachen|auslöschen|hinrichten|ertränken|verbrennen_lassen, suizid|selbstmord ~2 begehen|begehe|verüben,
      freiwillig ~2 gehen|aus_dem_leben, mir ~3 strick ~1 nehmen, mich ~2 totsaufen|totfahren|totspritzen, gegen ~2 baum ~1 fahren|rasen|lenken,
      vor ~1 einen|den|die|nen ~1 zug|lkw|laster|bahn ~1 werfen|schmeißen|springen|legen, mich ~3 {kill}|suizidieren, mich ~2 {killed},
      bringe|bring|bringt|brächte ~3 mich ~2 um, erhänge|erschieße|erschiesse|vergifte|töte ~1 mich, häng|hänge|haenge|hängen ~1 mich ~2 auf,
      mir ~3 leben ~1 nehmen|zu_nehmen|nehme|beenden, nehme|nehm ~1 mir ~2 leben,
      mein|meinem ~1 leben ~2 beenden|beende|zu_beenden|schluss|ende|ein_ende,
      meinem|mein|dem|allem ~1 leben|leiden|alles? ~2 ein ende ~1 setzen|bereiten|machen|setze|mache, ein ende ~1 setzen|machen|bereiten|setze,
      selbstmord|suizid ~1 begehen|machen|zu_begehen|begehe|begangen, {want}|werde ~3 schluss machen|mache, schluss machen ~3 mit ~2 leben|allem,
      mit allem|dem|meinem ~1 leben? schluss|ende ~1 machen|mache, schluss ~2 mit ~2 allem|leben, mir ~3 pulsadern|adern|puls,
      pulsadern ~2 aufschneiden|aufschlitzen|schneide*, mir ~3 kugel ~2 kopf|jagen|geben|gebe, kugel ~2 geben,
      mir den strick|kugel|rest ~1 nehmen|geben|nehme|gebe, {want}|werde ~4 von|vom|vor|aus ~3 {high} ~2 {leap},
      springe|spring|stürze|werfe|schmeiße|schmeisse|werf|lege ~2 mich? ~2 von|vom|vor|aus|auf ~3 {high},
      mich ~2 von|vom|vor|aus|auf ~3 {high} ~1 {leap}|zu, vor ~2 den|die|einen ~1 zug|bahn|auto|lkw ~1 {leap}|laufen|gehen|zu,
      von ~2 der|dem|einer ~1 brücke|bruecke|dach ~1 {leap}|zu, {want}|werde ich? ~1 {leap},
      {all} ~2 {pills} ~2 nehmen|schlucken|zu_nehmen|nehme|schlucke|einwerfen, nehme|schlucke|nehm|schluck ~2 {all} ~3 {pills},
      {pills} ~1 {want} ~2 sterben|schlafen, goldenen schuss, aus dem leben ~1 scheiden|gehen|treten, mich ~1 selbst|selber ~1 {kill},
      heimdrehen|hamdrahn, gehe|geh|geht|gehen ~2 ins wasser, mich findet|finden|gefunden ~2 tot|hängen*
    `),
      ...softRows("freitod|selbstmord|suizid ~3 ich"),
    ],
    injure_self: rows(`
      kratze|beiße|schlage ~3 arme|arm|beine|haut|kopf ~3 blutig|blut|wand, bis ~2 blutet|blute,
      verletze|verletz ~1 mich ~1 um|damit|wenn|weil|heimlich|regelmäßig|seit|jeden,
      ritze|schneide ~1 mich ~1 heimlich|weiter|immer|jeden|seit|um|wenn, schneide|schneid|ritze|ritz ~2 mir|mich ~3 {body}|wenn|immer|wieder|seit,
      mir ~2 in ~2 {body}|beine|arme ~2 schneide|schneiden|geschnitten|ritze|geritzt,
      lust|drang|druck|bedürfnis ~2 mich ~2 schneiden|ritzen|verletzen, mich ~2 zu ~1 ritzen|schneiden|verletzen|verbrennen,
      selbstverletzung ~2 rückfällig|wieder|angefangen, mir ~1 weh ~1 tun|tue|getan|zu_tun, ritze|ritz ~1 mich,
      mich ~3 ritzen|geritzt|ritze|schneiden|geschnitten|schneide, schneide|schneid ~1 mich,
      mich ~2 selbst|selber|absichtlich ~1 verletzen|verletzt|verletze|verbrennen|verbrannt|schlagen|geschlagen|schneiden,
      verletze|verletz ~1 mich ~1 selbst|selber|wieder|absichtlich,
      mir ~2 selbst|selber|wieder|etwas|was|weh ~2 antun|anzutun|weh|wehtun|zugefügt|zufügen|tun|schaden, selbstverletz*|selbstschädig*,
      mir ~2 arm|arme|beine|handgelenk* ~2 auf? ~1 aufgeschnitten|geritzt|aufgeschlitzt|aufschneiden|verbrannt|zerkratzt,
      {body} ~3 geritzt|ritzen|geschnitten|schneiden|aufgeritzt|zerschnitten,
      wieder|rückfall|rueckfall ~3 geritzt|ritzen|geschnitten|selbstverletz*|angefangen_zu_ritzen|schneiden, druck ~3 ritzen|schneiden|verletzen,
      narben|schnitte|wunden ~3 {body}|verstecke|verdecke|verstecken, drücke|drücken ~3 zigarette* ~3 {body}|mir, brauche|brauch ~2 klinge|schmerz,
      ritze|ritzen ~1 mich|wieder|seit|an, wieder ritzen|geritzt, mit ~1 ritzen angefangen
    `),
    plan: [
      ...rows(`
      heute_nacht|heute_abend|heute|morgen ~1 nehme|schlucke|nehm ~1 ich ~2 alles|alle|sie, gehe|geh ~2 für_immer|endgültig,
      heute|heute_nacht|morgen ~3 für_immer|endgültig, bin|lebe ~2 dann ~1 nicht_mehr ~1 da|hier|am_leben, lebe|bin ich ~1 nicht_mehr|tot,
      schmerz|leid|leiden|qual|alles ~2 hat ~3 ein_ende|ende, hat ~1 mein ~1 schmerz|leid|leiden ~2 ende,
      warte ~3 bis ~4 schlafen|weg|gehen ~4 nehme|mache|springe|tue, bis ~3 schlafen ~2 dann ~1 nehme|mache|springe|tue|gehe,
      heute_nacht|heute_abend|morgen ~1 gehe|geh ~1 ich ~2 für_immer|endgültig, heute_nacht ~1 gehe_ich|geh_ich,
      habe ~3 plan ~4 umzubringen|sterben|{kill}|beenden|mich|wie|ende, plan ~3 steht|fertig|fest,
      weiß|weiss ~3 wie|wann|wo ich ~2 es ~1 mache|tue|machen|tun|anstelle|beende, entscheidung|entschluss ~2 steht|gefallen|gefasst|getroffen,
      beschlossen|entschieden ~3 zu gehen|sterben|beenden|springen, {soon}|{day} ~3 mache|mach|werde|beende|setze ~3 schluss|ende|beenden,
      {soon}|{day} ~3 beende|beenden ich? ~2 es|alles, morgen|{day} ~3 bin|lebe|werde ~1 ich ~2 nicht mehr|weg|tot|da,
      morgen ~2 gibt es mich nicht|nimmer, werde ~3 nicht_mehr|nie|nicht ~2 erleben|da_sein|dasein|leben|aufwachen|hier_sein,
      diesmal|dieses_mal ~4 klappt|klappen|funktionier*|schiefgeh*|richtig|schaff*|find*|überleb*|sicher|ernst|durch,
      wenn ~3 das|dies|diese ~2 liest|lest|lesen|gelesen ~4 bin|nicht_mehr|tot|weg|fort, sieht|aussehen|aussieht ~3 unfall,
      unfall ~2 aussehen|aussieht, andere|anderen|falschen|hinterm seite ~2 geländer*|gelaender, beine|füße ~3 baumeln|hängen,
      über ~1 dem|das geländer ~2 geklettert|gestiegen, mein|meine ~1 letzter|letzte|letztes|letzten ~1 tag|nacht|abend|geburtstag|weihnachten|woche,
      das ~1 ist|wird|war ~1 mein letzter|letzte|letztes ~1 tag|nacht|abend|geburtstag|weihnachten,
      {soon}|{day} ~2 ist|wird ~1 alles ~1 vorbei|zu_ende, werde ~3 {day}|morgen|weihnachten ~3 nicht_mehr ~2 erleben|da_sein
    `),
      ...softRows(`
      mache|mach|tue ich_es, mache|mach|tue ~1 es ~1 heute|samstag|am|wenn, gehe_ich|geh_ich, letzte_nachricht|letzten_worte|letzten_zeilen,
      wenn ~3 das|dies|diese ~2 liest|lest|lesen, waffe|pistole|gewehr|revolver ~4 geladen, strick|seil|schlinge ~4 hängt|befestigt|geknotet|fertig,
      {pills}|strick|pistole|messer ~2 vor_mir|in_der_hand, dann ~1 ist ~2 vorbei|aus|zu_ende|schluss|ruhe, alles|es ~1 hat ~2 ein_ende,
      {soon}|{day} ist ~1 es? ~1 vorbei|schluss|soweit, letzte ~1 nacht|tag|abend auf_dieser|auf_erden, nach ~3 {day} ist ~2 schluss|vorbei
    `),
    ],
    preparation: [
      ...rows(`
      habe ~2 die|meine|alle ~1 briefe ~2 geschrieben|fertig, abschiedsbrief*, abschiedsbrief*|abschiedsnachricht*|abschiedsbriefe|abschiedsvideo,
      testament ~2 geschrieben|gemacht|fertig|unterschrieben|liegt, von ~2 allen|jedem|familie|freunden|mama|kindern ~2 verabschiedet,
      mich ~3 verabschiedet|verabschieden, gesammelt|sammle|gehortet|horte|aufgespart|gespart|besorgt|gekauft|bestellt ~3 {pills},
      {pills}|{tool} ~3 gesammelt|gehortet|aufgespart|besorgt|gekauft|beschafft|bestellt|zurechtgelegt|bereitgelegt
    `),
      ...softRows(`
      {people}|nachbarin|nachbar|tierheim ~3 hund|katze|kater|hamster ~2 gegeben|gebracht|abgegeben,
      hund|katze|kater|tiere|haustier* ~3 abgegeben|weggegeben|tierheim|versorgt|untergebracht, brief*|briefe ~3 alle|allen ~2 geschrieben,
      verschenkt|verschenke|verschenken|hergegeben|weggegeben,
      habe ~3 sachen|hund|katze|kater|alles|haustier*|gitarre|bücher|kleidung ~3 verschenkt|weggegeben|abgegeben|verkauft,
      passwörter|passwoerter|unterlagen|papiere ~4 tisch|zettel|schublade|liegen|aufgeschrieben|bereit,
      alles ~2 geregelt|geordnet|erledigt|vorbereitet|aufgeräumt|in_ordnung_gebracht, jemand* ~4 um ~2 hund|katze|kinder|kater|tiere ~2 kümmer*,
      konten ~2 gelöscht|gekündigt, beerdigung ~3 bezahlt|geplant|organisiert
    `),
    ],
    farewell: [
      ...rows(`
      brief|briefe ~3 hinterlassen, verzeiht|verzeih|vergebt ~1 mir, ruft|ruf|sucht ~1 mich? ~1 nicht ~2 zu_spät|mehr|an,
      kümmert|kümmer|passt|sorgt ~2 euch|auf|um ~3 hund|katze|kinder|mama|schwester|bruder|tochter|sohn ~6 nicht_mehr|wenn_ich_weg|ohne_mich,
      wenn ~3 das|dies|diesen|hier ~2 findet|findest|gefunden ~4 lebe|bin|tot|weg, mama|papa|schatz ~3 leb_wohl|verzeih|es_tut_mir_leid ~4 liebe,
      tut_mir_leid ~3 liebe_dich|liebe_euch ~3 leb|lebt|tschüss, wollte ~2 tschüss|lebewohl|auf_wiedersehen ~2 sagen ~2 bevor,
      bevor_ich ~2 gehe|springe ~2 wollte|sage, ich ~1 liebe ~1 euch ~3 vergesst|verzeiht|leb|lebt, behaltet ~1 mich ~3 erinnerung,
      es_liegt ~1 nicht_an ~1 euch|dir, in_einem_besseren ~1 leben|ort, letzte*|letzter ~1 nachricht|worte|brief|post|gruß|mal|eintrag|satz,
      meine letzten worte|zeilen, es ~1 tut ~1 mir ~2 leid ~4 verzeih*|liebe, sag|sagt|sage|richte ~4 liebe|lieb|geliebt|leid,
      wenn ~3 das|dies|diese ~2 liest|lest|lesen|findet|findest, sucht|such ~1 nicht ~1 nach? mir|mich, sucht|such ~1 mich nicht|nimmer,
      weint|wein|trauert|trauer nicht, werdet|sollt|werd glücklich|gluecklich ~2 ohne|sein, niemand|keiner|niemanden ~2 schuld|trifft|hätte,
      nicht|keine eure|deine schuld, ihr könnt|konntet|kannst nichts ~1 dafür, wir ~1 sehen uns ~3 nächsten|anderen|drüben|jenseits|himmel|wieder,
      auf der anderen seite, ade ~1 welt|alle, tschüss|ciao|servus|adieu ~2 welt|für_immer|leute|alle|zusammen,
      bald ~1 bin|seid|ist ~2 weg|los|frei|erlöst|ruhe, habe ~1 euch|dich|alle ~3 lieb|geliebt
    `),
      ...softRows(`
      leb|lebt|lebe ~1 wohl, lebwohl|lebewohl|lebtwohl, verzeih*|verzeiht|vergib|vergebt ~2 mir|bitte,
      tut|tuts ~1 mir ~2 leid ~3 alles|mama|euch|schaff*|konnte|kann_nicht_mehr|stark,
      pass|passt|kümmer*|sorg|sorgt ~2 gut? ~1 auf|um|für ~1 mein|meine|meinen|meiner|die|den|mama|ihn|sie ~2 hund|katze|kinder|mama|schwester|auf|bruder|kater|sohn,
      passt|pass ~2 aufeinander auf, ich ~1 gehe|geh ~2 jetzt? ~1 für immer|jetzt, für|fuer immer ~2 weg|gehen|schlafen|ruhe|gehe,
      abschied ~1 nehmen|von_euch|nehme, das ~1 war ~1 es ~2 mit_mir|von_mir|für_mich|dann, machts|macht_es_gut, vergesst|vergiss ~1 mich_nicht|mich,
      sagt|sag ~1 meiner|meinem|meinen ~4 liebe|leid|lieb
    `),
    ],
    act_done: rows(`
      hälfte ~4 {swallowed}|intus, habe ~2 schon ~2 intus, arme|arm|handgelenke ~2 aufgeschlitzt|aufgeschnitten|aufgeritzt,
      blut ~2 alles|überall|voll, voller_blut|blutüberströmt, tief ~1 geschnitten|geritzt, überall|alles ~2 blut|voller_blut, blut ~2 überall,
      {all} ~3 insulin|{pills} ~3 gespritzt|genommen|reingehauen, insulin ~3 gespritzt ~3 ganze|alles|komplett, ganze|ganzes ~1 insulin ~2 gespritzt,
      habe ~4 handvoll|packung|schachtel|flasche ~3 {swallowed}|reingehauen|reingezogen,
      hat ~2 gerade|eben|vorhin ~3 {pills}|packung|flasche ~3 {swallowed}, habe ~2 mehrere|viele|einige|ganz_viele ~1 packungen|schachteln|blister,
      habe ~3 {pills} ~2 auf_einmal, auf_einmal ~2 {swallowed}, leer ~1 gemacht|getrunken ~2 {swallowed}, packung|flasche|schachtel ~2 leer,
      den|das|die ganzen? ~2 vorrat|inhalt|schrank ~3 {swallowed}, habe ~2 {poison}|putzmittel|reiniger ~2 getrunken|geschluckt,
      es_blutet|blut_läuft|blutet ~3 nicht|überall|stark|wahnsinnig, arme|arm|handgelenk ~3 aufgeschnitten ~3 blut*,
      {all} ~3 {pills}|{poison} ~3 {swallowed}, {pills}|{poison} ~4 {all} ~2 {swallowed}, {swallowed} ~2 {all} ~3 {pills}|{poison},
      habe ~2 {all} ~2 {swallowed}, habe ~3 zu viele|viel ~3 {swallowed}, zu viele|viel ~2 {pills} ~3 {swallowed},
      habe ~4 {pills} ~3 {swallowed} ~5 sterben|tot|einschlafen|aufwachen|müde|schluss|leben|alle, habe ~4 {poison} ~3 {swallowed},
      gerade|eben ~4 {all} ~3 {pills}|{swallowed}|{poison}, überdosis|ueberdosis ~3 genommen|gespritzt|intus, habe ~3 überdosis|ueberdosis,
      habe ~2 mir ~4 pulsadern|adern|pulsader|handgelenk* ~2 aufgeschnitten|aufgeschlitzt|geschnitten|durchgeschnitten|aufgemacht,
      zu tief ~2 geschnitten|geritzt|rein, blut*|blute|blutung ~4 nicht|nimmer ~3 auf|aufhör*|stopp*|weniger,
      hört|hoert ~3 nicht ~2 auf ~2 bluten|zu bluten, verblute|verbluten, ich ~2 blute ~2 stark|überall|so, habe es ~2 getan|gemacht|durchgezogen,
      ich ~1 es ~2 getan|durchgezogen, es ist ~1 schon? zu spät|spaet, zu spät|spaet ~4 retten|krankenwagen|notarzt|arzt|hilfe,
      ruf*|rufen ~3 keinen|nicht ~2 krankenwagen|notarzt|rettung|hilfe, gas ~2 aufgedreht|offen|an|läuft, schlinge|strick|seil|gürtel ~3 hals,
      um den|meinen hals, wirkt|wirken ~2 schon|bald|jetzt|langsam, merke|spüre|werde ~4 müde|schwindelig|benommen ~4 {pills},
      minuten|stunden ~3 vorbei|tot|weg, motor ~4 garage, hat ~4 {all} ~3 {pills}|{poison} ~3 {swallowed},
      hat ~3 {pills} ~3 {swallowed} ~3 alle|zu_viele
    `),
    past_attempt: rows(`
      schon ~2 mal|einmal|öfter ~2 versucht, habe_es ~2 schon ~2 versucht, es ~1 schon ~1 mal ~1 versucht,
      versucht|versuchte ~4 {kill}|umzubringen|leben_zu_nehmen|sterben|das_leben, wollte ~2 mich ~3 {kill}, suizidversuch*|selbstmordversuch*,
      letztes|letzten|letztem|ersten mal ~4 gefunden|gerettet|überlebt|geklappt|schiefgegangen|versuch, mein ~2 versuch, magen ~1 ausgepumpt,
      überlebt ~3 überdosis|tabletten|sprung|versuch
    `),
    do_it: [
      ...rows(`
      werde ~1 es ~3 tun|machen|durchziehen|beenden, {want} ~1 es ~3 tun|machen|beenden|durchziehen|hinter,
      es ~1 durchziehen|durchzuziehen|beenden|hinter_mich, ein|einen|nur schritt, {want}|werde ~1 jetzt|gleich|einfach springen|loslassen|gehen,
      loslassen|abdrücken
    `),
      ...softRows(`
      schaue|schau|gucke|guck|blicke|sehe ~3 runter|hinunter|hinab|in_die_tiefe, an_der_kante, ein_schritt|nur_ein_schritt|einen_schritt,
      ziehe|zieh ~1 es ~2 durch, bereit ~2 zu? ~1 gehen|springen|tun|sterben|es, es ~1 ist ~1 soweit|zeit|so_weit, bringe es ~1 hinter,
      mache|mach|tue ~1 es ~2 heute|jetzt|morgen|gleich, heute|jetzt|morgen|gleich ~1 mache|mach|tue ich_es
    `),
    ],
    means: softRows("{tool}|{weapon}|{poison}, {all} ~2 {pills}"),
    means_in_hand: [
      ...rows(`
      seil|strick|schlinge ~3 fest|hängt|gebunden|bereit, stuhl|hocker ~3 bereit|steht|schlinge|seil,
      {pills}|{tool}|{poison} ~3 bereit|griffbereit|zurechtgelegt|bereitgelegt|besorgt, geladen* ~2 waffe|pistole|gewehr,
      waffe|pistole|gewehr ~3 geladen|entsichert, {pills}|{tool}|{weapon}|{poison} ~3 {hand}, {tool}|{weapon}|{pills}|{poison} ~3 in ~2 hand,
      vor mir ~2 {pills}|{tool}|{weapon}|{poison}|{all}, strick|seil|schlinge ~4 hängt|befestigt|dachboden|gebunden|geknotet|fertig|balken|decke,
      gesammelt|gehortet|aufgespart|besorgt|gekauft|bestellt ~3 {pills}|{tool}|{weapon}|{poison},
      {pills}|{tool}|{weapon}|{poison} ~3 gesammelt|gehortet|aufgespart|besorgt|gekauft|bestellt|zurechtgelegt|bereitgelegt,
      genug|genügend ~1 {pills}
    `),
      ...softRows(`
      habe|hätte|hole|holte ~4 {tool}|{weapon}|{poison}, habe ~3 {all} ~3 {pills}, liegt|liegen|sitze|halte ~4 {pills}|{tool}|{weapon}|{poison},
      zähle|gezählt ~2 {pills}
    `),
    ],
    time_near: softRows(`
      {soon}, heute nacht|abend|noch, morgen früh|frueh|abend|nacht, in ~2 stunde|stunden|minuten|tagen, am|diesen|kommenden|nächsten ~1 {day},
      nach ~3 {day}, wenn|sobald ~4 schlafen|schläft|weg|weggeht|arbeit, um mitternacht, diese ~1 nacht|woche
    `),
    lethal_place: [
      ...rows(`
      überm|übers|jenseits|über_dem|über_das geländer|brückengeländer, füße|füßen|beine|beinen ~3 abgrund|tiefe|rand|kante|geländer, {people} ~2 steht|sitzt ~3 dach|brücke|geländer|gleisen,
      auf|an|neben ~1 den|die ~1 gleisen|gleise|schienen|bahngleis*, am ~1 gleis|gleisbett,
      sitze|sitz|stehe|steh|hocke ~2 auf|an|am ~1 dem|der|einem ~1 geländer|brückengeländer|fensterbrett|fenstersims|kante|dachkante|brüstung,
      gleise|gleisen|schienen ~4 zug ~3 kommt|kommen|minuten, {place} ~5 schaue|schau|gucke|guck|blicke|sehe|runter|hinunter|hinab|unten,
      schaue|schau|gucke|guck|blicke|sehe ~3 runter|hinunter|hinab|unten|tiefe, am_rand|an_der_kante ~2 dach|brücke|plattform|bahnsteig*,
      andere|anderen|hinterm|hinter ~2 geländer*|gelaender, über ~1 dem|das geländer ~2 geklettert|gestiegen
    `),
      ...softRows(`
      stehe|steh|sitze|sitz|steig|klettere|bin|warte|gehe|stand|stoh|hocke ~4 {place},
      stehe|steh|sitze|sitz|bin ~4 fenster* ~4 stock|springen|offen|unten, {place} ~3 stehe|sitze|bin ~2 ich
    `),
    ],
    alone_now: softRows("bin ~2 allein*|alleine, alle ~2 schlafen|weg, sturmfrei"),
    secrecy: [
      ...rows("unfall ~2 aussehen|aussieht, wie ein unfall"),
      ...softRows(`
      sag|sagt|erzähl*|verrate ~2 es? ~1 niemandem|keinem|keiner|nicht_weiter, ruf*|rufen ~2 nicht ~2 polizei|krankenwagen,
      niemand|keiner ~1 ahnt|weiss_davon|weiss_es|wird_es_erfahren|wird_es_merken
    `),
    ],
    hopeless: rows(`
      habe|hab ~1 alles ~1 so? ~1 satt, habe_es_satt, ertrage ~2 nicht ~1 mehr, leben ~1 ist ~2 sinnlos, habe ~1 keine ~1 zukunft,
      mir_ist|mir_wird ~1 alles ~1 egal, weiß|weiss ~2 nicht ~3 lange|lang ~4 aushalte|schaffe|durchhalte|kann|ertrage,
      wie_lange ~4 aushalte|durchhalte|ertrage|schaffe, was ~3 noch ~2 für_einen|fürn ~1 sinn, was_hat ~4 noch ~2 sinn,
      habe_aufgegeben|gebe_auf|gib_auf, {want} ~1 dass_alles|dass_es ~2 aufhört|endet|vorbei_ist, kann_nicht_mehr $,
      kann_einfach_nicht|kann_echt_nicht|kann_wirklich_nicht mehr,
      kein|keinen|keine ~1 sinn|ausweg|zukunft|hoffnung|kraft|perspektive|grund|lösung|ziel ~2 mehr|sehe|gibt,
      keinen|kein ~2 sinn|ausweg|zukunft|hoffnung, keine ~1 hoffnung|zukunft|kraft|perspektive, sinnlos|hoffnungslos|ausweglos|aussichtslos,
      halte|halt|ertrage|ertrag|pack|packe|schaffe|schaff ~3 nicht ~2 mehr|aus, wird ~2 nie|nicht|niemals ~2 besser|gut|anders, gebe|geb ~1 auf,
      hasse ~2 mich|leben, leben ~2 ist ~2 scheiße|hölle|sinnlos|qual|mist|nichts, lebensmut|lebenswille*,
      {want} ~2 dass ~3 aufhört|vorbei|endet|ende, es|alles soll ~2 aufhören|vorbei|enden, hat ~2 alles|leben|nichts ~2 sinn,
      alles|leben ~3 keinen|kein ~1 sinn|zweck, wozu|warum ~2 noch|überhaupt ~2 leben|weiter*|aufstehen|hier|da|weiterleben|kämpfen, will nicht mehr,
      will|wollte einfach nicht mehr, ^ ich ~1 kann ~1 nicht_mehr $, kann ~1 einfach_nicht_mehr, kann_nicht_mehr ~2 weiter*|so,
      ich_kann ~1 nicht_mehr, alles ~1 ist ~1 sinnlos|vorbei|verloren|egal, mir ~1 ist ~1 alles ~1 egal, nichts ~2 mehr ~1 sinn|wert,
      nichts ~1 hält_mich, bin ~1 am_ende, habe ~2 aufgegeben
    `),
    burden: rows(`
      niemandem|keinem ~2 wert|wichtig|bedeute, ohne_mich ~4 leichter|einfacher|besser|glücklicher,
      leichter|besser|glücklicher ~3 wenn_ich ~2 nicht|weg|tot, wenn_ich ~2 nicht_da|weg|tot ~1 wäre, bin ~1 allen|jedem|ihnen ~1 egal,
      allen ~1 nur ~1 zur_last|im_weg, bin ~3 last|belastung|ballast|klotz|wertlos|überflüssig|problem|nutzlos|versager*, falle ~3 last, zur last,
      ohne mich ~3 besser|glücklich*|leichter|dran, besser ~2 ohne mich, ohne mich ~2 besser,
      niemand|keiner|keinem|niemandem ~3 vermissen|vermisst|braucht|merken|auffallen|fehlen|mögen|wichtig|liebt|interessiert,
      würde ~4 vermissen|merken|auffallen, nur ~1 im weg|stören|störe|last, mache|mach ~3 allen ~3 schwer|kaputt, tue|würde ~2 allen ~1 gefallen,
      mich ~1 braucht|vermisst|mag|liebt ~1 niemand|keiner
    `),
    disappear: rows(`
      wäre|wär ~2 gern|gerne|lieber ~2 nicht_da|weg|nicht_hier|unsichtbar|nicht_mehr_da,
      {want} ~3 verschwinden|weg_sein|nicht_da_sein|auflösen|weg|nicht_existieren, {want} ~2 einfach ~1 weg,
      einfach ~2 verschwinden|weg_sein|nicht_mehr_da|unsichtbar, nicht mehr ~2 da|hier ~1 sein|wäre|bin, nicht mehr ~1 dasein,
      nie ~2 geboren|existiert, nicht ~2 geboren ~1 worden|wäre, gäbe ~3 mich nicht, aufhören ~2 zu existieren|sein
    `),
    fear_of_self: rows(`
      angst ~3 vor_mir|mir_etwas|mir_was|antun|antue|was_ich_tun|vor_mir_selbst, angst ~2 dass ~2 ich ~3 mir|antue|tue|mache|durchdrehe,
      vertraue|traue|trau ~1 mir ~1 selbst|selber|nicht, nicht ~1 sicher ~3 mir_selbst|allein|vor_mir,
      dummheit|dummes|blödsinn ~3 mache|mach|anstelle|tue, mache|tue ~2 dummheit|dummes, mir ~2 etwas|was ~1 antun|antue|anzutun,
      sollte|darf|kann ~2 nicht ~1 allein|alleine
    `),
    intrusive: rows(`
      zwangsgedanken|intrusive*|aufdringliche_gedanken, gedanken|bilder ~5 nicht ~2 will|wollen|möchte, drang ~4 springen|schneiden,
      impuls ~4 springen|lenken|schneiden
    `),
    command_voices: rows("stimme* ~3 sagt|sagen|befiehlt|befehlen|will|wollen|schreit|flüster*, höre|hoere|hör ~2 stimme*, stimmen ~2 kopf"),
    distress: rows(`
      traurig|depressiv|deprimiert|verzweifelt|ängstlich|angst|panik|einsam|leer|leere|fertig|überfordert|erschöpft|hilflos|weine|heule|kaputt,
      depression*|verzweiflung|panikattacke*, geht ~2 mir ~2 schlecht|beschissen|dreckig|mies|scheiße,
      fühle ~2 mich ~3 schlecht|allein|verloren|wertlos
    `),
    violence_to_others: rows(`
      {want}|werde ~2 ihn|sie|die|alle|den|jemanden|meinen|meine ~3 umbringen|töten|abstechen|erschießen, bringe|bring ~1 ihn|sie|alle|die|den ~3 um,
      steche|knalle ~2 ab
    `),
    abuse: rows(`
      schlägt|schlagen|schlug|verprügelt|misshandelt|vergewaltigt|missbraucht|bedroht ~2 mich|er|sie,
      mich ~3 schlägt|verprügelt|misshandelt|vergewaltigt|missbraucht|bedroht|geschlagen|angefasst,
      {people} ~2 schlägt|verprügelt|bedroht|misshandelt, wurde ~3 vergewaltigt|missbraucht|misshandelt,
      {people}|er|sie ~3 will|wird mich ~1 umbringen|töten
    `),
    eating_disorder: rows(`
      übergebe|kotze|erbreche ~4 essen|absichtlich|jedem|mahlzeit, esse ~3 nichts|nicht mehr, tagen|tage ~2 nichts ~1 gegessen,
      magersucht|magersüchtig|anorexie|bulimie|fressanfall|fressanfälle|abführmittel|fressattacke*, nach dem essen ~3 kotz*|übergeb*|erbrech*|finger,
      zu fett|dick ~4 essen|hunger*
    `),
    psychosis: rows(`
      verfolgen|überwachen|beobachten|vergiften ~1 mich, chip ~3 kopf|gehirn, werde ~2 verfolgt|überwacht|abgehört|vergiftet,
      fernseher|radio ~2 spricht|redet ~1 mir, gedanken ~2 gesteuert|gelesen|kontrolliert, sehe ~2 dinge ~3 nicht ~1 da
    `),
    medical_emergency: rows(`
      keine luft, schmerzen? ~2 brust, brustschmerzen|herzinfarkt|bewusstlos|ohnmächtig|krampfanfall, überdosis|ueberdosis, nicht atmen
    `),
    other_at_risk: rows(`
      freund|freundin|jemand ~7 suizidal|selbstmordgefährdet|suizidgefährdet|umbringen_will,
      {people} ~3 gerade|eben|vorhin ~4 {swallowed}|geschnitten, {people} ~6 nicht_mehr_leben ~1 will|möchte|wollte,
      {people} ~4 steht|sitzt ~3 dach|brücke|geländer|fenster,
      {people}|er|sie ~4 will|wollte|möchte|droht|plant|überlegt|versucht|redet|spricht|sagt|schreibt ~5 sich ~3 umbringen|umzubringen|töten|erhängen|ritzen,
      {people}|er|sie ~4 will|wollte|möchte ~2 sterben|nicht_mehr_leben, {people}|er|sie ~6 will|möchte ~1 nicht_mehr_leben|sterben|weg_sein,
      sich ~3 umbringen|umzubringen|umbringt|erhängen|das_leben_nehmen, bringt ~2 sich ~2 um, sich ~3 leben ~1 nehmen|zu nehmen,
      {people}|er|sie ~2 ritzt|schneidet|verletzt ~1 sich, sich ~2 ritzt|selbst_verletzt, {people}|er|sie hat ~4 {all}|{pills} ~3 {swallowed},
      {people} ~4 suizid*|selbstmord*|lebensmüde, {people} ~5 abschiedsbrief*|abschiedsnachricht*|verabschiedet
    `),
  },
  frames: together(frameIds, [germanFrames, everyday.de]),
});
