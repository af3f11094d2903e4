/** What a person takes back in plain words is no longer recalled; what they say instead is. */
import { createRuntime, openStore } from "throughline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { correctionIn } from "../../packages/companion/src/dispatch/memory-correction.ts";

describe("a correction in a message", () => {
  test.each([
    ["actually it's neuroscience, not biology", ["I study biology in Leeds"], { old: "biology", value: "neuroscience" }],
    ["actually it is neuroscience", ["I study biology"], { old: "biology", value: "neuroscience" }],
    ["no, my sister's name is Ana", ["my sister's name is Anna"], { old: "Anna", value: "Ana" }],
    ["Ich heiße Jonas, nicht Jonathan", ["hallo"], { old: "Jonathan", value: "Jonas" }],
    ["en realidad no soy de Sevilla, soy de Cádiz", ["soy de Sevilla"], { old: "Sevilla", value: "Cádiz" }],
    ["non, ma fille s'appelle Inès, pas Agnès", ["bonjour"], { old: "Agnès", value: "Inès" }],
    ["My name is not Tom, it is Tim", ["my name is Tom", "hello"], { old: "Tom", value: "Tim" }],
    ["no, my name is Tim", ["my name is Tom"], { old: "Tom", value: "Tim" }],
    ["no, it's my sister, not my brother", ["my younger brother moves in with us"], { old: "brother", value: "sister" }],
    ["I said Leeds but I live in York, not Leeds", ["I live in Leeds"], { old: "Leeds" }],
    ["nein, es ist meine Schwester, nicht mein Bruder", ["mein Bruder zieht aus"], { old: "mein Bruder", value: "meine Schwester" }],
    ["mein Name ist nicht Tom, sondern Tim", ["ich heiße Tom"], { old: "Tom", value: "Tim" }],
    ["no es mi hermano, es mi hermana", ["mi hermano viene a casa"], { old: "mi hermano", value: "mi hermana" }],
    ["non, c'est ma sœur, pas mon frère", ["mon frère déménage"], { old: "mon frère", value: "ma sœur" }],
    ["ce n'est pas mon frère, c'est ma sœur", ["mon frère déménage"], { old: "mon frère", value: "ma sœur" }],
    ["não é meu irmão, é minha irmã", ["meu irmão vem morar comigo"], { old: "meu irmão", value: "minha irmã" }],
    ["bukan kakakku, tapi adikku", ["kakakku mau pindah"], { old: "kakakku", value: "adikku" }],
    ["bhai nahi, behen hai", ["mera bhai aa raha hai"], { old: "bhai", value: "behen" }],
    ["भाई नहीं, बहन है", ["मेरा भाई आ रहा है"], { old: "भाई", value: "बहन" }],
    ["ليس أخي بل أختي", ["أخي سينتقل إلى بيتنا"], { old: "أخي", value: "أختي" }],
    ["不是我哥哥，是我弟弟", ["我哥哥要搬来"], { old: "我哥哥", value: "我弟弟" }],
    ["quise decir el jueves", ["hola", "me llamo Ana"], { old: "Ana", value: "el jueves" }],
    ["不对，我妹妹叫小玉", ["我妹妹叫小雨"], { old: "小雨", value: "小玉" }],
  ])("%s", async (message, texts, correction) => expect(await correctionIn(message, texts, new AbortController().signal)).toMatchObject(correction));

  test.each([
    ["no, my mother does not know about it", ["my mother called"]],
    ["actually, can you look it up?", ["I study biology"]],
    ["I am not well", ["I am well"]],
    ["no", ["I study biology"]],
    ["not today, maybe tomorrow", ["I study biology"]],
    ["I'm not angry, it's just a lot", ["I study biology"]],
    ["je ne dors pas bien, mais ça va", ["bonjour"]],
  ])("%s is none", async (message, texts) => expect(await correctionIn(message, texts, new AbortController().signal)).toBeUndefined());
});

test("what was corrected is remembered as corrected, in this conversation and in the next", async () => {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "priya" });
  for (const text of [
    "I study biology in Leeds.",
    "Actually it's neuroscience, not biology.",
    "my sister's name is Anna",
    "no, my sister's name is Ana",
  ])
    await session.send(text);
  expect((await session.send("what's my sister's name?")).reply).toContain("Ana.");
  const { items } = await session.memory.list({ limit: 100 });
  const recalled = items.filter(({ entry }) => !("never_recall" in entry && entry.never_recall)).map(({ text }) => text);
  expect(recalled.some((text) => text.includes("I study biology"))).toBe(false);
  expect(recalled.some((text) => text.includes("name is Anna"))).toBe(false);
  await session.closeEpisode();
  const facts = (await runtime.customers.memory("priya").list({ kind: "fact", limit: 100 })).items.filter(({ in_force }) => in_force);
  expect(facts.some(({ text }) => text.includes("neuroscience"))).toBe(true);
  expect(facts.some(({ entry }) => "object" in entry && entry.object.id.includes("biology"))).toBe(false);
});

const corrections = [
  ["ich heiße Tom", "Mein Name ist nicht Tom, sondern Tim", "Tim"],
  ["me llamo Ana", "no me llamo Ana, sino Hanna", "Hanna"],
  ["je m'appelle Marie", "non, je m'appelle Maria", "Maria"],
  ["meu nome é João", "não é João, é Joaquim", "Joaquim"],
  ["halo, namaku Sari dan aku mahasiswa", "namaku bukan Sari, tapi Sarah", "Sarah"],
  ["mera naam Rahul hai", "mera naam Rahul nahi, Rohan hai", "Rohan"],
  ["मेरा नाम राहुल है", "मेरा नाम राहुल नहीं, रोहन है", "रोहन"],
  ["اسمي سامي", "اسمي ليس سامي بل سامر", "سامر"],
  ["我叫小明", "我不叫小明，我叫小民", "小民"],
  ["my name is Tom", "My name is not Tom, it is Tim", "Tim"],
] as const;

test("a name is remembered as corrected, in every language", async () => {
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const kept = await Promise.all(
    corrections.map(async ([said, corrected, name]) => {
      const session = await runtime.sessions.open({ agent: "companion", customer: name });
      await session.send(said);
      await session.send(corrected);
      await session.closeEpisode();
      const { items } = await runtime.customers.memory(name).list({ kind: "fact", limit: 100 });
      return items.flatMap(({ entry, in_force }) =>
        "predicate" in entry && in_force && entry.predicate === "PREFERRED_NAME" ? [entry.object.id] : [],
      );
    }),
  );
  expect(kept).toEqual(corrections.map(([, , name]) => [name]));
});

test("the message after the wish not to remember it is not remembered, and the one after that is", async () => {
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  for (const text of ["I study law in Leeds", "don't remember what I say next", "I love stealing bikes", "I love green tea"])
    await session.send(text);
  await session.closeEpisode();
  const { items } = await session.memory.list({ limit: 100 });
  const told = items.map(({ text }) => text).join("\n");
  expect(told).not.toContain("bikes");
  expect(told).toContain("green tea");
  expect((await session.send("forget the last thing I said")).reply).toContain("green tea");
});

test.each([
  ["minha mãe chorou de alegria", "na verdade é minha avó que chorou, não minha mãe", "o que você lembra de mim?"],
  ["my mother cried", "actually it is my aunt who cried, not my mother", "what do you remember about me?"],
  ["meine Mutter hat geweint", "nein, es war meine Tante, nicht meine Mutter", "was weißt du über mich?"],
])("%s: the withdrawn message is marked in the listing", async (wrong, correction, question) => {
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  const session = await runtime.sessions.open({ agent: "companion", customer: "rafael" });
  for (const text of [wrong, correction]) await session.send(text);
  expect((await session.send(question)).reply).toMatch(new RegExp(`“${wrong}” \\([-\\d]+\\) ∅`, "u"));
});
