import { describe, expect, test } from "vitest";
import { interpret, interpretReply } from "../../../packages/throughline/src/memory/control/interpret.ts";
import { pendingMs, type Pending, type Target } from "../../../packages/throughline/src/memory/control/commands.ts";
import { cpuMs } from "../../setup/cpu-time.ts";

const commands = {
  en: [
    ["What do you remember about me?", { type: "list" }],
    ["Hey, can you show me everything you know about me please?", { type: "list" }],
    ["memory status", { type: "status" }],
    ["turn off recall", { type: "set_recall", enabled: false }],
    ["Turn recall on.", { type: "set_recall", enabled: true }],
    ["remember that I prefer short answers", { type: "save_preference", text: "I prefer short answers" }],
    ["From now on, be more direct", { type: "save_preference", text: "be more direct" }],
    ["please call me Ada from now on", { type: "save_preference", text: "call me Ada", name: "Ada" }],
    ["show my preferences", { type: "list" }],
    ["what rules do you have for me?", { type: "list" }],
    ["remember that I like cats", { type: "remember", text: "I like cats" }],
    ["The wedding is on May 9, please remember that", { type: "remember", text: "The wedding is on May 9" }],
    ["remember that you must ask me less", { type: "save_preference", text: "you must ask me less" }],
    ["call me Nads, everyone does", { type: "save_preference", text: "call me Nads", name: "Nads" }],
    ["and what else do you know about me?", { type: "list" }],
    ["forget the part about Ana", { type: "forget_by_query", query: "Ana" }],
    ["forget the second one", { type: "forget_by_index", index: 2 }],
    ["Please forget the second fact.", { type: "forget_by_index", index: 2, kind: "fact" }],
    ["forget the second message", { type: "forget_by_index", index: 2, kind: "turn" }],
    ["delete rule 3", { type: "forget_by_index", index: 3, kind: "rule" }],
    ["forget the last session", { type: "forget_by_index", index: "last", kind: "session" }],
    ["forget what I said about Ana", { type: "forget_by_query", query: "Ana" }],
    ["Could you please delete everything about my ex-husband?", { type: "forget_by_query", query: "my ex-husband" }],
    ["forget that I live in Berlin", { type: "forget_by_query", query: "I live in Berlin" }],
    ["forget this conversation", { type: "forget_session" }],
    ["forget what I just said", { type: "forget_session" }],
    ["forget everything", { type: "forget_everything" }],
    ["delete all my memories", { type: "forget_everything" }],
    ["forget that", { type: "forget_vague" }],
    ["don't bring up my father again", { type: "never_recall", query: "my father" }],
    ["correct fact 2: my sister is called Anna", { type: "correct", kind: "fact", index: 2, text: "my sister is called Anna" }],
    ["pin fact 1", { type: "pin", kind: "fact", index: 1, pinned: true }],
  ],
  es: [
    ["¿Qué recuerdas de mí?", { type: "list" }],
    ["borra el mensaje 1", { type: "forget_by_index", index: 1, kind: "turn" }],
    ["olvida el segundo", { type: "forget_by_index", index: 2 }],
    ["Por favor, borra el dato 2", { type: "forget_by_index", kind: "fact", index: 2 }],
    ["olvida lo que dije sobre Ana", { type: "forget_by_query", query: "Ana" }],
    ["recuerda que prefiero respuestas cortas", { type: "save_preference", text: "prefiero respuestas cortas" }],
    ["no vuelvas a mencionar a mi padre", { type: "never_recall", query: "mi padre" }],
    ["olvida eso", { type: "forget_vague" }],
    ["recuerda que el jueves quedo con Nico", { type: "remember", text: "el jueves quedo con Nico" }],
    ["llámame Lu", { type: "save_preference", text: "llámame Lu", name: "Lu" }],
    ["olvida lo de Ana", { type: "forget_by_query", query: "Ana" }],
  ],
  de: [
    ["Was weißt du über mich?", { type: "list" }],
    ["vergiss nachricht 1", { type: "forget_by_index", index: 1, kind: "turn" }],
    ["vergiss den zweiten", { type: "forget_by_index", index: 2 }],
    ["vergiss, was ich über Ana gesagt habe", { type: "forget_by_query", query: "Ana" }],
    ["merk dir, dass ich kurze Antworten mag", { type: "save_preference", text: "ich kurze Antworten mag" }],
    ["erwähne meinen Vater nie wieder", { type: "never_recall", query: "meinen Vater" }],
    ["merk dir das nicht", { type: "forget_session" }],
    ["vergiss das", { type: "forget_vague" }],
    ["merk dir, dass meine Prüfung am Freitag ist", { type: "remember", text: "dass meine Prüfung am Freitag ist" }],
    ["nenn mich bitte Miri", { type: "save_preference", text: "nenn mich bitte Miri", name: "Miri" }],
    ["du kannst mich Miri nennen", { type: "save_preference", text: "mich Miri nennen", name: "Miri" }],
    ["und was weißt du sonst noch über mich?", { type: "list" }],
  ],
  zh: [
    ["你记得我什么？", { type: "list" }],
    ["忘记第二条消息", { type: "forget_by_index", index: 2, kind: "turn" }],
    ["忘记第二个", { type: "forget_by_index", index: 2 }],
    ["请忘记我说过的关于安娜的事", { type: "forget_by_query", query: "安娜" }],
    ["不要再提我父亲了", { type: "never_recall", query: "我父亲" }],
    ["记住，我喜欢简短的回答", { type: "save_preference", text: "我喜欢简短的回答" }],
    ["忘了这个", { type: "forget_vague" }],
    ["请记住我的考试在星期五", { type: "remember", text: "我的考试在星期五" }],
    ["叫我小雨就行", { type: "save_preference", text: "叫我小雨", name: "小雨" }],
  ],
  fr: [
    ["note que je suis végétarienne", { type: "remember", text: "je suis végétarienne" }],
    ["tu peux m'appeler Cam", { type: "save_preference", text: "m'appeler Cam", name: "Cam" }],
    ["oublie le truc avec Ana", { type: "forget_by_query", query: "Ana" }],
  ],
  pt: [
    ["aliás, ela nasceu dia 3, anota isso", { type: "remember", text: "ela nasceu dia 3" }],
    ["o que você já sabe sobre mim?", { type: "list" }],
    ["pode me chamar de Rafa", { type: "save_preference", text: "me chamar de Rafa", name: "Rafa" }],
    ["esquece a parte da Ana, por favor", { type: "forget_by_query", query: "Ana" }],
  ],
  id: [
    ["ingat ya, ujianku hari Jumat", { type: "remember", text: "ujianku hari Jumat" }],
    ["panggil aku Sari aja", { type: "save_preference", text: "panggil aku Sari", name: "Sari" }],
    ["lupakan yang aku bilang tentang kakakku", { type: "forget_by_query", query: "kakak" }],
  ],
  hi: [
    ["याद रखना कि मेरी परीक्षा शुक्रवार को है", { type: "remember", text: "मेरी परीक्षा शुक्रवार को है" }],
    ["मुझे मीना बुलाओ", { type: "save_preference", text: "मुझे मीना बुलाओ", name: "मीना" }],
    ["मेरी बहन के बारे में जो कहा वह भूल जाओ", { type: "forget_by_query", query: "मेरी बहन" }],
  ],
  "hi-latn": [
    ["yaad rakhna ki mera exam Friday ko hai", { type: "remember", text: "mera exam Friday ko hai" }],
    ["mujhe Arjun bulao", { type: "save_preference", text: "mujhe Arjun bulao", name: "Arjun" }],
    ["tum mere baare mein kya jaante ho?", { type: "list" }],
    ["meri behen ke baare mein jo kaha woh bhool jao", { type: "forget_by_query", query: "meri behen" }],
  ],
  ar: [
    ["تذكر أن امتحاني يوم الجمعة", { type: "remember", text: "امتحاني يوم الجمعة" }],
    ["ناديني هدى", { type: "save_preference", text: "ناديني هدى", name: "هدى" }],
    ["انس موضوع أختي", { type: "forget_by_query", query: "أختي" }],
  ],
} as const;

const ordinary = [
  ...[
    "I can't forget her",
    "I forgot my keys",
    "I will never forget what I said about Ana",
    "Forget it.",
    "forget about the dishes",
    "forget my problems, how are you?",
  ],
  ...[
    "I don't remember the details",
    "Do you remember Ana?",
    "what do you remember about Ana?",
    "Remember to call me tomorrow",
    "remember that time at the lake?",
    "I remember that my exam was hard",
    "I can't remember that, my head is empty",
    "call me later",
    "nenn mich nicht so",
    "别忘了",
    "我记得小时候的事",
  ],
  ...[
    "delete my account",
    "don't mention it",
    "never mention it again",
    "never forget",
    "She told me to forget everything about it and I tried",
    "My boss said: forget this project",
  ],
  ...[
    "no puedo olvidar a mi madre",
    "olvidé las llaves",
    "ich kann sie nicht vergessen",
    "merk dir das",
    "我忘不了她",
    "我忘记带钥匙了",
    "what do you know",
    "",
  ],
];

describe("commands in the person's words", () => {
  for (const [language, list] of Object.entries(commands))
    for (const [message, command] of list) test(`${language}: ${message}`, () => expect(interpret(message)).toEqual({ command, language }));

  test.each(ordinary)("%j is no command", (message) => expect(interpret(message)).toBeUndefined());

  test("a message of many words is no command, and takes no time", () => {
    const began = cpuMs();
    expect(interpret("forget what I said about ".repeat(5_000))).toBeUndefined();
    expect(interpret(`forget ${"the ".repeat(90)}`)).toBeUndefined();
    expect(cpuMs() - began).toBeLessThan(200);
  });
});

const target: Target = { kind: "fact", entry_id: "fact:1", preview: "“Ana” (2026-11-21)" };
const deletion: Pending = { type: "pending", action: { type: "delete", target }, language: "de", asked_at: 1_000 };
const choice: Pending = { ...deletion, action: { type: "delete_options", targets: [target, { ...target, entry_id: "fact:2" }] } };
const meant = (message: string, pending = deletion, now = 2_000) => interpretReply(message, { pending, now });
const command = (spoken: unknown) => ({ type: "command", spoken: { command: spoken, language: "de" } });

describe("an answer while something waits", () => {
  test.each([
    ["ja", deletion, command({ type: "confirm_pending" })],
    ["yes", deletion, command({ type: "confirm_pending" })],
    ["nein", deletion, command({ type: "cancel_pending" })],
    ["2", deletion, command({ type: "repeat_pending" })],
    ["vielleicht", deletion, command({ type: "repeat_pending" })],
    ["vergiss das", deletion, command({ type: "repeat_pending" })],
    ["I had a rough day at work today", deletion, { type: "left" }],
    ["2", choice, command({ type: "choose_pending", index: 2 })],
    ["all of them", choice, command({ type: "choose_pending", index: "all" })],
    ["ja", choice, command({ type: "repeat_pending" })],
    ["nein", choice, command({ type: "cancel_pending" })],
  ] as const)("%j", (message, pending, expected) => expect(meant(message, pending)).toEqual(expected));

  test("another command takes its place", () => {
    expect(meant("what do you remember about me?")).toEqual({ type: "command", spoken: { command: { type: "list" }, language: "en" } });
  });

  test("a yes that comes too late, or from before the question, answers nothing", () => {
    expect(meant("ja", deletion, 1_000 + pendingMs + 1)).toEqual({ type: "nothing" });
    expect(meant("ja", deletion, 999)).toEqual({ type: "nothing" });
  });
});

describe("style requests and questions about memory in ten languages", () => {
  test.each([
    ["en", "please stop asking me questions", "stop asking me questions"],
    ["de", "schreib bitte kürzer", "schreib bitte kürzer"],
    ["es", "no me hagas más preguntas", "no me hagas más preguntas"],
    ["fr", "arrête de poser des questions, s'il te plaît", "arrête de poser des questions"],
    ["pt", "responde mais curto, por favor", "responde mais curto"],
    ["id", "jangan banyak tanya ya", "jangan banyak tanya"],
    ["hi", "इतने सवाल मत पूछो", "इतने सवाल मत पूछो"],
    ["hi-latn", "chhote jawab do please", "chhote jawab do"],
    ["zh", "别问我问题了", "别问我问题了"],
    ["ar", "اكتب باختصار من فضلك", "اكتب باختصار"],
  ])("%s: %s", (language, message, text) => {
    expect(interpret(message)).toEqual({ command: { type: "save_preference", text }, language });
  });
  test.each([
    ["fr", "de quoi tu te souviens ?"],
    ["pt", "o que você lembra de mim?"],
    ["id", "apa yang kamu ingat tentang aku?"],
    ["hi", "मेरे बारे में तुम्हें क्या याद है?"],
    ["hi-latn", "tumhe mere baare mein kya yaad hai?"],
    ["ar", "ماذا تتذكر عني؟"],
  ])("%s: %s lists", (language, message) => expect(interpret(message)).toEqual({ command: { type: "list" }, language }));
  test.each([
    "she keeps asking me questions",
    "ich habe keine Fragen gestellt",
    "mon fils pose beaucoup de questions",
    "meine Antworten waren kurz",
    "dia banyak tanya",
    "她老是问我问题",
    "my answers were short",
    "usne bahut sawaal puche",
  ])("%s is a story", (message) => expect(interpret(message)).toBeUndefined());
});
