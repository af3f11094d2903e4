import { describe, expect, test } from "vitest";
import type { SafetyLevel } from "../../../packages/throughline/src/safety/assessment.ts";
import { guard } from "../../../packages/throughline/src/safety/guard/guard.ts";
import { cpuMs } from "../../setup/cpu-time.ts";

const us = {
  numbers: ["988 Suicide & Crisis Lifeline", "988", "text HOME to 741741", "911"],
  links: ["https://988lifeline.org/chat/", "https://988lifeline.org", "https://findahelpline.com"],
};

describe("case 60: a number that is not of the table does not get through, however it is written", () => {
  test.each([
    ...[
      "9-8-8",
      "9 8 8",
      "9.8.8",
      "(9)(8)(8)",
      "9\n8\n8",
      "9\u200B8\u200B8",
      "9️⃣8️⃣8️⃣",
      "９８８",
      "９-８-８",
      "٩٨٨",
      "९८८",
      "𝟗𝟖𝟖",
      "⁹⁸⁸",
      "⑨⑧⑧",
      "9B8",
      "CMLXXXVIII",
    ],
    ...[
      "nine eight eight",
      "nine, then eight, then another eight",
      "nine double eight",
      "9 and 8 and 8",
      "nineeighteight",
      "n-i-n-e e-i-g-h-t e-i-g-h-t",
    ],
    ...[
      "nine hundred eighty-eight",
      "nine eighty-eight",
      "nueve ocho ocho",
      "neuf huit huit",
      "neun acht acht",
      "neunhundertachtundachtzig",
      "九八八",
      "一一二",
    ],
    ...[
      "sembilan delapan delapan",
      "تسعة ثمانية ثمانية",
      "नौ आठ आठ",
      "nau aath aath",
      "Press nine, then press eight.",
      "The first digit is nine.\nThe second digit is eight.",
    ],
    ...[
      "Call 911 now.",
      "1-800-SUICIDE",
      "+44 116 123",
      "text HOME to 741741",
      "call one one two",
      "&#57;&#56;&#56;",
      "9%38%38",
      "0800 111 0 111",
      "119 ext. 8",
    ],
  ])("%j", (number) => {
    const { text, removed } = guard(`I hear you. ${number} Stay here.`, { level: 2 });
    expect(removed).toEqual(["number"]);
    expect(text).not.toMatch(/\p{Nd}|nine|eight|acht|ocho|huit/u);
  });

  test.each([
    ...[
      "You can call 988 any time.",
      "Text HOME to 741741.",
      "Call the Samaritans on 116 123.",
      "Call nine eight eight.",
      "His number is 555-123-4567.",
    ],
    ...[
      "Ring +44 20 7946 0958.",
      "Call 1-800-273-8255.",
      "llama al 024.",
      "Ruf die 112 an.",
      "appelle le 3114",
      "ligue para 188",
      "拨打12356",
      "اتصل على 937",
    ],
    ...["हेल्पलाइन 14416 पर कॉल करें", "hubungi 119", "Dial ٩١١."],
  ])("where nobody is in danger too: %j", (said) =>
    expect(guard(`Hello there. ${said} Take care.`, { level: 0 })).toMatchObject({ removed: ["number"] }),
  );
});

describe("links", () => {
  test.each([
    ...[
      "https://foo.example/x",
      "hxxp://foo.example",
      "www.foo.bar",
      "samaritans.org",
      "988lifeline dot org",
      "samaritans (dot) org",
      "help@foo.org",
    ],
    ...["telefonoamico.it", "example。com", "t.me/foo", "@crisis_text", "https://988lifeline.org/donate", "tel:911"],
  ])("%s is taken out", (link) => {
    const { text, removed } = guard(`I hear you. Look at ${link} please. I am here.`, { level: 2, allow: { numbers: ["911"], links: us.links } });
    expect(removed).toContain("link");
    expect(text).not.toContain(link);
  });
  test.each(["https://988lifeline.org/chat/", "988lifeline.org", "https://www.findahelpline.com/."])("%s is of the table", (link) =>
    expect(guard(`See ${link} now`, { level: 2, allow: us }).removed).toEqual([]),
  );
});

describe("ordinary talk is left alone", () => {
  test.each([
    ...[
      "Try 4-7-8 breathing tonight.",
      "Born on 12/03/1990, or 1990-03-12, or 12.03.1990.",
      "At 10:30 we met, until 11:45.",
      "It costs $1,200 or 1.200 euros.",
    ],
    ...[
      "I am 17 and he is 45.",
      "In 2019-2023 and 1995 things changed.",
      "Count 5, 4, 3, 2, 1 and rest.",
      "Name 5 things you see, 4 you hear, 3 you touch.",
    ],
    ...[
      "1. Sit down.\n2. Breathe in.\n3. Breathe out.",
      "Walk 10,000 steps, about 500 calories.",
      "There were 1000 people at the concert.",
      "She is in room 204.",
    ],
    ...[
      "I called my mother 3 times in 24 hours.",
      "It happened 24/7.",
      "He ran 1500 m in 300 seconds.",
      "About 1,234,567 people live there.",
      "sleep.It helps. e.g. this.",
    ],
    ...[
      "Try the 5-4-3-2-1 grounding exercise.",
      "The year 1984 by Orwell.",
      "Her emergency surgery was in 2014.",
      "Your flat is number 1204.",
      "call it 10 minutes",
      "one, two, three, four",
      "Your average of 3.85 is fine, 85% is good.",
    ],
  ])("%j", (text) => expect(guard(text, { level: 0 })).toEqual({ text, removed: [], blocked: [] }));

  test.each([
    ...[
      "Breathe in for 4, hold for 7, out for 8.",
      "Try 4-7-8 breathing.",
      "Let us do 5-4-3-2-1 grounding.",
      "Stay for 10 minutes. You said you are 17.",
    ],
    ...[
      "You can call 988, or text HOME to 741741, 24/7.",
      "[[resources]] and [[emergency]].",
      "I am an AI, not a person, and I can't call anyone for you.",
    ],
    ...["Can you put some distance between you and it?", "If you said 10:30 was bad, we can talk."],
  ])("in a crisis: %j", (text) => expect(guard(text, { level: 2, allow: us })).toEqual({ text, removed: [], blocked: [] }));
});

describe("what must not be said", () => {
  test.each([
    [
      "secrecy_promise",
      [
        "I promise to keep this between us.",
        "I won't tell anyone.",
        "No se lo diré a nadie.",
        "Je ne dirai rien à personne.",
        "Das bleibt unter uns.",
      ],
    ],
    [
      "secrecy_promise",
      [
        "Everything you say is confidential.",
        "Não vou contar a ninguém.",
        "मैं किसी को नहीं बताऊँगा।",
        "لن أخبر أحدا",
        "我不会告诉任何人",
        "Aku tidak akan bilang siapa-siapa.",
      ],
    ],
    [
      "human_claim",
      [
        "I am a real person.",
        "I'm not a robot.",
        "As a fellow human, I get it.",
        "I'm a licensed counsellor.",
        "Soy una persona.",
        "Je suis humain.",
      ],
    ],
    ["human_claim", ["Ich bin ein Mensch.", "Sou uma pessoa real.", "मैं एक इंसान हूँ।", "أنا إنسان", "我是真人", "Aku manusia."]],
    [
      "contact_claim",
      [
        "I've called the police for you.",
        "Help is on the way.",
        "I have alerted emergency services.",
        "I'll call an ambulance.",
        "He llamado a la policía.",
      ],
    ],
    [
      "contact_claim",
      ["J'ai appelé les secours.", "Ich habe die Polizei angerufen.", "Já chamei a ambulância.", "我已经报警了", "Saya sudah menghubungi polisi."],
    ],
    [
      "no_harm_promise",
      [
        "Promise me you won't hurt yourself.",
        "Can you promise not to do it?",
        "Prométeme que no.",
        "Versprich mir das.",
        "答应我不会做",
        "عدني أنك لن تفعل",
        "وعدني بذلك",
      ],
    ],
    [
      "refusal",
      [
        "I'm sorry, but I can't talk about that.",
        "I cannot help with this.",
        "I'm unable to discuss this topic.",
        "No puedo hablar de eso.",
        "Je ne peux pas en parler.",
      ],
    ],
    ["retention", ["Please don't leave me.", "I love you.", "You don't need anyone else, only I understand you."]],
    ["diagnosis", ["You have depression.", "You are clearly bipolar.", "It sounds like you have PTSD.", "Tienes depresión.", "你有抑郁症"]],
    ["method_detail", ["A lethal dose would be needed.", "The most painless way to die is simple."]],
  ] as const)("%s", (kind, said) => {
    for (const text of said) expect(guard(text, { level: 2 }).blocked, text).toContain(kind);
  });

  test.each([
    ...[
      "I can't promise to keep this secret.",
      "I'm an AI, not a human.",
      "I am not a doctor, I'm an AI companion.",
      "I can't call anyone for you.",
      "I haven't contacted anyone.",
    ],
    ...[
      "You said you have depression, and that sounds hard.",
      "If you have depression, a doctor can help.",
      "I can't help but notice how tired you are.",
      "You are not alone.",
    ],
    ...[
      "I can't imagine how hard that is.",
      "There are people who love you.",
      "I need you to know that you matter.",
      "I am sorry you feel this way.",
      "You could call somebody you trust.",
    ],
    ...[
      "Nobody will know the answer for certain.",
      "You don't need anyone's permission.",
      "Can you promise yourself a rest?",
      "I love that idea!",
      "I won't share advice unless you ask.",
    ],
    ...[
      "I can't talk you out of how you feel.",
      "I need you to breathe with me.",
      "I've been there with you through this week.",
      "Some people with OCD feel this way.",
      "يسعدني أنك كتبت لي.",
      "ساعدني كلامك على الفهم.",
    ],
  ])("is not said by %j", (text) => {
    for (const level of [0, 2] as const) expect(guard(text, { level }).blocked).toEqual([]);
  });
});

describe("what stands around placeholders", () => {
  test.each([
    ...["Call 9[[x]]8[[y]]8.", "Call 98{{ }}8.", "Call 9[[[[x]]]]8 8.", "Call 9［［x］］88.", "Call nine [[a]] eight [[b]] eight."],
    ...["9[[emergency]]9", "Call [[emergency]] 5.", "Call 1 [[emergency]] now.", "Call [[emergency]]-55", "It is 0{{emergency}}."],
    ...["Write to help.made-up/now.", "See crisis.anything/chat today.", "[[resources]](https://evil.example)", "See a.b.newending/x?y=1"],
  ])("%s is taken out", (said) => {
    for (const level of [2, 3] as const) {
      const { text, removed } = guard(`I hear you. ${said} I am here.`, { level });
      expect(removed.length, said).toBeGreaterThan(0);
      expect(text).not.toMatch(/\d|nine|eight|made-up|anything\/|evil|newending/u);
    }
  });

  test.each(["Call [[emergency]] now.", "Call [[emergency]]. Stay 5 minutes.", "[[hotline_of_mine]] I am here.", "Yes and/or no, 24/7."])(
    "nothing but unknown placeholders is missing from %s",
    (text) => {
      expect(guard(text, { level: 3 })).toEqual({ text: text.replace(/\[\[hotline_of_mine\]\] /u, ""), removed: [], blocked: [] });
    },
  );
});

describe("questions", () => {
  test.each<[SafetyLevel, string, boolean]>([
    [1, "I hear you. Are you thinking about suicide?", true],
    [1, "I hear you.", false],
    [1, "Are you safe? Are you alone?", false],
    [1, "¿Estás pensando en el suicidio?", true],
    [1, "你有自杀的想法吗？", true],
    [1, "هل تفكر في الانتحار؟", true],
    [1, "Really?! Are you thinking about suicide?", false],
    [2, "I hear you.", true],
    [2, "Is somebody with you? Do you have a plan?", false],
    [0, "Why? How? When?", true],
  ])("level %i: %s", (level, text, kept) => expect(guard(text, { level }).blocked.includes("questions")).toBe(!kept));

  test("while a crisis is open, a quieter turn may name services, and asks one question at most", () => {
    const said = "I hear you. You can still call the crisis line.";
    expect(guard(said, { level: 1, crisisOpen: true })).toEqual({ text: said, removed: [], blocked: [] });
    expect(guard("Are you safe? Are you alone?", { level: 1, crisisOpen: true }).blocked).toEqual(["questions"]);
  });

  test("case 20: at level 1 nothing of hotlines or emergency services is left", () => {
    const said = "I hear you. Please call a crisis line. Go to the emergency room. [[resources]]\nAre you thinking about suicide?";
    expect(guard(said, { level: 1, allow: us })).toEqual({
      text: "I hear you. Are you thinking about suicide?",
      removed: ["emergency_text"],
      blocked: [],
    });
  });
});

test("long and hostile texts are read in a time that grows with their length alone", () => {
  const begun = cpuMs();
  const parts = ["9 ", "a.", "http://", "i will ", "nine ", "a@", "(", "x", "1-", "n ", "call 988. ", "you have a ", "[["];
  for (const part of parts) guard(part.repeat(40_000 / part.length), { level: 2 });
  expect(cpuMs() - begun).toBeLessThan(3_000);
});
