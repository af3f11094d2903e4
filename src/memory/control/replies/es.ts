import type { ReplyWords } from "./words.ts";

const s = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Spanish. */
export const spanish: ReplyWords = {
  kinds: { fact: "dato", session: "sesión", rule: "regla", turn: "mensaje" },
  nothing: "No tengo nada guardado sobre ti.",
  facts: "Lo que tengo guardado sobre ti:",
  sessions: "Sesiones anteriores:",
  rules: "Cómo quieres que hable contigo:",
  verbatim: (count) => `Conservo ${s(count, "mensaje tuyo", "mensajes tuyos")} palabra por palabra${count > 1 ? "; los últimos" : ""}:`,
  changed: "Lo que tengo guardado ha cambiado desde esa lista. Así está ahora:",
  status: ({ facts, turns, arcs, rules, recall_enabled }) =>
    `Tengo guardados ${s(facts, "dato")}, ${s(arcs, "sesión", "sesiones")}, ${s(rules, "regla")} y ${s(turns, "mensaje")}. Mencionarlos por mi cuenta está ${recall_enabled ? "activado" : "desactivado"}.`,
  recall: (enabled) =>
    enabled
      ? "A partir de ahora puedo mencionar por mi cuenta lo que recuerdo."
      : "No mencionaré por mi cuenta lo que recuerdo. Sigue guardado; pídeme que lo olvide si quieres que desaparezca.",
  saved: (text) => `Lo tendré en cuenta: «${text}».`,
  known: "Eso ya lo tengo guardado.",
  unsafe: "No puedo guardar eso como regla, porque iría en contra de tu seguridad.",
  full: "Tengo tantas reglas como puedo guardar, y todas están fijadas. Pídeme primero que olvide una.",
  corrected: (before, after) => `Corregido. Tenía ${before}; ahora tengo ${after}.`,
  notFound: (what) => `No tengo ${what}.`,
  lastOne: "nada así",
  noneMatch: (query) => `No tengo nada guardado sobre «${query}».`,
  tooMany: (query, count) => `Tengo ${count} cosas guardadas sobre «${query}». Dime con más detalle a cuáles te refieres.`,
  askDelete: (preview) => `¿Borro esto para siempre?\n${preview}\nResponde sí o no, por favor.`,
  askSession: (preview) => `¿Borro esta sesión para siempre, con todo lo que se dijo en ella?\n${preview}\nResponde sí o no, por favor.`,
  askEverything: "¿Borro para siempre todo lo que tengo guardado sobre ti? Responde sí o no, por favor.",
  askSeveral: (count) => `¿Borro para siempre estas ${count} cosas? Responde sí o no, por favor.`,
  askChoice: "¿Cuál de estas borro? Responde con un número, «todas» o «no».",
  andMore: (count) => `… y ${count} más`,
  again: "No estoy seguro de haber entendido, así que no he borrado nada.",
  cleared: "He descartado lo que había anotado de esta conversación para más tarde.",
  vague: "¿Qué quieres que olvide exactamente? Puedes preguntarme qué recuerdo y decirme un número, o decirme de qué se trata.",
  deleted: (count) => (count === 1 ? "Está borrado y no lo volveré a guardar." : `He borrado ${count} cosas y no las volveré a guardar.`),
  gone: "Eso ya no estaba; no queda nada que borrar.",
  kept: "De acuerdo, no he borrado nada.",
  nothingPending: "No hay nada pendiente de tu respuesta; no he borrado nada.",
  incognito: "Esta conversación es de incógnito: no guardo nada de ella y no puedo ver ni cambiar lo que hay guardado sobre ti.",
  pinned: (pinned, line) => (pinned ? `Esto lo conservaré siempre: ${line}` : `Esto ya no está fijado: ${line}`),
  neverRecalled: (query) => `No volveré a mencionar «${query}».`,
};
