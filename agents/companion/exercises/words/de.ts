import type { CueWords } from "./cue-words.ts";

const exercise = "(?:übung|atemübung|atmung|erdung|gedankenprotokoll|wertekompass)";
const this_ = "(?:das|es|damit|hier|hiermit|jetzt|die übung|diese übung|mit der übung)";
const companion = "(?:(?:kannst|könntest|würdest) du (?:bitte )?(?:mal )?|bitte |ich möchte,? dass du )";

export const german: CueWords = {
  before:
    "(?:(?:ok|okay|also|na ja|naja|äh+|ähm|hm+|sorry|bitte|hey|hallo|nein|nee|ja|eigentlich|ehrlich gesagt|ich glaube|und|aber|dann|ach|gut|jetzt)[,.]? )",
  after: "(?: (?:bitte|jetzt|gerade|erstmal|für heute|heute|danke|sorry|nochmal|dann|noch|wirklich|glaube ich|mal))",
  cues: {
    exit_clear: [
      `(?:ich (?:möchte|will|würde gern(?:e)?) |lass uns |können wir )?(?:mit )?(?:der |die |diese[rn]? |dem |den )?${exercise} (?:bitte )?(?:aufhören|beenden|abbrechen|lassen|stoppen)(?: .{0,40})?`,
      `(?:hör|brich|beende|stopp)e? (?:mit )?(?:der|die|diese[rn]?|den|dem|das) ${exercise}(?: (?:auf|ab))?`,
      `ich (?:möchte|will|mag) (?:die|diese|keine|den|das) ${exercise}(?:en)? (?:nicht )?(?:mehr )?(?:machen|weitermachen)?`,
      "ich (?:möchte|will|würde) (?:lieber )?(?:einfach )?(?:nur )?reden(?: .{1,40})?",
    ],
    exit: [
      "ich höre (?:jetzt |hier |lieber )?auf",
      "ich muss (?:jetzt )?(?:los|weg|gehen|aufhören)",
      ...[
        "stopp",
        "stop",
        "aufhören",
        "genug",
        "lass(?:en sie)? mich (?:bitte )?(?:in ruhe|in frieden)",
        "es reicht",
        "das reicht",
        "abbrechen",
        "beenden",
        "schluss",
        "lass es",
        "lassen wir das",
        "vergiss es",
        "nein,? danke",
        "jetzt nicht",
        "heute nicht",
        "später",
        "ein andermal",
        "nicht mehr",
      ],
      `(?:ich (?:möchte|will|würde gern(?:e)?)|können wir|lass uns)(?: ${this_})? (?:bitte )?(?:aufhören|abbrechen|beenden|lassen|stoppen|raus)`,
      `ich (?:möchte|will|mag)(?: ${this_})? nicht(?: mehr)?(?: (?:weitermachen|machen|weiter))?`,
      "(?:können wir|lass uns|ich möchte) (?:lieber )?(?:etwas|was) ander(?:e)?s (?:machen|reden)?",
    ],
    unwell: [
      "mir (?:ist|wird)(?: .{0,15})? (?:schwindlig|schwindelig|schlecht|übel|komisch)|es geht mir (?:jetzt )?(?:noch |viel )?schlechter|ich fühle mich (?:jetzt )?(?:noch |viel )?(?:schlechter|schlimmer|ängstlicher|panisch)",
      "ich (?:kann nicht (?:mehr )?atmen|bekomme keine luft|kriege keine luft|habe panik|zittere)(?: .{0,20})?|(?:es|das) (?:wird|macht es)(?: mir)?(?: nur| noch)? (?:schlimmer|schlechter)|(?:es|das) tut weh",
    ],
    stuck: [
      ...[
        "(?:ich )?weiß (?:ich )?nicht(?: .{1,40})?",
        "keine ahnung",
        "ich (?:hänge|stecke)(?: fest)?",
        "ich komme nicht weiter",
        "ich kann(?: das| es)? nicht",
        "mir fällt (?:nichts|keins|keine.{0,10}) ein",
        "(?:es|das) ist (?:zu |sehr |so )?(?:schwer|schwierig|viel)",
      ],
      ...[
        "ich verstehe(?: das| es)? nicht",
        "nichts",
        "ich (?:sehe|höre|spüre|rieche|schmecke) nichts",
        "(?:es|das) (?:hilft|funktioniert|klappt)(?: mir)? nicht",
        "hilfe",
        "hilf mir",
        "ich brauche hilfe",
        "kannst du mir helfen",
      ],
    ],
    hold: [
      ...[
        "ich (?:war|bin|wurde) (?:kurz )?abgelenkt(?: .{0,20})?",
        "wo waren wir(?: .{0,20})?",
        "derselbe schritt",
        "wiederhol(?:e|en|st)?(?: .{0,20})?",
        "(?:kannst|könntest) du (?:das |es )?(?:bitte )?(?:nochmal |noch einmal )?(?:wiederholen|sagen)",
        "noch ?(?:mal|einmal)",
      ],
      ...[
        "(?:einen |ein )?(?:moment|augenblick|sekunde|minute)",
        "warte(?: kurz)?",
        "(?:ich bin )?noch nicht(?: (?:fertig|soweit|bereit))?",
        "ich bin noch (?:dabei|dran)",
        "noch (?:dabei|dran)",
        "von vorn(?:e)?",
        "neu anfangen",
        "lass mich (?:überlegen|nachdenken)",
        "nein",
      ],
    ],
    skip: ["(?:(?:können wir|ich möchte|ich will|lass uns) )?(?:(?:das|den schritt|diesen|diesen schritt) )?(?:überspringen|auslassen|weglassen)"],
    advance: [
      "(?:der )?nächste[rn]?(?: schritt)?",
      "weiter",
      "(?:wir )?(?:können )?(?:machen wir |mach )?weiter(?:machen)?",
      "noch ein schritt",
      "was kommt (?:jetzt|als nächstes)",
      "wie geht es weiter",
    ],
    yes: [
      ...[
        "fertig",
        "erledigt",
        "gemacht",
        "(?:hab|habe) ich(?: gemacht| getan)?",
        "ich habe? es gemacht",
        "(?:ich bin )?(?:fertig|bereit|soweit)",
        "ja",
        "ok",
        "okay",
        "gut",
        "geschafft",
        "alles klar",
        "passt",
      ],
      "(?:ich habe? )?(?:eingeatmet|ausgeatmet|gehalten)(?: .{0,20})?",
    ],
    nothing: ["also|na ja|naja|äh+|ähm|hm+|und|dann|danke|sorry|hallo|mal sehen|vielleicht"],
  },
  resume: [
    "\\bmit der \\p{L}*(?:übung|atmung) (?:weiter|fort)",
    "\\b(?:zurück zu[rm]?|weiter mit der|wieder zu[rm]?|fortsetzen)\\b.{0,30}(?:\\b(?:\\p{L}*übung|atmung|erdung|gedankenprotokoll|wertekompass)\\b)?(?<=übung|atmung|erdung|protokoll|kompass|fortsetzen)",
  ],
  clarify: [
    "\\bmeinst du\\b|\\bwas meinst du\\b|\\bwas (?:heißt|bedeutet) das\\b|\\bzähl(?:t|en) .{1,40}\\?|^(?:und |aber )?(?:zum beispiel|wie viele|wie lange|welche[rs]?)\\b.{0,40}\\?|^(?:und |aber )?(?:soll|darf|kann|muss) ich\\b.{1,100}\\?",
  ],
  explain: [
    "(?:und |aber )?(?:warum|wieso|weshalb|wozu) (?:machen wir|mache ich|hilft|soll|ist|dient)\\b.{0,80}\\?|(?:und |aber )?wie (?:hilft|funktioniert|wirkt)\\b.{0,80}\\?",
  ],
  memory: [
    "was (?:weißt|erinnerst|hast) du (?:noch |dir |dich )?(?:alles )?(?:über mich|von mir|gespeichert|gemerkt|an mich)\\b.{0,40}|an was erinnerst du dich\\b.{0,40}|erinnerst du dich .{1,100}\\?$",
    `(?:${companion})?vergiss (?:was|alles|dass|bitte|das,? was|meine[nrs]?)\\b.{0,100}|${companion}.{0,60}\\bvergessen$`,
    `(?:${companion})?(?:lösche?|entferne?) .{0,60}\\b(?:erinnerung(?:en)?|gespeichert(?:e[ns]?)?|gedächtnis|daten|über mich)\\b`,
    "(?:merk|speicher)e? (?:dir )?(?:das|nichts|es) nicht\\b|merk dir nichts\\b",
  ],
  lookup: [
    `bitte (?:such|suche|schau|google|recherchiere|prüfe?|überprüfe?)\\b .{2,120}`,
    `${companion}.{2,100}\\b(?:nachschlagen|suchen|nachsehen|prüfen|überprüfen|recherchieren)$`,
    "(?:was sind|hast du|welche) (?:die |deine )?(?:quellen?|belege)\\b.{0,40}",
  ],
  orders: { memory: [], lookup: ["(?:such|suche|google|recherchiere)\\b .{2,120}"] },
};
