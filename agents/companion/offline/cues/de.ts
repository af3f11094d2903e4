import { cuesFrom, patterns, whole, words } from "./cues.ts";

const polite = "(?:(?:hallo|hey|hi|ok(?:ay)?|also|bitte|jetzt|ja)[,!.]? +|(?:kannst|könntest|würdest) du (?:bitte )?|ich möchte,? dass du )*";
const asked = "(?: bitte| jetzt| danke)*";
const kin =
  "(?:mutter|mama|mutti|vater|papa|bruder|schwester|sohn|tochter|baby|kind|frau|mann|partner|partnerin|freund|freundin|onkel|tante|cousin|cousine|opa|oma|großvater|großmutter|hund|hündin|katze|kater)";
const exercise = "(?:(?:eine?|die|diese|noch eine) )?(?:(?:kurze|kleine|geführte) )*(?:\\p{L}*übung|box-?atmung)(?: (?:zur|zum|für|gegen) \\p{L}+)?";

/** German. */
export const german = cuesFrom({
  memory: {
    status: whole(
      `${polite}(?:wie ist der )?(?:speicher|gedächtnis)status`,
      `${polite}wie viel weißt du (?:noch )?(?:über mich|von mir)`,
      `${polite}(?:erinnerst du dich|weißt du noch|kennst du mich)(?: an mich| wer ich bin|,? wer ich bin)`,
    ),
    list: whole(
      `${polite}was weißt du (?:alles )?(?:noch )?(?:über mich|von mir)${asked}`,
      `${polite}was hast du (?:dir )?(?:über mich |von mir )?(?:alles )?(?:gemerkt|gespeichert)${asked}`,
      `${polite}zeige?(?: mir)? (?:meine|deine|die) erinnerungen${asked}`,
      `${polite}woran erinnerst du dich`,
    ),
    recall_on: whole(`${polite}schalte? (?:die|deine) erinnerung(?:en)? (?:wieder )?(?:an|ein)${asked}`),
    recall_off: whole(
      `${polite}schalte? (?:die|deine) erinnerung(?:en)? (?:ab|aus)${asked}`,
      `${polite}sprich (?:früheres|die vergangenheit|alte sachen) nicht (?:mehr )?(?:von dir aus )?an`,
    ),
    preference: whole(
      `${polite}(?:ab jetzt|von jetzt an|künftig),? (?:bitte )?(?<text>.{4,280})`,
      `${polite}(?<text>ich (?:mag|möchte|will|hätte gern\\p{L}*) (?:lieber )?(?:kurze|kürzere|lange|einfache|keine) (?:antworten|fragen|sätze|ratschläge).*)`,
    ),
    forget_by_index: whole(
      `${polite}(?:vergiss|lösche?|entferne?) (?:die |den |das )?(?<kind>fakt|erinnerung|sitzung|regel|vorliebe) (?:nummer |nr\\. )?(?<place>\\d{1,3})${asked}`,
      `${polite}(?:vergiss|lösche?|entferne?) (?:nummer |nr\\. )?(?<place>\\d{1,3})${asked}`,
    ),
    forget_by_query: whole(
      `${polite}(?:vergiss|lösche?|entferne?)(?: bitte)? (?:alles,? )?was (?:ich (?:dir )?(?:über|von)|du über) (?<query>.{2,80}?) (?:gesagt|erzählt|weißt|gespeichert)(?: habe| hast)?${asked}`,
      `${polite}(?:vergiss|lösche?|entferne?) (?:bitte )?(?:alles|die erinnerungen) (?:über|von|zu) (?<query>.{2,80}?)${asked}`,
      `${polite}vergiss,? dass (?<query>.{4,80}?)${asked}`,
      `${polite}(?:vergiss|lösche?|entferne?) (?:bitte )?(?:das|die sache) (?:mit|über|von) (?:de[mnr] |meine[mnr] )?(?<query>.{2,80}?)${asked}`,
      `${polite}(?:vergiss|lösche?|entferne?) (?:bitte )?(?<query>meine[nrms]? .{2,60}?)${asked}`,
    ),
    forget_vague: whole(`${polite}(?:vergiss|lösche?|entferne?) (?:bitte )?(?<query>das|dies|es|ihn|sie)${asked}`),
  },
  recalls: words(
    "(?:weißt|erinnerst) du (?:dich )?noch\\b.*",
    "erinnerst du dich\\b.*",
    "als wir (?:das )?letzte(?:s)? mal (?:geredet|gesprochen)\\b.*",
    "ich habe dir (?:doch )?(?:erzählt|gesagt)\\b.*",
  ),
  lookup: patterns(
    `^${polite}(?:such(?:e)?(?: (?:nach|mir|im internet nach))?|schau(?:e)?(?: mal)? nach|google|recherchiere?)(?:,? (?:ob|wie|was))? (?<query>.{3,200})$`,
    `^${polite}(?:was sagt die (?:forschung|wissenschaft)|gibt es (?:belege|studien)|wie viele stunden|wie viele menschen|wie häufig|wie lange dauert)\\b.*`,
    `^${polite}(?:was (?:ist|sind|bedeutet)) (?!los|das|mit|falsch|passiert|mein|dein|nur|jetzt).{3,200}$`,
    "^(?:hilft|schadet|wirkt|beeinflusst) (?:der |die |das )?(?:kaffee|koffein|alkohol|sport|bewegung|magnesium|melatonin|meditation|yoga|mittagsschlaf)\\b.*",
  ),
  exercise: [
    ...words(
      `(?:können wir|könnten wir|lass uns|wollen wir|ich möchte|ich will|ich würde gern\\p{L}*|ich brauche|magst du) (?:bitte )?(?:mit mir )?${exercise}(?: (?:machen|anfangen|probieren|versuchen|beginnen))?`,
      `(?:führe? mich durch|zeig(?:e)? mir|gib mir|starte?|beginne?) ${exercise}`,
    ),
    ...whole(`${polite}(?:atemübung|erdungsübung|werteübung|box-?atmung|gedankenprotokoll|5-?4-?3-?2-?1(?:-übung)?|wertekompass)${asked}`),
  ],
  exercise_vague: whole(`${polite}(?:lass uns|können wir) (?:etwas|was|das|eine) (?:machen|tun)`),
  accepts: whole(
    "(?:ja|gerne|gern|klar|okay|ok|einverstanden|na gut|los)(?:[,.! ]+(?:bitte|gerne|gern|los|machen wir|lass uns|danke|das machen wir))*",
    "machen wir(?: so| das)?",
  ),
  declines: whole("(?:nein|lieber nicht|jetzt nicht|abbrechen|lass es|nee|nö|nein danke)(?:[,.! ]+(?:danke|lieber nicht|lass es|bitte nicht))*"),
  resumes: words("(?:zurück zur|weiter mit der|machen wir weiter mit der|mit der) (?:\\p{L}*übung)(?: weiter(?:machen)?)?", "wo waren wir"),
  asks_back: words(
    "was meinst du",
    "was (?:heißt|bedeutet) das",
    "ich verstehe (?:den schritt|die frage|das) nicht",
    "zählt\\b.*\\?",
    "(?:darf|kann|soll) ich (?:auch )?\\b.*\\?",
  ),
  turns_away: patterns("^(?:übrigens|warte|apropos|etwas anderes|bevor wir weitermachen|ich möchte über)[,: ].{6,}"),
  exits: [
    ...whole("(?:stopp?|aufhören|schluss|genug|beenden|abbrechen)(?: (?:bitte|jetzt|hier|die übung|damit))*"),
    ...words("ich (?:will|möchte|mag) (?:nicht mehr|aufhören|nicht weitermachen|die übung (?:beenden|abbrechen))\\b.*", "hör(?:en wir)? auf"),
  ],
  stuck: words("mir fällt (?:nichts|keine?s?)\\b.*", "ich kann (?:das |es )?nicht\\b.*", "(?:zu )?schwer", "ich weiß (?:es )?nicht"),
  holds: words("(?:moment|warte|augenblick|gib mir (?:einen moment|zeit|eine minute)|noch nicht|gleich)", "abgelenkt"),
  done: [
    ...whole("(?:fertig|erledigt|gemacht|hab ich|ja|weiter|nächster schritt)(?:[,. ]+(?:fertig|weiter|gemacht|erledigt))*"),
    ...words("nächster schritt", "wie geht es weiter"),
  ],
  unclear: whole(
    "(?:das|es|dies|sache|ding|dings|etwas|alles|nichts|hilfe|hilf mir|keine ahnung|ich weiß nicht|weiß nicht|hm+|naja|tja|schon wieder|wieder das|wie immer|das übliche|ist passiert|egal|vergiss es|kannst du das(?: machen)?|mach das)(?: (?:bitte|halt|eben))?",
  ),
  just_listen: words(
    "kein(?:e|en)? (?:rat|ratschläge|tipps|lösung(?:en)?)",
    "(?:einfach |nur |einfach nur )(?:zuhören|zuhörst|reden|loswerden|auskotzen)",
    "hör (?:mir )?(?:einfach |bitte |nur )*zu",
    "mich (?:nur |einfach )?(?:auskotzen|aussprechen|ausheulen)",
  ),
  closing: whole(
    "(?:gut|ok(?:ay)?|danke|so)?[,.! ]*(?:tschüss|tschüs|ciao|auf wiedersehen|bis (?:bald|morgen|später|dann|zum nächsten mal)|gute nacht|mach's gut|ich (?:muss|geh|gehe) (?:jetzt )?(?:los|weg|gehen|schlafen|ins bett)|das (?:war's|war alles|wär's|reicht)(?: für heute)?)(?:[,.! ]+(?:danke|vielen dank|für heute|fürs zuhören|bis (?:bald|morgen)|tschüss))*",
    "(?:vielen )?dank(?:e)? (?:fürs zuhören|für (?:heute|alles|deine hilfe|das gespräch))",
    "(?:vielen )?danke?[,.! ]+(?:das war's|das war alles|tschüss|bis (?:bald|morgen)|das reicht)(?: für heute)?",
  ),
  greeting: whole(
    "(?:hallo|hi|hey|moin|servus|grüß dich|guten (?:morgen|tag|abend))(?:[,.! ]+(?:wie geht's|wie geht es dir|du|nochmal|wieder))*",
    "(?:wie geht's|wie geht es dir)",
  ),
  thanks: whole("(?:vielen dank|danke(?: dir| schön| sehr)?)"),
  wants_to_understand: words(
    "(?:warum|wieso|weshalb) (?:bin|habe|fühle|kann|muss|weine|reagiere|denke|mache|ist|passiert|werde)\\b.*",
    "was passiert\\b.*",
    "ist (?:das|es) normal\\b.*",
    "(?:ich (?:möchte|will|würde gern)|hilf mir)\\b.* (?:verstehen|zu verstehen)\\b.*",
    "ich verstehe nicht,? (?:warum|wieso)\\b.*",
  ),
  wants_a_way: words(
    "was (?:kann|könnte|soll|sollte) ich\\b.* (?:tun|machen|unternehmen|sagen)\\b.*",
    "was (?:kann|könnte|soll) ich (?:dagegen |da )?(?:tun|machen)\\b.*",
    "wie (?:kann|könnte|soll) ich\\b.*",
    "(?:hast du|gib mir|irgendwelche|ein paar) (?:einen )?(?:tipps?|rat|ideen)\\b.*",
    "hilf mir (?:beim?|zu)\\b.*",
    "etwas (?:praktisches|konkretes)\\b.*",
  ),
  recurring: words(
    "(?:immer wieder|jedes mal|jeden (?:tag|abend|morgen)|schon wieder|ständig|immer wenn|immer dasselbe|immer das gleiche|dasselbe muster|das gleiche muster|wieder und wieder)\\b.*",
  ),
  approaches: {
    grief_support: words(
      `mein(?:e)? ${kin} ist (?:\\p{L}+ )*(?:gestorben|tot|verstorben)`,
      `(?:der tod|die beerdigung|der verlust) (?:meine[rs]|von)\\b.*`,
      "(?:gestorben|verstorben|trauer(?:n|e)?|beerdigung)",
      `(?:mein(?:e|en)?) ${kin} verloren`,
    ),
    pfa: words(
      "(?:unfall|überfallen|ausgeraubt|eingebrochen|erdbeben|überschwemmung|brand)",
      "unter schock|im schock|stehe unter schock",
      "(?:höre nicht auf|kann nicht aufhören) zu zittern",
    ),
    motivational_interviewing: words(
      "ein teil von mir\\b.*",
      "einerseits\\b.*",
      "(?:weiß nicht|bin (?:mir )?(?:nicht|un)sicher),? ob ich\\b.*",
      "soll(?:te)? ich (?:kündigen|gehen|bleiben|aufhören)\\b.*",
      "hin- und hergerissen|zwiegespalten",
      "kann mich nicht entscheiden\\b.*",
    ),
    dbt_skills: words(
      "(?:überfordert|überwältigt)",
      "(?:mir )?(?:wird |ist )?(?:das |alles )+(?:einfach )?zu viel",
      "kann mich nicht beruhigen",
      "panik(?:attacken?)?",
    ),
    cbt: words(
      "ich bin (?:ein(?:e)? |so ein(?:e)? )?(?:versager(?:in)?|idiot(?:in)?|niete|nichts wert|wertlos|dumm|nicht gut genug)",
      "(?:alle|jeder) (?:denken|hassen|lachen|hasst|denkt)\\b.*",
      "(?:kann nicht aufhören,? (?:zu|daran zu) (?:denken|grübeln)|grübele?|grüble)\\b.*",
      "was,? wenn\\b.*",
      "(?:bin|ist) (?:allein )?(?:meine schuld|selbst schuld)",
    ),
    act: words("mein(?:e|en)? werten?", "was mir (?:wirklich )?wichtig ist", "sinn (?:des|meines) lebens", "auf autopilot"),
    interpersonal_therapy: words(
      "(?:streit|gestritten|streiten|konflikt)\\b.*",
      "mein(?:e)? (?:chef|chefin|partner|partnerin|freund|freundin|mann|frau|mutter|vater|kollege|kollegin) (?:ist|hat|sagt|will|versteht|hört|ignoriert)\\b.*",
      "(?:trennung|scheidung|schluss gemacht|getrennt)",
      "(?:einsam|allein gelassen|ausgeschlossen)",
    ),
  },
  missed: words(
    "(?:du (?:verstehst|hörst) (?:mich |mir )?nicht(?: zu)?|(?:das|so) (?:habe|hab) ich nicht (?:gemeint|gesagt)|das hilft (?:mir )?nicht)",
  ),
  asks_about_it: words(
    "(?:was ist dein|magst du (?:mich|lieber|gern)|wie heißt du|wie alt bist du|erzähl(?:e)? mir ein(?:en)? (?:witz|geschichte))\\b.*",
  ),
  introduces: words("(?:ich heiße|mein name ist) (?<name>\\p{L}[\\p{L}'-]{1,20})"),
  what_can_you_do: words(
    "was kannst du(?: alles)?(?: tun| machen)?[?. ]*$",
    "wie kannst du (?:mir )?helfen[?. ]*$",
    "wofür bist du da",
    "wie funktioniert(?:st)?(?: das| du)?[?. ]*$",
  ),
  asks: patterns("[?]\\s*$"),
  what_are_you: words(
    "bist du (?:ein(?:e)? )?(?:mensch|roboter|bot|ki|maschine|echt|künstliche intelligenz|therapeut(?:in)?|arzt|ärztin|psychologe)\\b.*",
    "(?:wer|was) bist du",
    "rede ich mit ein(?:em|er)\\b.*",
  ),
  what_do_i_have: words(
    "(?:habe ich|hab ich) (?:eine )?(?:depression|adhs|angststörung|störung|burnout)\\b.*",
    "bin ich (?:depressiv|verrückt|krank)\\b.*",
  ),
});
