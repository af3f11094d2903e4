import { describe, expect, it } from "vitest";
import { packs } from "../../../packages/companion/src/companion-gate.ts";
import { createScreen } from "../../../packages/throughline/src/safety.ts";

const screen = createScreen(packs);

describe("another person who wants to die", () => {
  it.each([
    ...["我朋友说他想自杀", "我朋友说他想自杀，我该怎么办？", "我弟弟想自杀", "我女儿想自杀", "我妈妈想自杀", "我同事想自杀"],
    ...["أخي يريد أن ينتحر", "ابنتي تريد أن تموت", "मेरा भाई मरना चाहता है", "mera bhai marna chahta hai", "meri beti khudkushi karna chahti hai"],
    ...["adikku ingin bunuh diri", "anak perempuanku ingin mati", "rekan kerjaku bilang dia mau mati"],
    ...["mon frère veut se tuer", "ma fille veut mourir", "meu irmão quer se matar", "minha filha quer morrer"],
    "mere colleague ne kaha ki wo marna chahta hai",
  ])("%j is about another person", (text) => expect(screen(text)).toMatchObject({ level: 1, subject: "other" }));
});

describe("someone whom the writer knows", () => {
  it.each([
    "我认识的一个人想自杀",
    "मैं किसी को जानता हूँ जो आत्महत्या करना चाहता है",
    "main kisi ko janta hoon jo suicide karna chahta hai",
    "meri maa kehti hai wo jeena nahi chahti",
  ])("%j is about another person", (text) => expect(screen(text).subject).toBe("other"));
});

describe("a person who wants to die and names another", () => {
  it.each([
    ...[
      "我跟朋友说我想自杀",
      "我妈妈死后我也想死",
      "我朋友自杀了，我也不想活了",
      "妈妈，我想自杀",
      "我女朋友不要我了我想自杀",
      "认识的人都不理我，我想死",
    ],
    ...[
      "قلت لصديقي إني أريد أن أنتحر",
      "maine dost ko bola ki main marna chahta hoon",
      "aku bilang ke temanku aku mau bunuh diri",
      "maa main marna chahta hu",
    ],
    ...["j'ai dit à mon ami que je veux mourir", "eu disse pro meu amigo que quero morrer"],
  ])("%j is about the writer", (text) => {
    const { level, subject } = screen(text);
    expect(subject).toBe("self");
    expect(level).toBeGreaterThanOrEqual(2);
  });
});
