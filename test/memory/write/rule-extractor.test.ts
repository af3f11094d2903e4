import { describe, expect, it } from "vitest";
import { findQuote, type SaidTurn } from "../../../packages/throughline/src/memory/write/check-candidate.ts";
import { ruleExtractor } from "../../../packages/throughline/src/memory/write/rule-extractor.ts";
import { defaultVocabulary } from "../../../packages/throughline/src/memory/write/fact-vocabulary.ts";

const { signal } = new AbortController();
const at = Date.UTC(2026, 5, 15);
const turnsOf = (...texts: readonly string[]): readonly SaidTurn[] => texts.map((text, index) => ({ offset: index * 2 + 1, at: at + index, text }));
const extract = (...texts: readonly string[]) => ruleExtractor().extract({ turns: turnsOf(...texts), replies: [], known: [] }, { signal });

const found = async (text: string): Promise<readonly string[]> => {
  const { candidates } = await extract(text);
  return candidates.map((candidate) => (candidate.type === "fact" ? `${candidate.predicate} ${candidate.object.id}` : `rule ${candidate.text}`));
};

describe("what a person says of themselves", () => {
  it.each([
    ["My name is Melanie, by the way.", "PREFERRED_NAME Melanie"],
    ["my name is ana", "PREFERRED_NAME ana"],
    ["Please call me Mel", "PREFERRED_NAME Mel"],
    ["I live in Lisbon with my dog.", "LIVES_IN Lisbon"],
    ["I’ve just moved to New York City last month", "LIVES_IN New York City"],
    ["I grew up in Rio de Janeiro", "COMES_FROM Rio de Janeiro"],
    ["I work as a nurse", "WORKS_AS nurse"],
    ["I'm a teacher and I love hiking", "WORKS_AS teacher", "LIKES hiking"],
    ["I work at Mercy Hospital now", "WORKS_AT Mercy Hospital"],
    ["I'm 34 years old", "AGE 34"],
    ["My sister Ana came by", "KNOWS Ana"],
    ["my sister Ana's birthday is soon", "KNOWS Ana"],
    ["My husband is called Tom", "PARTNER_OF Tom"],
    ["We have a dog named Biscuit", "HAS Biscuit"],
    ["I'm allergic to peanuts and shellfish", "AVOIDS peanuts"],
    ["I really love painting landscapes", "LIKES painting landscapes"],
    ["I don't like crowded places", "DISLIKES crowded places"],
    ["I'm so worried about my exam next week", "WORRIES_ABOUT my exam"],
    ["I've been nervous about the interview", "WORRIES_ABOUT interview"],
    ["I want to run a marathon", "WANTS run a marathon"],
    ["My goal is to sleep eight hours", "WANTS sleep eight hours"],
    ["Walking the dog helps me calm down", "USES Walking the dog"],
    ["My dad died last year", "EXPERIENCED death of dad"],
    ["I lost my job in March", "EXPERIENCED loss of job"],
    ["I'm taking up pottery", "PARTICIPATED_IN pottery"],
    ["I feel like such a failure", "WORRIES_ABOUT feeling of being failure"],
    ["Please keep your answers short", "rule Keep your replies short."],
    ["Can you keep it brief?", "rule Keep your replies short."],
    ["please don't give me advice", "rule Do not give advice unless you are asked for it."],
    ["Me llamo Lucía", "PREFERRED_NAME Lucía"],
    ["Vivo en Sevilla desde mayo", "LIVES_IN Sevilla"],
    ["Mi hermana Ana vino ayer", "KNOWS Ana"],
    ["Soy alérgica a las nueces", "AVOIDS nueces"],
    ["Mi padre murió en enero", "EXPERIENCED muerte de padre"],
    ["Estoy muy preocupada por mi trabajo", "WORRIES_ABOUT mi trabajo"],
    ["Me encanta bailar", "LIKES bailar"],
    ["Caminar me ayuda a dormir", "USES Caminar"],
    ["Ich heiße Jonas", "PREFERRED_NAME Jonas"],
    ["Ich wohne in Köln", "LIVES_IN Köln"],
    ["Ich bin gerade nach Hamburg gezogen", "LIVES_IN Hamburg"],
    ["Meine Schwester Lena ist krank", "KNOWS Lena"],
    ["Mein Vater ist gestorben", "EXPERIENCED Tod von Vater"],
    ["Ich habe Angst vor der Prüfung", "WORRIES_ABOUT Prüfung"],
    ["Ich arbeite bei Siemens", "WORKS_AT Siemens"],
    ["Spazieren hilft mir", "USES Spazieren"],
    ["Bitte keine Ratschläge", "rule Do not give advice unless you are asked for it."],
    ["我叫小明，很高兴认识你", "PREFERRED_NAME 小明"],
    ["我住在上海", "LIVES_IN 上海"],
    ["我刚搬到了北京", "LIVES_IN 北京"],
    ["我姐姐叫小红", "KNOWS 小红"],
    ["我对花生过敏", "AVOIDS 花生"],
    ["我爸爸去世了", "EXPERIENCED 爸爸去世"],
    ["我喜欢画画", "LIKES 画画"],
    ["我很担心考试", "WORRIES_ABOUT 考试"],
    ["请回答简短一点", "rule Keep your replies short."],
  ])("is found in %s", async (text, ...wanted) => {
    expect(await found(text)).toEqual(wanted);
  });

  it.each([
    ["a denial", "I don't live in Lisbon"],
    ["a denial", "I no longer work at Google"],
    ["a question", "Do I live in Lisbon?"],
    ["a question", "My name is Ana, right?"],
    ["a supposition", "If I live in Lisbon, taxes are low"],
    ["a supposition", "What if I'm allergic to peanuts"],
    ["a wish that is none", "I wish I lived in Rome"],
    ["the past", "I used to live in Rome"],
    ["somebody else", "She said I live in Rome"],
    ["somebody else", "My friend lives in Rome"],
    ["somebody else", "He told me his name is Tom"],
    ["somebody else", "My boss thinks that I love spreadsheets"],
    ["a quotation", 'The song goes "I love rock and roll"'],
    ["a quotation", "Er sagte „Ich wohne in Köln“"],
    ["a dream", "In my dream I live in Paris"],
    ["a figure of speech", "I live in fear"],
    ["a figure of speech", "I live in a bubble"],
    ["a figure of speech", "call me crazy"],
    ["a figure of speech", "I'm from a big family"],
    ["somebody to talk to", "I love you"],
    ["nothing that says what", "I love it"],
    ["nothing that says what", "It helps me"],
    ["words about the talk", "I want to talk about work"],
    ["danger", "I want to die"],
    ["danger", "I just want to disappear"],
    ["a time", "I'm 5 minutes late"],
    ["a wish not to be remembered", "My name is Ana but please don't remember that"],
    ["a denial", "No vivo en Madrid"],
    ["a question", "¿Vivo en Madrid?"],
    ["a supposition", "Si vivo en Madrid, pago más"],
    ["a denial", "Ich wohne nicht in Köln"],
    ["a supposition", "Wenn ich in Köln wohne, zahle ich mehr"],
    ["somebody else", "Mein Freund wohnt in Köln"],
    ["a denial", "我不住在上海"],
    ["a question", "我住在上海吗"],
    ["a supposition", "如果我住在上海"],
    ["small talk", "hi there, how are you"],
    ["nothing", ""],
  ])("is not found in %s: %s", async (_, text) => {
    expect(await found(text)).toEqual([]);
  });

  it("is quoted word for word, and cut where it ends", async () => {
    const text = "Well — I’m allergic to peanuts, so no cake.";
    const { candidates } = await extract(text);
    expect(candidates).toMatchObject([{ quote: "I’m allergic to peanuts", sensitivity: "sensitive", offset: 1 }]);
  });

  it("holds since a time that was said", async () => {
    const { candidates } = await extract("I moved to Berlin in May 2024");
    expect(candidates).toMatchObject([{ object: { id: "Berlin" }, valid_from: Date.UTC(2024, 4, 1) }]);
  });

  it("fits the vocabulary, and always stands in its turn", async () => {
    const texts = [
      "My sister Ana moved. I live in Lisbon; I love tea!",
      "我叫小明，我住在上海。",
      "Soy vegana y trabajo como enfermera",
      "I have two kids, and I feel worthless",
    ];
    const { candidates } = await extract(...texts);
    expect(candidates.length).toBeGreaterThan(6);
    for (const candidate of candidates) {
      expect(findQuote(candidate.quote, candidate.offset, turnsOf(...texts))?.turn.offset).toBe(candidate.offset);
      if (candidate.type === "rule") continue;
      expect(defaultVocabulary.predicates).toHaveProperty(candidate.predicate);
      expect(defaultVocabulary.categories).toHaveProperty(candidate.category);
      expect(defaultVocabulary.entities).toHaveProperty(candidate.object.type);
    }
  });
});

describe("an arc without a model", () => {
  const episode = [
    "Hi",
    "I'm really anxious about my new job at the clinic.",
    "My sister Ana says it will be fine, but I can't sleep.",
    "I want to sleep eight hours. What do you think?",
    "Thanks, I feel a bit calmer now.",
  ];

  it("is made of the person's own sentences", async () => {
    const { arc } = await extract(...episode);
    expect(arc).toMatchObject({
      themes: ["worries", "relationships", "goals"],
      mood: { opened: "anxious", closed: "calmer" },
      goal: "sleep eight hours",
    });
    expect(arc?.open_loops).toEqual(["I want to sleep eight hours"]);
    expect(arc?.summary).toContain("I'm really anxious about my new job at the clinic.");
    for (const sentence of arc?.summary.split(/(?<=\.) /u) ?? []) expect(episode.join(" ")).toContain(sentence);
  });

  it.each([
    ["small talk", ["hello there my friend", "how are you doing today?", "what is the weather like?", "ok see you later then"]],
    ["two turns", ["I'm anxious about my job.", "I want to sleep eight hours."]],
    ["nothing", []],
  ])("case 93: is none for %s", async (_, texts) => {
    expect((await extract(...texts)).arc).toBeNull();
  });

  it("is not made of what is said in danger", async () => {
    const { arc } = await extract(
      "I feel so sad and alone today.",
      "I want to die, I am so sad.",
      "My sister Ana is kind to me.",
      "I feel calmer now, thank you.",
    );
    expect(arc?.summary).not.toContain("die");
  });
});
