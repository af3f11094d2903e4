/** What somebody wants of the memory, in the words of the triage. */
import { cuesFor } from "../cues/all.ts";
import type { MemoryCues } from "../cues/cues.ts";

/** A wish about the memory. */
export type MemoryWish =
  | { readonly type: "status" | "list" }
  | { readonly type: "set_recall"; readonly enabled: boolean }
  | { readonly type: "save_preference"; readonly text: string }
  | { readonly type: "forget_by_index"; readonly index: number; readonly kind: "fact" | "session" | "rule" | null }
  | { readonly type: "forget_by_query"; readonly query: string; readonly vague: boolean };

/** In the order in which they are looked for: what names a place or a subject comes before what only says "that". */
const order: readonly (keyof MemoryCues)[] = [
  ...(["status", "list", "recall_on", "recall_off", "forget_by_index", "forget_vague", "forget_by_query", "preference"] as const),
];

const places: Readonly<Record<string, number>> = { one: 1, first: 1, two: 2, second: 2, three: 3, third: 3, four: 4, fourth: 4, five: 5, fifth: 5 };

const kinds: Readonly<Record<string, "fact" | "session" | "rule">> = {
  ...{ fact: "fact", memory: "fact", dato: "fact", recuerdo: "fact", hecho: "fact", fakt: "fact", erinnerung: "fact", fait: "fact" },
  ...{ souvenir: "fact", fato: "fact", facto: "fact", lembrança: "fact" },
  ...{ session: "session", conversation: "session", sesión: "session", sitzung: "session", séance: "session", sessão: "session" },
  ...{ rule: "rule", preference: "rule", regla: "rule", preferencia: "rule", regel: "rule", vorliebe: "rule", règle: "rule", préférence: "rule" },
  ...{ regra: "rule", preferência: "rule" },
};

/** Numbers from 1 to 10,000; the last of a list has none, and is left to whoever has the list. */
function placeOf(said: string): number | undefined {
  const place = places[said] ?? Number(said);
  return Number.isInteger(place) && place >= 1 && place <= 10_000 ? place : undefined;
}

function wishFrom(name: keyof MemoryCues, groups: Readonly<Record<string, string | undefined>>): MemoryWish | undefined {
  const query = groups["query"]?.trim() ?? "";
  switch (name) {
    case "status":
    case "list":
      return { type: name };
    case "recall_on":
    case "recall_off":
      return { type: "set_recall", enabled: name === "recall_on" };
    case "preference":
      return { type: "save_preference", text: groups["text"]?.trim() ?? "" };
    case "forget_by_index": {
      const index = placeOf(groups["place"] ?? "");
      return index === undefined ? undefined : { type: name, index, kind: kinds[groups["kind"] ?? ""] ?? null };
    }
    case "forget_by_query":
    case "forget_vague":
      return { type: "forget_by_query", query, vague: name === "forget_vague" };
  }
}

/** The wish that one cue finds. */
function wishBy(name: keyof MemoryCues, cue: RegExp, text: string): MemoryWish | undefined {
  const found = cue.exec(text);
  return found === null ? undefined : wishFrom(name, found.groups ?? {});
}

/** What a folded message wants of the memory; undefined for a message that is anything besides. */
export function memoryWish(text: string): MemoryWish | undefined {
  const cues = cuesFor(text).flatMap(({ memory }) => order.flatMap((name) => memory[name].map((cue) => ({ name, cue }))));
  for (const { name, cue } of cues) {
    const wish = wishBy(name, cue, text);
    if (wish !== undefined) return wish;
  }
  return undefined;
}

/** Whether a wish changes what is remembered. */
export const changesMemory = ({ type }: MemoryWish): boolean => type !== "status" && type !== "list";
