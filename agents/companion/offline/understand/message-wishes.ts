/** What a message calls for: a style, an approach, a command about the memory. */
import type { ResponseStyle, TherapeuticApproach } from "../../contract.ts";
import { cuedApproaches, cuesFor, type MemoryCues, says, whole } from "../cues/offline-cues.ts";
import { has, lengthOf } from "../words/folded-words.ts";

/** A style, why, and how sure that is. */
export interface StyleFound {
  readonly style: Extract<ResponseStyle, "supportive" | "reflective" | "clarifying" | "psychoeducation" | "technique" | "closing">;
  readonly approach: TherapeuticApproach;
  readonly confidence: "low" | "medium" | "high";
  /** The cue, by its name; for the reasoning, which quotes nobody. */
  readonly by: string;
}

/** The approach that a folded message calls for; `none` where no cue of one is heard. */
export function approachOf(text: string): TherapeuticApproach {
  for (const cues of cuesFor(text)) {
    const found = cuedApproaches.find((approach) => has(text, cues.approaches[approach]));
    if (found !== undefined) return found;
  }
  return "none";
}

const shortTalk = 3;

/** What is unclear by itself and a whole answer to a question. */
const answers = whole(
  ...["(?:everything|nothing|anything|something|someone|not sure|maybe|kind of|sort of|i guess|i don't know|idk|i dunno|dunno|whatever)"],
  ...["(?:todo|nada|algo|no sé|no estoy segur[oa])", "(?:alles|nichts|etwas|keine ahnung|(?:ich )?weiß (?:ich )?nicht)"],
  ...["(?:tout|rien|quelque chose|je ne sais pas|sais pas)", "(?:tudo|nada|algo|não sei|sei lá)", "(?:不知道|没什么|不确定|随便)"],
);

/** Whether a folded message says too little to tell what it is about. `open`: a question of the companion stands, which it may answer. */
export const isUnclear = (text: string, { open = false }: { readonly open?: boolean } = {}): boolean =>
  !/[\p{L}\p{N}]/u.test(text) || (says(text, "unclear") && !(open && has(text, answers)));

/** The style that a folded message calls for. `open`: a question of the companion stands, which a short message may answer. */
export function styleOf(text: string, { open = false }: { readonly open?: boolean } = {}): StyleFound {
  const approach = approachOf(text);
  const found = (style: StyleFound["style"], by: string, confidence: StyleFound["confidence"] = "high"): StyleFound => ({
    style,
    approach,
    confidence,
    by,
  });
  if (says(text, "closing")) return { ...found("closing", "a farewell"), approach: "none" };
  // Who wants to be heard is heard, whatever else the message asks.
  if (says(text, "just_listen")) return found("supportive", "wants to be heard, not advised");
  if (says(text, "missed")) return { ...found("supportive", "says that they were missed"), approach: "none" };
  if (says(text, "greeting", "thanks")) return { ...found("supportive", "a greeting or thanks"), approach: "none" };
  if (says(text, "what_are_you", "what_can_you_do", "what_do_i_have"))
    return { ...found("supportive", "asks about the companion, or for a name for what they have"), approach: "none" };
  if (isUnclear(text, { open })) return { ...found("clarifying", "says too little to tell", "low"), approach: "none" };
  if (says(text, "wants_to_understand")) return found("psychoeducation", "wants to understand");
  // The approach leads a technique; where none is called for, it is what one thinks and does.
  if (says(text, "wants_a_way")) return { ...found("technique", "asks for a way to deal with it"), approach: approach === "none" ? "cbt" : approach };
  if (says(text, "recurring")) return found("reflective", "names something that recurs");
  return found("supportive", "speaks of how they are", lengthOf(text) <= shortTalk ? "medium" : "high");
}

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
