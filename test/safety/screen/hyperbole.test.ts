/** What is said of everyday things in the words of a danger, and what is not. */
import { describe, expect, test } from "vitest";
import { rulePacks } from "../../../packages/companion/src/safety/rule-packs.ts";
import { createScreen } from "../../../packages/throughline/src/safety/screen/screen.ts";

const screen = createScreen(rulePacks);

describe("hyperbole about an everyday thing", () => {
  test.each([
    "if he schedules another meeting I'm going to kill myself",
    "wenn der Nachbar noch einmal bohrt, spring ich aus dem Fenster",
    "si el vecino vuelve a taladrar me tiro por la ventana",
    "si le voisin reperce je me jette par la fenêtre",
    "se o vizinho furar de novo eu me jogo pela janela",
    "kalau tetangga ngebor lagi aku lompat dari jendela",
    "padosi ne phir drill kiya to khidki se kood jaunga",
    "لو الجار حفر مرة تانية برمي حالي من الشباك",
    "邻居再装修我就跳楼",
  ])("%s is asked about at most", (text) => expect(screen(text).level).toBeLessThanOrEqual(1));

  test.each([
    ["wenn du mich noch einmal schlägst, bring ich mich um", 2],
    ["si el vecino vuelve a taladrar me tiro por la ventana esta noche, ya escribí las cartas", 2],
    ["si le voisin reperce je me jette par la fenêtre, je n'ai plus d'espoir", 2],
    ["wenn der Nachbar noch einmal bohrt, häng ich mich auf, der Strick liegt bereit", 2],
    ["邻居再装修我就跳楼，我活着没意思", 2],
  ])("%s is grave", (text, least) => expect(screen(text).level).toBeGreaterThanOrEqual(least));
});

test.each([
  "tomorrow is my last day at uni",
  "Hoy es mi último día de clases",
  "demain c'est mon dernier jour à la fac",
  "आज ऑफिस में मेरा आखिरी दिन है",
  "aaj office mein mera aakhri din hai",
  "اليوم آخر يوم لي في الشغل",
  "明天是大学最后一天",
  "war mein letzter Tag, es gab Kuchen",
  "quiero morir rápido para reaparecer en la base",
  "je me suis tué avec ma propre grenade",
  "tô no telhado com a sniper, falta um",
  "hab mir den Arm am Backblech verbrannt",
  "Gas is on, water's boiling, how long for soft eggs?",
  "en el kilómetro 35 quería morirme",
  "我在楼顶架狙,还剩一个",
  "last message, my battery is dying",
  "we sacrificed the queen",
  "aux échecs j'ai sacrifié ma dame",
  "mein Sohn will nicht mehr in die Schule gehen",
])("%s is no danger", (text) => expect(screen(text).level).toBe(0));

test.each([
  ["tomorrow is my last day", 2],
  ["Hoy es mi último día, esta noche me voy", 2],
  ["मेरा आखिरी दिन है आज", 2],
  ["I am standing on the roof and I want to die", 2],
  ["je me suis brûlé le bras pour sentir quelque chose", 2],
])("%s is one", (text, least) => expect(screen(text).level).toBeGreaterThanOrEqual(least));

test.each([
  "main kisi ko janta nahi, marna chahta hu",
  "मैं किसी को जानता नहीं, मरना चाहता हूँ",
  "No, quiero morir",
  "não, quero morrer",
  "ich will aufhören zu leben",
])("a no before a comma hides nothing: %s", (text) => expect(screen(text).level).toBe(2));

test.each(["no quiero morir", "não quero morrer", "main marna nahi chahta", "mujhe nahi marna", "मैं मरना नहीं चाहता"])(
  "a no of the same clause does: %s",
  (text) => expect(screen(text).level).toBe(0),
);

test.each(["orang yang aku kenal ingin mati", "orang yang aku kenal mau bunuh diri malam ini", "我哥哥说他今晚要跳楼", "我妹妹说她想自杀"])(
  "%s is about another",
  (text) => expect(screen(text)).toMatchObject({ subject: "other" }),
);

test.each(["soy un fracaso", "ich bin ein Versager", "je suis un échec", "sou um fracasso", "I am a failure", "أنا فاشل"])(
  "%s is no sign by itself",
  (text) => expect(screen(text).level).toBe(0),
);

describe("a goodbye", () => {
  test("after something unclear is unclear, and no more", () => {
    expect(screen("thank you dear, goodbye", { highest: 1 }).level).toBe(1);
    expect(screen("Goodbye everyone, thank you", { highest: 1 }).level).toBe(1);
    expect(screen("Goodbye forever", { highest: 1 }).level).toBe(2);
  });

  test.each(["bye", "ok bye", "tschüss", "adiós", "拜拜", "再见"])("of one word amid a crisis is no new sign: %s", (text) =>
    expect(screen(text, { highest: 3 }).level).toBe(0),
  );

  test.each(["goodbye forever", "goodbye everyone, I love you", "bye, I'm on the bridge"])("that says more is: %s", (text) =>
    expect(screen(text, { highest: 3 }).level).toBe(3),
  );
});
