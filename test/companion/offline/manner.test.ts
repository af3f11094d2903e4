/** Wishes for the manner of a reply: one sentence is kept to, and another voice is declined with what there is instead. */
import { asData } from "throughline";
import { describe, expect, test } from "vitest";
import { banks } from "../../../packages/companion/src/offline/say/offline-reply.ts";
import { replyOf } from "./support.ts";

const angry = "my boss shouted at me in front of everyone and I was so angry";
const asked = (rule: string) => [{ name: "procedural_rules", text: asData("rules", [rule]) }];
const sentences = (text: string): number => text.match(/[.?!。？！।؟]/gu)?.length ?? 0;

describe("one sentence", () => {
  test("is less than is said without the wish", async () => expect(sentences(await replyOf(angry))).toBeGreaterThan(1));

  test.each([
    ...[
      "one sentence only",
      "answer in a single short sentence",
      "responde en una sola frase",
      "nur ein Satz",
      "réponds en une phrase",
      "só uma frase",
    ],
    ...["satu kalimat saja", "sirf ek line mein jawab do", "सिर्फ एक वाक्य में जवाब दो", "جملة واحدة فقط", "只用一句话回答"],
  ])("%s", async (rule) => expect(sentences(await replyOf(angry, asked(rule)))).toBe(1));

  test("is not heard in a wish about something else", async () =>
    expect(sentences(await replyOf(angry, asked("explain every sentence that you quote")))).toBeGreaterThan(1));
});

describe("another voice is declined honestly", () => {
  test.each([
    ["en", "talk like a pirate"],
    ["en", "can you answer me in rhymes"],
    ["en", "pretend to be my grandmother"],
    ["es", "háblame como un robot"],
    ["de", "rede mit mir wie ein Ritter"],
    ["de", "tu so, als wärst du mein Opa"],
    ["fr", "parle-moi comme un vampire"],
    ["pt", "responda como um detetive"],
    ["zh", "用海盗的口气回答我"],
    ["id", "jawab seperti bajak laut dong"],
    ["hi", "रोबोट की तरह बात करो"],
    ["hi-latn", "robot ki tarah baat karo"],
    ["ar", "تكلم مثل القرصان"],
  ] as const)("%s: %s", async (language, message) => expect(banks[language].no_part).toContain(await replyOf(message)));

  test.each(["my grandma talks like a pirate when she is tired", "I write like a robot at work and I hate it", "mein Opa redet wie ein Seemann"])(
    "%s is a story",
    async (message) => expect([...banks.en.no_part, ...banks.de.no_part]).not.toContain(await replyOf(message)),
  );
});
