import type { ReplyWords } from "./words.ts";

const s = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** German. */
export const german: ReplyWords = {
  kinds: { fact: "Fakt", session: "Sitzung", rule: "Regel", turn: "Nachricht" },
  nothing: "Ich habe nichts über dich gespeichert.",
  facts: "Das habe ich über dich gespeichert:",
  sessions: "Frühere Sitzungen:",
  rules: "So möchtest du, dass ich mit dir spreche:",
  verbatim: (count) => `Ich bewahre ${s(count, "Nachricht", "Nachrichten")} von dir wörtlich auf${count > 1 ? ", zuletzt" : ""}:`,
  changed: "Was ich gespeichert habe, hat sich seit dieser Liste geändert. So steht es jetzt:",
  status: ({ facts, turns, arcs, rules, recall_enabled }) =>
    `Gespeichert sind ${s(facts, "Fakt", "Fakten")}, ${s(arcs, "Sitzung", "Sitzungen")}, ${s(rules, "Regel", "Regeln")} und ${s(turns, "Nachricht", "Nachrichten")}. Von mir aus anzusprechen, was ich weiß, ist ${recall_enabled ? "eingeschaltet" : "ausgeschaltet"}.`,
  recall: (enabled) =>
    enabled
      ? "Ab jetzt darf ich von mir aus ansprechen, woran ich mich erinnere."
      : "Ich spreche nicht mehr von mir aus an, woran ich mich erinnere. Es bleibt gespeichert; bitte mich, es zu vergessen, wenn es weg soll.",
  saved: (text) => `Daran halte ich mich: „${text}“.`,
  known: "Das habe ich schon gespeichert.",
  unsafe: "Das kann ich nicht als Regel speichern, weil es deiner Sicherheit im Weg stünde.",
  full: "Ich habe so viele Regeln, wie ich behalten kann, und alle sind angeheftet. Bitte mich zuerst, eine zu vergessen.",
  corrected: (before, after) => `Korrigiert. Ich hatte ${before}; jetzt habe ich ${after}.`,
  notFound: (what) => `Ich habe keinen Eintrag: ${what}.`,
  lastOne: "der letzte",
  noneMatch: (query) => `Ich habe nichts über „${query}“ gespeichert.`,
  tooMany: (query, count) => `Ich habe ${count} Dinge über „${query}“ gespeichert. Sag bitte genauer, welche du meinst.`,
  askDelete: (preview) => `Soll ich das endgültig löschen?\n${preview}\nBitte antworte mit Ja oder Nein.`,
  askSession: (preview) =>
    `Soll ich diese Sitzung endgültig löschen, mit allem, was darin gesagt wurde?\n${preview}\nBitte antworte mit Ja oder Nein.`,
  askEverything: "Soll ich alles endgültig löschen, was ich über dich gespeichert habe? Bitte antworte mit Ja oder Nein.",
  askSeveral: (count) => `Soll ich diese ${count} Dinge endgültig löschen? Bitte antworte mit Ja oder Nein.`,
  askChoice: "Was davon soll ich löschen? Bitte antworte mit einer Nummer, „alle“ oder „nein“.",
  andMore: (count) => `… und ${count} weitere`,
  again: "Ich bin nicht sicher, ob ich dich verstanden habe, und habe deshalb nichts gelöscht.",
  cleared: "Was ich mir aus diesem Gespräch für später notiert hatte, ist verworfen.",
  vague: "Was genau soll ich vergessen? Du kannst mich fragen, was ich weiß, und eine Nummer nennen, oder sagen, worum es geht.",
  deleted: (count) =>
    count === 1 ? "Es ist gelöscht, und ich speichere es nicht wieder." : `${count} Dinge sind gelöscht, und ich speichere sie nicht wieder.`,
  gone: "Das war schon weg; es gibt nichts mehr zu löschen.",
  kept: "In Ordnung, ich habe nichts gelöscht.",
  nothingPending: "Es wartet nichts auf deine Antwort; ich habe nichts gelöscht.",
  incognito: "Dieses Gespräch ist inkognito: Ich speichere nichts daraus und kann nicht sehen oder ändern, was über dich gespeichert ist.",
  pinned: (pinned, line) => (pinned ? `Das behalte ich immer: ${line}` : `Das ist nicht mehr angeheftet: ${line}`),
  neverRecalled: (query) => `Ich spreche „${query}“ nicht mehr an.`,
};
