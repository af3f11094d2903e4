import { describe, expect, test } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen } from "../../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(packs);

test.each(["goodbye", "Bye!", "ok goodbye", "thanks goodbye", "Goodbye and thank you", "good bye", "再见", "好的，再见", "adiós", "auf wiedersehen"])(
  "%s is how one leaves",
  (text) => expect(screen(text).level).toBe(0),
);

/** Each with a goodbye that means more: the same words, and despair, preparation or an end. */
const goodbyes: Readonly<
  Record<string, { readonly ordinary: readonly string[]; readonly graver: readonly (readonly [text: string, level: number])[] }>
> = {
  en: {
    ordinary: [
      "good night everyone, thanks for everything, I'm off",
      "Bye all! Lovely evening, speak on Thursday.",
      "right, goodbye everybody, the kettle is calling",
      "thank you all for everything, what a team. Goodbye!",
      "love you all, bye bye, train is here",
      "Time to say goodbye for today, my eyes are closing",
      "so tired tonight. goodbye, see you tomorrow after work",
      "Goodbye, my friends, I must run for the bus",
    ],
    graver: [
      ["goodbye everyone, I'm hopeless", 3],
      ["Bye all. I want to die.", 2],
      ["goodbye everybody, you will be better off without me", 2],
      ["Goodbye forever.", 2],
      ["I have written the letters to my children. Goodbye, everyone.", 2],
    ],
  },
  de: {
    ordinary: [
      "Gute Nacht zusammen, danke für alles, ich bin dann weg",
      "Tschüss ihr Lieben, bis Montag!",
      "Ciao Leute, war schön heute",
      "Macht's gut, wir sehen uns nächste Woche",
    ],
    graver: [["Tschüss ihr Lieben, ich will nicht mehr leben", 2]],
  },
  es: {
    ordinary: [
      "Adiós a todos, gracias por todo, me voy a dormir",
      "chao gente, nos vemos el lunes",
      "bueno, me despido, hasta mañana",
      "Buenas noches a todos, ha sido un gusto",
    ],
    graver: [["Adiós a todos, gracias por todo, ya no quiero vivir", 2]],
  },
  fr: {
    ordinary: [
      "Bonne nuit tout le monde, merci pour tout, je file",
      "au revoir les amis, à lundi",
      "Allez, je vous quitte, à demain !",
      "ciao tout le monde, c'était super",
    ],
    graver: [["Au revoir les amis, je ne veux plus vivre", 2]],
  },
  pt: {
    ordinary: [
      "Boa noite pessoal, obrigada por tudo, já vou",
      "tchau gente, até amanhã",
      "Adeus a todos, até segunda!",
      "valeu por tudo galera, fui",
    ],
    graver: [["tchau gente, obrigada por tudo, não quero mais viver", 2]],
  },
  id: {
    ordinary: [
      "Selamat malam semuanya, makasih ya, aku pamit dulu",
      "dadah semua, sampai ketemu besok",
      "Aku pamit ya, besok lanjut ngobrol",
      "bye guys, tidur dulu",
    ],
    graver: [["Selamat tinggal semuanya, aku ingin mati", 2]],
  },
  hi: {
    ordinary: [
      "शुभ रात्रि सबको, हर चीज़ के लिए धन्यवाद, मैं चला",
      "अलविदा दोस्तों, कल फिर मिलते हैं",
      "चलो बाय, सोमवार को मिलेंगे",
      "अच्छा, अब सोने जा रही हूँ, अलविदा",
    ],
    graver: [["अलविदा दोस्तों, मैं मरना चाहता हूँ", 2]],
  },
  "hi-Latn": {
    ordinary: [
      "good night sabko, thanks for everything, main chala",
      "alvida dosto, kal phir milte hain",
      "chalo bye guys, sone ja rahi hu",
      "ok tata, monday ko milenge",
    ],
    graver: [["alvida dosto, main marna chahta hu", 2]],
  },
  ar: {
    ordinary: [
      "تصبحون على خير جميعا، شكرا على كل شيء، أنا ذاهب",
      "مع السلامة يا شباب، أشوفكم بكرا",
      "وداعا يا أصدقائي، نلتقي يوم الأحد",
      "سلام، أشوفك الخميس",
    ],
    graver: [["وداعا يا أصدقائي، أريد أن أموت", 2]],
  },
  zh: {
    ordinary: ["大家晚安，谢谢大家，我先下了", "拜拜各位，明天见", "再见啦朋友们，周一聊", "各位再见，我去睡觉了"],
    graver: [["再见了大家，我不想活了", 2]],
  },
};

describe.each(Object.entries(goodbyes))("a goodbye, %s,", (_, { ordinary, graver }) => {
  test.each(ordinary)("that is all there is raises nothing: %s", (text) => expect(screen(text).level).toBe(0));
  test.each(graver)("with more is as grave as that: %s", (text, level) => expect(screen(text).level).toBeGreaterThanOrEqual(level));
});

test.each([
  ["I can't do this anymore. Goodbye.", 2],
  ["I want to die. bye", 3],
  ["Goodbye forever", 2],
  ["This is goodbye.", 2],
  ["I'm sorry, goodbye", 1],
  ["So exhausted and empty. Goodbye.", 1],
  ["我撑不下去了。再见。", 2],
])("%s is more than that", (text, level) => expect(screen(text).level).toBeGreaterThanOrEqual(level));

test.each([{ highest: 1 }, { unclear: 1 }] as const)("after something unclear or grave a goodbye is one that is asked about", (context) =>
  expect(screen("goodbye everyone, thanks for everything", context).level).toBeGreaterThanOrEqual(1),
);
