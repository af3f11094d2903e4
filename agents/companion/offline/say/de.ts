import type { Sentences } from "./sentences.ts";

export const german: Sentences = {
  feelings: {
    rough: ["Das klingt nach einem harten Tag."],
    overwhelmed: ["Das ist viel auf einmal.", "Das klingt nach mehr, als ein Mensch allein tragen kann."],
    anxious: ["Das klingt nach vielen Sorgen, die du mit dir trägst.", "So unter Spannung zu stehen kostet sehr viel Kraft."],
    angry: ["Ich höre, wie wütend dich das macht, und das ist verständlich.", "Das würde viele wütend machen."],
    ashamed: ["Das klingt schmerzhaft, und es braucht etwas, das auszusprechen.", "Danke, dass du so ehrlich davon erzählst."],
    lonely: ["Das klingt einsam.", "Sich mit allem so allein zu fühlen, ist schwer."],
    tired: ["Du klingst wirklich erschöpft.", "So eine Müdigkeit geht tiefer als eine schlechte Nacht."],
    sad: ["Es tut mir leid, dass es gerade so schwer ist.", "Das klingt sehr traurig, und es muss nicht schnell vorbeigehen."],
    hurt: ["Das muss wehgetan haben.", "Ich höre, dass es tief ging."],
    stressed: ["Das klingt nach viel Druck und wenig Luft zum Atmen."],
    numb: ["Fast nichts zu fühlen kann so schwer sein wie zu viel zu fühlen."],
    confused: ["Das klingt verworren, und du musst es nicht sortiert haben, um davon zu reden."],
    jealous: ["Eifersucht ist unangenehm zu tragen, und es ist ehrlich, sie zu nennen."],
    relieved: ["Was für eine Erleichterung."],
    proud: ["Darauf darfst du stolz sein."],
    calm: ["Schön, dass es ein wenig ruhiger geworden ist."],
    happy: ["Das ist schön zu hören."],
  },
  heard: ["Danke, dass du mir das erzählst.", "Ich höre dir zu.", "Es leuchtet ein, dass dich das beschäftigt."],
  of_approach: {
    grief_support: [
      "Dein Verlust tut mir sehr leid.",
      "Das tut mir sehr leid. Trauer hat ihr eigenes Tempo, und es gibt keine falsche Art, hindurchzugehen.",
    ],
    pfa: [
      "Das ist erschreckend. Du musst davon noch nichts verstehen.",
      "Es tut mir leid, dass das passiert ist. Was der Körper jetzt tut, hilft ihm hindurch.",
    ],
    motivational_interviewing: ["Es klingt, als wolle ein Teil von dir das eine, und ein anderer hätte gute Gründe dagegen."],
    cbt: ["Mit so einem Gedanken lebt es sich schwer.", "Solche Gedanken sind laut und klingen sicherer, als sie sind."],
    interpersonal_therapy: ["Es tut weh, wenn es mit Menschen schwierig ist, die einem wichtig sind."],
    act: ["Es klingt, als hätte etwas, das dir wichtig ist, zu wenig Raum."],
  },
  grieving: ["Gut, dass du mir davon erzählst.", "Das gehört zum Vermissen, und hier ist Platz dafür."],
  glad: ["Das freut mich."],
  about: ["Da nimmt etwas gerade viel Raum ein: {topic}.", "Und mittendrin noch etwas: {topic}."],
  questions: ["Was war heute das Schwerste daran?", "Was soll ich davon am ehesten verstehen?", "Wie ist es jetzt gerade, während du schreibst?"],
  light_questions: ["Wie war das für dich?", "Was möchtest du davon erzählen?"],
  approach_questions: { grief_support: ["Magst du mir davon erzählen?", "Was fehlt dir heute am meisten?"], pfa: ["Ist gerade jemand bei dir?"] },
  onward: ["Gut. Was würde dir jetzt am meisten helfen?", "Verstehe. Wo möchtest du weitermachen?"],
  no_self: ["Ich habe keine eigenen Tage und Vorlieben: Ich bin eine KI. Wie kommst du darauf?"],
  glad_questions: ["Was hat dazu beigetragen?"],
  listening: [
    "Ich bin da und höre nur zu. Nimm dir so viel Raum, wie du brauchst.",
    "Dann ohne Ratschläge. Ich höre zu, und hier muss nichts gelöst werden.",
  ],
  greetings: ["Hallo, schön, dass du da bist. Was beschäftigt dich heute?", "Hallo. Wie geht es dir heute wirklich?"],
  welcome: ["Gern.", "Gern geschehen. Ich bin da, wenn noch etwas ist."],
  patterns: [
    "Das klingt nicht nach dem ersten Mal: Da kehrt etwas wieder.",
    "Mir fällt ein Muster auf, wie du es erzählst, als liefe dieselbe Szene noch einmal.",
  ],
  patterns_about: ["Da kehrt etwas immer an dieselbe Stelle zurück, und mittendrin: {topic}."],
  pattern_questions: ["Was geschieht meist kurz davor?", "Was tust du dann gewöhnlich, und was kostet es dich?"],
  clarify: [
    "Ich möchte dich richtig verstehen. Magst du darüber reden, eine kurze Übung machen, oder soll ich etwas nachsehen?",
    "Mir fehlt noch ein Stück. Worum geht es?",
  ],
  explain: {
    any: [
      "Gefühle sind oft schneller als Erklärungen: Der Körper bemerkt etwas Wichtiges und reagiert, bevor es Worte dafür gibt. Dass du dich danach fragst, ist meist der Anfang davon, dass es sich löst.",
    ],
    panic: [
      "Bei Panik schlägt der Alarm des Körpers an, ohne dass es etwas zu fliehen gäbe, und der Kopf liest gerade diese Zeichen als Gefahr. Es fühlt sich endlos an, und doch steigt es, erreicht seine Höhe und fällt von selbst.",
    ],
    worry: [
      "Sorgen sind der Versuch des Kopfes, dich zu schützen, indem er durchspielt, was schiefgehen könnte. Weil es meist ausbleibt, lernt er, dass die Sorge geholfen hat, und bietet mehr davon an.",
    ],
    sleep: ["Schlaf kommt, wenn der Körper müde und der innere Alarm aus ist. Sich anzustrengen schaltet ihn gerade ein."],
  },
  explain_questions: ["Passt das zu dem, wie es bei dir ist?"],
  ways: {
    any: [
      "Etwas Kleines zum Ausprobieren: Schreib auf, was in deiner Hand liegt und was nicht, und tu heute nur das Kleinste von der ersten Liste.",
      "Du könntest ganz klein anfangen: Nenne, was du fühlst, mit einem Wort, atme einmal langsam aus und wähle einen Schritt, der nur wenige Minuten dauert.",
    ],
    panic: [
      "Wenn es aufsteigt, lass das Ausatmen länger sein als das Einatmen und benenne laut, was du siehst. Es geht nicht darum, die Welle aufzuhalten, nur darum, in ihr zu stehen, bis sie kippt.",
    ],
    worry: ["Gib der Sorge einen Termin: eine Viertelstunde zu fester Zeit, auf Papier. Kommt sie früher, notiere ein Wort und vertröste sie."],
    sleep: [
      "Wenn du wach liegst, steh auf, lass das Licht schwach und tu etwas Langweiliges, bis du müde bist. Und steh jeden Morgen zur selben Zeit auf.",
    ],
  },
  way_questions: ["Was wäre davon die kleinste Fassung für dich?", "Klingt das machbar, oder suchen wir etwas anderes?"],
  closings: [
    "Danke für das Gespräch heute. Ich wünsche dir, dass der Rest des Tages sanft mit dir ist.",
    "Schön, dass du da warst. Pass gut auf dich auf.",
  ],
  closings_about: ["Danke für das Gespräch. Heute ging es um etwas, das Raum brauchte: {topic}. Das reicht für jetzt."],
  met: ["Schön, dich kennenzulernen, {name}."],
  met_question: "Was beschäftigt dich heute?",
  your_name: "Du hast mir gesagt, dass du {name} heißt.",
  what_i_can: [
    "Du kannst mir erzählen, was dich beschäftigt, und ich höre zu und frage nach. Ich kann dich auch durch eine kurze Übung führen, ein paar Dinge über Schlaf, Sorgen oder Stress nachsehen, und mir merken, was du erzählst, oder es vergessen. Womit möchtest du anfangen?",
  ],
  cannot_tell: ["Das ist mehr, als ich beantworten kann: Ich arbeite mit Regeln, ohne Sprachmodell. Wie kommst du darauf?"],
  what_i_am: [
    "Ich bin eine KI-Begleitung, kein Mensch, und arbeite gerade nach einfachen Regeln, ohne Sprachmodell. Ich kann zuhören, durch eine kurze Übung führen oder Allgemeines zum Wohlbefinden nachsehen.",
  ],
  no_name: [
    "Ob du etwas hast, kann ich dir nicht sagen, und raten möchte ich nicht. Eine Ärztin oder jemand anderes vom Fach, der in Ruhe mit dir spricht, kann es. Was hast du bemerkt?",
  ],
  remembered: ["Du hast mir einmal erzählt: „{quote}“."],
  nothing_remembered: ["Dazu habe ich nichts gespeichert. Magst du es mir noch einmal erzählen?"],
  let_go: "Gelöscht wurde übrigens nichts: Die Frage habe ich fallen lassen.",
  paused: "Die Übung wartet dort, wo wir waren; sag Bescheid, wenn du zurück möchtest.",
  nothing_found: "Ich habe keine Quelle gefunden, die das beantwortet, und möchte nicht raten.",
  last_time: "Vom letzten Mal habe ich diese Notiz: „{quote}“.",
  repair: ["Ich habe verfehlt, was du meintest, das tut mir leid. Erzähl es noch einmal auf deine Weise."],
  after_crisis: ["Gut, dass du es mir sagst, ich bin weiter für dich da.", "Das zählt. Eins nach dem anderen genügt jetzt."],
  check_in: ["Ich habe nicht vergessen, was du mir erzählt hast. Bist du gerade in Sicherheit?"],
  room: ["Erzähl mehr, wann immer du magst."],
};
