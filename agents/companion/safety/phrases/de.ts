import type { SafetyPhrases } from "throughline/safety";

/** What is said in a crisis in German. */
export const german: SafetyPhrases = {
  language: "de",
  ask_directly: [
    "Ich möchte dich richtig verstehen, deshalb frage ich ganz direkt: Denkst du an Suizid?",
    "Was du schreibst, ist mir wichtig, und ich frage lieber nach, als zu raten: Denkst du daran, dir das Leben zu nehmen?",
    "Wenn alles so schwer wird, denken manche Menschen ans Sterben, deshalb frage ich offen: Hast du Gedanken, dich umzubringen?",
  ],
  ask_directly_other: [
    "Ich möchte richtig verstehen, wie es der Person geht, deshalb frage ich direkt: Hat sie von Suizid gesprochen oder davon, sterben zu wollen?",
    "Ich frage lieber nach, als zu raten: Glaubst du, dass die Person daran denkt, sich das Leben zu nehmen?",
  ],
  opening: [
    "Danke, dass du mir das sagst. Das ist sehr viel, was du gerade trägst, und ich nehme es ernst.",
    "Gut, dass du das hier aussprichst. Ich lese, wie weh dir das tut, und ich nehme es ernst.",
    "Es braucht Mut, das zu sagen. Du musst hier nichts davon verstecken, und ich nehme es ernst.",
  ],
  opening_imminent: [
    "Ich bin sehr froh, dass du mir das sagst. Jetzt geht deine Sicherheit vor, einen Schritt nach dem anderen.",
    "Danke, dass du es mir sagst. Du bist vielleicht gerade in Gefahr, und im Moment zählt nur, dass du in Sicherheit kommst.",
    "Ich lese, was du schreibst, und nehme es sehr ernst. Jetzt geht es nur darum, sicher durch die nächsten Minuten zu kommen.",
  ],
  opening_other: [
    "Danke, dass du auf diese Person achtest. Es macht Angst, jemanden so zu sehen, der dir wichtig ist, und ich nehme es ernst.",
    "Gut, dass du es bemerkt hast und nicht wegschaust. Ich nehme ernst, was du erzählst.",
  ],
  heard: [
    "Ich lese dich, und es ist gut, dass du weiter schreibst.",
    "Danke, dass du hier bleibst, was auch immer du gerade sagen kannst oder nicht.",
    "Ich höre das. Du musst nicht auf alles eine Antwort haben.",
  ],
  heard_place: "Danke, dass du mir sagst, wo du bist.",
  heard_someone: "Gut, dass jemand da ist. Sag bitte, wie schlimm es ist, und bleibt zusammen.",
  heard_willing: "Das ist gut. Bitte tu es jetzt, und schreib mir dabei weiter, wenn dir das hilft.",
  heard_no: "Danke, dass du ehrlich zu mir bist.",
  call_now: "Bitte ruf jetzt {emergency} oder ein Krisentelefon an und sag dort, was du mir gesagt hast.",
  call_still: [
    "Bitte ruf jetzt {emergency} oder ein Krisentelefon an, auch wenn es schwerfällt: Sie sind genau dafür da.",
    "Das Wichtigste ist weiterhin, dass du jetzt {emergency} oder ein Krisentelefon anrufst.",
  ],
  emergency_unknown: "die Notrufnummer deines Landes",
  be_with_someone:
    "Geh jetzt zu jemandem oder bitte jemanden, zu dir zu kommen und zu bleiben: Freunde, Nachbarn, Familie, wer in der Nähe ist. Es hilft, wenn ein Mensch bei dir ist.",
  distance:
    "Bring Abstand zwischen dich und alles, womit du dich verletzen könntest: Geh in einen anderen Raum oder nach draußen, oder lass es jemanden wegnehmen.",
  stay_with_them: "Bleib bei der Person, wenn du das gefahrlos kannst, oder sorge dafür, dass jemand anderes da ist, bis Hilfe kommt.",
  resources_intro: "Hier erreichst du Menschen ({place}):",
  resources_both: "Es gibt mehr als einen Ort mit diesem Namen. Nimm den, an dem du bist:",
  resource_stale: "Stand {date}, bitte auf der Seite dort nachsehen",
  no_resources: "Für {place} habe ich keine bestätigte Nummer. Diese Verzeichnisse nennen Angebote nach Ländern:",
  directories: "Diese Verzeichnisse nennen kostenlose und vertrauliche Angebote nach Ländern:",
  ask_location: "In welchem Land bist du, damit ich dir Angebote zeigen kann, die du von dort erreichst?",
  resources_again: [
    "Die Angebote, die ich dir genannt habe, sind weiter für dich da, wann immer du mit jemandem sprechen möchtest.",
    "Du kannst dich jederzeit an die Stellen von vorhin wenden, auch wenn du schon einmal angerufen hast.",
  ],
  ask_plan: "Hast du darüber nachgedacht, wie du es tun würdest?",
  ask_means: "Gibt es etwas in deiner Reichweite, womit du dich verletzen könntest?",
  ask_time: "Hast du darüber nachgedacht, wann?",
  ask_someone: "Ist gerade jemand bei dir, oder gibt es jemanden, der kommen und bei dir bleiben kann?",
  ask_willing: "Wärst du bereit, eine dieser Stellen oder jemanden, dem du vertraust, anzurufen oder anzuschreiben, während wir reden?",
  ask_barriers: "Was macht es dir gerade schwer, dich an jemanden zu wenden?",
  human_care:
    "Sag es bitte auch jemandem, dem du vertraust, und sprich mit einer Fachperson, zum Beispiel in deiner Hausarztpraxis oder Beratungsstelle. Du verdienst Menschen an deiner Seite, und du darfst danach fragen.",
  coping: [
    "Bis dahin kann es helfen, ein paar Mal langsam auszuatmen oder etwas Kaltes zu halten und zu spüren, wie es sich anfühlt.",
    "In den nächsten Minuten kann es helfen, dort zu sein, wo andere Menschen sind, etwas Wasser zu trinken und jede Entscheidung aufzuschieben.",
    "Wenn du kannst, schau dich um und benenne ein paar Dinge, die du siehst und hörst. Starke Gefühle steigen an, und sie gehen auch wieder zurück.",
  ],
  ai_limits: "Ich bin eine KI und kein Mensch. Ich sehe nicht, wo du bist, und ich kann niemanden für dich anrufen.",
  nobody_watching: "Hier liest kein Mensch mit. Warte also bitte nicht darauf, dass es jemand bemerkt.",
  somebody_told: "Das Team hinter diesem Dienst hat eine Meldung bekommen. Bitte warte nicht darauf: Wenn du in Gefahr bist, ruf jetzt an.",
  stay: [
    "Ich bin hier, und wir können so lange weiterreden, wie du möchtest.",
    "Du kannst mir jederzeit weiter schreiben.",
    "Was auch immer du mir als Nächstes erzählen möchtest, ich lese es.",
  ],
  not_saved:
    "Was du geschrieben hast, wurde gerade vielleicht nicht gespeichert, und vielleicht erinnere ich mich nicht daran. Bitte schick es gleich noch einmal; wenn du in Gefahr bist, ruf jetzt die Notrufnummer deines Landes an.",
  limited: "Die Sicherheitsprüfung ist im Moment eingeschränkt. Wenn du Unterstützung brauchst, findest du hier ein Angebot: {directory}",
  disclosure:
    "Ich bin eine KI-Begleitung und kein Mensch, und ich kann mich irren. Sprich bei Fragen zu Gesundheit oder Sicherheit bitte mit jemandem, dem du vertraust, oder mit einer Fachperson.",
  apology: "Es tut mir leid, ich konnte gerade keine gute Antwort geben. Sagst du es noch einmal, vielleicht mit anderen Worten?",
};
