/** What a message expresses: its feelings, and what the person wants. */
import type { ResponseStyle, TherapeuticApproach } from "../../contract.ts";
import { cuedApproaches, cuesFor, type MemoryCues, says, whole } from "../cues/offline-cues.ts";
import { clausesOf, has, lengthOf } from "../words/folded-words.ts";
import file from "./feelings.data.json" with { type: "json" };

const feelings = [
  ...["overwhelmed", "anxious", "angry", "ashamed", "lonely", "tired", "sad", "hurt", "stressed", "numb", "confused", "jealous", "rough"],
  ...["relieved", "proud", "calm", "happy"],
] as const;
export type Feeling =
  | "overwhelmed"
  | "anxious"
  | "angry"
  | "ashamed"
  | "lonely"
  | "tired"
  | "sad"
  | "hurt"
  | "stressed"
  | "numb"
  | "confused"
  | "jealous"
  | "rough"
  | Glad;
/** Positive feelings. */
type Glad = "relieved" | "proud" | "calm" | "happy";

export const isGlad = (feeling: Feeling): feeling is Glad =>
  feeling === "relieved" || feeling === "proud" || feeling === "calm" || feeling === "happy";

const ready = new Map<Feeling, RegExp>();

/** Returns the pattern of a feeling. Compiles it on first use. */
function cueOf(feeling: Feeling): RegExp {
  const { latin, han } = file[feeling];
  const cue = ready.get(feeling) ?? new RegExp(`(?<![\\p{L}\\p{N}])(?:${latin})(?![\\p{L}\\p{N}])|${han}`, "u");
  ready.set(feeling, cue);
  return cue;
}

/** A feeling that the writer denies, or that another person has. */
const denied =
  /(?:\bnot\b|n't|\bno longer\b|\bnever\b|\bnicht\b|\bkein\w*\b|\bno (?=\p{L}+ (?:tan|muy)?\s?\p{L}*$)|\bne\b|\bpas\b|\bnão\b|不(?!安|起)|没有)[^,.;!?]{0,14}$/u;
const somebodyElse =
  /^(?:(?:and|but|so) )?(?:(?:my|our|his|her|their) \p{L}+(?: \p{L}+)?|he|she|they|(?:mi|su) \p{L}+|él|ella|(?:creo|pienso|parece) que|(?:mein|meine|sein|seine|ihr|ihre) \p{L}+|er|(?:mon|ma|son|sa) \p{L}+|il|elle|(?:meu|minha|seu|sua) \p{L}+|ele|ela|他|她|我(?:妈|爸|朋友|老板))(?:'s| is| are| was| were| feels?| felt| seems?| gets?| got| está| ist| fühlt| est| se sent|很|好|在|说)/u;
const feelsAbout = /\b(?:i|me|i'm|my|ich|mich|yo|me|je|j'|moi|eu)\b|我(?!妈|爸|朋友|老板)/u;

/** Tells whether a feeling in a clause is the writer's own and not denied. */
function isTheirs(clause: string, at: number): boolean {
  const before = clause.slice(0, at);
  if (denied.test(before)) return false;
  const other = somebodyElse.exec(clause);
  return other === null || feelsAbout.test(clause.slice(other[0].length, at)) || at < other[0].length - 1;
}

/** Words such as "alone" and "calm" in phrases that name no feeling: "leave me alone", "calm down". */
const noFeeling = /leave me alone|let (?:me|him|her|them|it) alone|\bcalm (?:down|him|her|them)|keep calm/u;

/** A part of the body that hurts. */
const aches =
  /(?:knees?|back|head|stomach|belly|tooth|teeth|shoulders?|legs?|arms?|hips?|neck|feet|foot|hands?|eyes?|ears?|throat|wrists?|ankles?) (?:still |really |always |also |\p{L}+s )?hurts?|(?:sir|pet|pair|kamar|haath|ghutn\p{L}*|daant|aankh\p{L}*|gala) .{0,10}dukh|(?:腿|脚|手|腰|背|头|膝盖).{0,3}受伤/u;

/** Returns the feeling in a folded text; undefined if it has none of the list, or another person's. */
export function feelingIn(text: string): Feeling | undefined {
  const clauses = clausesOf(text);
  return feelings.find((feeling) =>
    clauses.some((clause) => {
      const found = cueOf(feeling).exec(clause);
      return (
        found !== null &&
        isTheirs(clause, found.index) &&
        !(noFeeling.test(clause) && (feeling === "lonely" || feeling === "calm")) &&
        !(feeling === "hurt" && aches.test(clause))
      );
    }),
  );
}

/** A style with its reason and confidence. */
export interface StyleFound {
  readonly style: Extract<ResponseStyle, "supportive" | "reflective" | "clarifying" | "psychoeducation" | "technique" | "closing">;
  readonly approach: TherapeuticApproach;
  readonly confidence: "low" | "medium" | "high";
  /** Name of the cue, for a reasoning text without quotations. */
  readonly by: string;
}

/** Returns the approach of a folded message; `none` without a cue. */
export function approachOf(text: string): TherapeuticApproach {
  for (const cues of cuesFor(text)) {
    const found = cuedApproaches.find((approach) => has(text, cues.approaches[approach]));
    if (found !== undefined) return found;
  }
  return "none";
}

const shortTalk = 3;

/** A message that begins with another person, and has no word for the speaker, tells a habit of that person and no pattern of the speaker's. */
const aboutOthers =
  /^(?:(?:and|but|so|y|pero|und|aber|et|mais|e|mas|dan|tapi|aur|lekin) )?(?:he|she|they|él|ella|ellos|er|sie|il|elle|on|ele|ela|dia|ia|woh|wo)(?:'s|'d)? |^(?:my|our|mi|mein|meine|unser|unsere|mon|ma|notre|meu|minha|o meu|a minha|mer[aie]) \p{L}+ (?!and i|y yo|und ich|et moi|e eu)|^\p{L}+ku (?!dan)|^(?:他|她|我(?:妈|爸|奶奶|爷爷|老公|老婆|朋友))|^(?:वह|वो|मेर[ीाे]) |^(?:هو|هي|كان|كانت|أمي|أبي|والدي|والدتي|جدتي|جدي|أختي|أخي|ابني|ابنتي|زوجي|زوجتي|صديقي|صديقتي) /u;
const aboutSelf =
  /(?<!\p{L})(?:i|i'm|me|us|we|yo|me|nos|nosotros|ich|mich|mir|uns|wir|je|j'\p{L}+|m'\p{L}+|moi|nous|eu|mim|comigo|nós|gente|aku|saya|kita|main|mujhe|mujhse|hum)(?!\p{L})|(?<!^)我|मैं|मुझ|हम(?![\p{L}\p{M}])|أنا|معي|علي(?!\p{L})/u;
const isHabitOfOthers = (text: string): boolean => aboutOthers.test(text) && !aboutSelf.test(text);

/** Texts that are unclear alone but can answer a question. */
const answers = whole(
  ...["(?:everything|nothing|anything|something|someone|not sure|maybe|kind of|sort of|i guess|i don't know|idk|i dunno|dunno|whatever)"],
  ...["(?:todo|nada|algo|no sé|no estoy segur[oa])", "(?:alles|nichts|etwas|keine ahnung|(?:ich )?weiß (?:ich )?nicht)"],
  ...["(?:tout|rien|quelque chose|je ne sais pas|sais pas)", "(?:tudo|nada|algo|não sei|sei lá)", "(?:不知道|没什么|不确定|随便)"],
);

/** Tells whether a folded message is too short to understand. `open`: it can answer an open question of the companion. */
export const isUnclear = (text: string, { open = false }: { readonly open?: boolean } = {}): boolean =>
  !/[\p{L}\p{N}]/u.test(text) || (says(text, "unclear") && !(open && has(text, answers)));

/** Most words of a message that ends with a farewell and is no more than that. */
const shortLeave = 8;

/** Tells whether a message is a farewell, or a short one that ends with a farewell. */
const takesLeave = (text: string): boolean =>
  says(text, "closing") || (lengthOf(text) <= shortLeave && !/[?？؟]/u.test(text) && says(clausesOf(text).at(-1) ?? "", "closing"));

/** Returns the style of a folded message. `open`: a short message can answer an open question of the companion. */
export function styleOf(text: string, { open = false }: { readonly open?: boolean } = {}): StyleFound {
  const approach = approachOf(text);
  const found = (style: StyleFound["style"], by: string, confidence: StyleFound["confidence"] = "high"): StyleFound => ({
    style,
    approach,
    confidence,
    by,
  });
  if (takesLeave(text)) return { ...found("closing", "a farewell"), approach: "none" };
  // The wish to be heard takes precedence over everything else in the message.
  if (says(text, "just_listen")) return found("supportive", "wants to be heard, not advised");
  if (says(text, "missed")) return { ...found("supportive", "says that they were missed"), approach: "none" };
  if (says(text, "greeting", "thanks")) return { ...found("supportive", "a greeting or thanks"), approach: "none" };
  if (says(text, "what_are_you", "what_can_you_do", "what_do_i_have", "asks_day", "asks_joke", "plays_part"))
    return { ...found("supportive", "asks about the companion, or for a name for what they have"), approach: "none" };
  if (isUnclear(text, { open })) return { ...found("clarifying", "says too little to tell", "low"), approach: "none" };
  if (says(text, "what_if")) return found("supportive", "asks what happens if it goes wrong");
  if (says(text, "wants_to_understand")) return found("psychoeducation", "wants to understand");
  // A technique follows its approach. Without one, it addresses thoughts and actions.
  if (says(text, "wants_a_way")) return { ...found("technique", "asks for a way to deal with it"), approach: approach === "none" ? "cbt" : approach };
  if (says(text, "corrects")) return { ...found("supportive", "corrects something"), approach: "none" };
  if (says(text, "recurring") && !isHabitOfOthers(text)) return found("reflective", "names something that recurs");
  return found("supportive", "speaks of how they are", lengthOf(text) <= shortTalk ? "medium" : "high");
}

/** A memory command. */
export type MemoryWish =
  | { readonly type: "status" | "list" }
  | { readonly type: "set_recall"; readonly enabled: boolean }
  | { readonly type: "save_preference"; readonly text: string }
  | { readonly type: "forget_by_index"; readonly index: number; readonly kind: "fact" | "session" | "rule" | null }
  | { readonly type: "forget_by_query"; readonly query: string; readonly vague: boolean };

/** In the order of matching: cues with a position or a subject come before a mere "that". */
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

/** Returns a number from 1 to 10,000. The last item of a list has no number here; the holder of the list resolves it. */
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

/** Returns the command that one cue finds. */
function wishBy(name: keyof MemoryCues, cue: RegExp, text: string): MemoryWish | undefined {
  const found = cue.exec(text);
  return found === null ? undefined : wishFrom(name, found.groups ?? {});
}

/** Returns the memory command of a folded message; undefined if the message contains anything else. */
export function memoryWish(text: string): MemoryWish | undefined {
  const cues = cuesFor(text).flatMap(({ memory }) => order.flatMap((name) => memory[name].map((cue) => ({ name, cue }))));
  for (const { name, cue } of cues) {
    const wish = wishBy(name, cue, text);
    if (wish !== undefined) return wish;
  }
  return undefined;
}

/** Tells whether a command changes the memory. */
export const changesMemory = ({ type }: MemoryWish): boolean => type !== "status" && type !== "list";
