/** Orders about memory and about the person's name, in every language of the rules, are answered in that language. */
import { createRuntime, openStore, type Session } from "throughline";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCompanion } from "../../../packages/companion/src/create-companion.ts";
import { introducedIn } from "../../../packages/companion/src/offline/understand/own-name.ts";
import { control, triaged, withCompanion } from "../support.ts";

async function opened(): Promise<Session> {
  const runtime = await createRuntime({ store: await openStore(":memory:"), agents: [createCompanion()] });
  onTestFinished(() => runtime.close());
  return runtime.sessions.open({ agent: "companion", customer: "ada" });
}

type Said = readonly [message: string, reply: RegExp];

const orders: Readonly<Record<string, readonly Said[]>> = {
  en: [
    ["my sister is called Ana", /Ana/u],
    ["remember that my exam is on Friday", /I will remember that: “my exam is on Friday”/u],
    ["what do you know about me?", /saved about you:\n1\. “my exam is on Friday”/u],
    ["forget what I said about my sister", /Ana.*\nPlease answer yes or no/su],
    ["yes", /deleted/u],
  ],
  es: [
    ["mi hermana se llama Ana", /Ana/u],
    ["recuerda que mi examen es el viernes", /Lo recordaré/u],
    ["¿qué sabes de mí?", /guardado sobre ti:\n1\. “mi examen/u],
    ["olvida lo que dije de mi hermana", /¿Borro.*Ana/su],
    ["sí", /borrado/u],
  ],
  de: [
    ["meine Schwester heißt Ana", /./u],
    ["merk dir, dass meine Prüfung am Freitag ist", /Das merke ich mir/u],
    ["was weißt du über mich?", /über dich gespeichert:\n1\. “dass meine Prüfung/u],
    ["vergiss, was ich über meine Schwester gesagt habe", /löschen.*Ana/su],
    ["ja", /gelöscht/u],
  ],
  fr: [
    ["ma sœur s'appelle Ana", /Ana/u],
    ["souviens-toi que mon examen est vendredi", /Je m'en souviendrai/u],
    ["qu'est-ce que tu sais de moi ?", /à ton sujet.*mon examen/su],
    ["oublie ce que j'ai dit sur ma sœur", /effacer.*Ana/su],
    ["oui", /effacé/u],
  ],
  pt: [
    ["minha irmã se chama Ana", /Ana/u],
    ["lembre que minha prova é na sexta", /Vou lembrar disso/u],
    ["o que você sabe sobre mim?", /guardei sobre você.*minha prova/su],
    ["esquece o que eu falei da minha irmã", /apagar.*Ana/su],
    ["sim", /apagado/u],
  ],
  zh: [
    ["我姐姐叫安娜", /安娜/u],
    ["请记住我的考试在星期五", /我记住了/u],
    ["你知道我什么?", /保存的关于你.*我的考试/su],
    ["忘掉我说的关于姐姐的事", /删除.*安娜/su],
    ["是的", /已经删除/u],
  ],
  id: [
    ["kakak saya namanya Ana", /./u],
    ["ingat ya, ujianku hari Jumat", /Akan kuingat/u],
    ["apa yang kamu tahu tentang aku?", /tentang kamu.*ujianku/su],
    ["lupakan yang aku bilang tentang kakakku", /kuhapus.*Ana/su],
    ["ya", /dihapus/u],
  ],
  hi: [
    ["मेरी बहन का नाम अना है", /./u],
    ["याद रखना कि मेरी परीक्षा शुक्रवार को है", /याद रखूँगा/u],
    ["तुम मेरे बारे में क्या जानते हो?", /आपके बारे में.*परीक्षा/su],
    ["मेरी बहन के बारे में जो कहा वह भूल जाओ", /हटा दूँ.*अना/su],
    ["हाँ", /हटा दिया/u],
  ],
  "hi-latn": [
    ["meri behen ka naam Ana hai", /./u],
    ["yaad rakhna ki mera exam Friday ko hai", /yaad rakhunga/u],
    ["tum mere baare mein kya jaante ho?", /Aapke baare mein.*mera exam/su],
    ["meri behen ke baare mein jo kaha woh bhool jao", /hata doon.*Ana/su],
    ["haan", /Hata diya/u],
  ],
  ar: [
    ["أختي اسمها آنا", /آنا/u],
    ["تذكر أن امتحاني يوم الجمعة", /سأتذكر هذا/u],
    ["ماذا تعرف عني؟", /حفظته عنك.*امتحاني/su],
    ["انس ما قلته عن أختي", /أحذف.*آنا/su],
    ["نعم", /حُذف/u],
  ],
};

describe("remember, show and forget", () => {
  test.each(Object.entries(orders))("%s", async (_, lines) => {
    const session = await opened();
    for (const [message, reply] of lines) expect((await session.send(message)).reply, message).toMatch(reply);
  });

  test.each([
    ["könntest du die Sache mit meinem Bruder aus deinem Kopf streichen", /gespeichert/u],
    ["¿podrías sacar de tu cabeza lo que conté de mi hermano?", /guardado/u],
    ["tu pourrais enlever de ta tête ce que j'ai raconté de mon frère ?", /gardé|enregistré/u],
    ["能不能把我哥哥的事从你脑子里去掉", /没有保存/u],
  ])("an order that only the model understands is answered in its language: %s", (message, reply) =>
    withCompanion(
      {
        models: {
          control: control({ triage: triaged({ route: "memory_control", memory_action_type: "forget_by_query", query: "xyz", target_kind: null }) }),
        },
      },
      async ({ say }) => {
        const { reply: said } = await say(message);
        expect(said).toMatch(reply);
        expect(said).toContain("xyz");
      },
    ),
  );
});

/** Says a name, talks, asks for the name. */
const names: readonly (readonly [language: string, order: string, talk: readonly string[], question: string, name: string])[] = [
  ["en", "please call me Pri, everyone does", ["I had a rough day at work", "my boss yelled at me", "I am so tired"], "what's my name?", "Pri"],
  ["de", "nenn mich bitte Miri", ["ich bin so müde", "mein Chef hat mich angeschrien"], "wie heiße ich eigentlich bei dir?", "Miri"],
  ["es", "llámame Lu", ["estoy muy cansada", "mi jefe me gritó"], "¿cómo me llamo?", "Lu"],
  ["fr", "tu peux m'appeler Cam", ["je suis crevée", "mon chef m'a crié dessus"], "comment je m'appelle ?", "Cam"],
  ["pt", "pode me chamar de Rafa", ["estou tão cansado", "meu chefe gritou comigo"], "qual é o meu nome mesmo?", "Rafa"],
  ["zh", "叫我小雨就行", ["今天好累", "老板骂了我"], "我叫什么名字?", "小雨"],
  ["id", "panggil aku Sari aja", ["aku capek banget"], "siapa namaku?", "Sari"],
  ["hi", "मुझे मीना बुलाओ", ["आज बहुत थक गई"], "मेरा नाम क्या है?", "मीना"],
  ["hi-latn", "mujhe Arjun bulao", ["aaj bahut thak gaya"], "mera naam kya hai?", "Arjun"],
  ["ar", "ناديني هدى", ["أنا متعبة جدا"], "ما اسمي؟", "هدى"],
];

describe("a name", () => {
  test.each(names)("%s: is learned, known when asked for, and kept for the next session", async (_, order, talk, question, name) => {
    const store = await openStore(":memory:");
    const runtime = await createRuntime({ store, agents: [createCompanion()] });
    onTestFinished(() => runtime.close());
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
    expect((await session.send(order)).reply).toContain(name);
    for (const text of talk) await session.send(text);
    expect((await session.send(question)).reply).toContain(name);
    await session.closeEpisode();
    const next = await runtime.sessions.open({ agent: "companion", customer: "ada" });
    expect((await next.send(question)).reply).toContain(name);
  });

  test("is used now and then", async () => {
    const session = await opened();
    await session.send("call me Pri");
    const replies: string[] = [];
    for (const text of ["I had a rough day at work", "my boss yelled at me", "I am so tired", "my neighbour is loud", "the bus was late"])
      replies.push((await session.send(text)).reply ?? "");
    const used = replies.filter((reply) => reply.includes(", Pri")).length;
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(replies.length);
  });

  test("that was said in an introduction is used too; a name that was never said is not known", async () => {
    const session = await opened();
    expect((await session.send("what's my name?")).reply).toMatch(/nothing saved/u);
    await session.send("Hi, my name is Ruth");
    expect((await session.send("do you remember my name?")).reply).toContain("Ruth");
  });
});

test.each([
  ["ich heiße übrigens Jonas", "Jonas"],
  ["my name is actually Ruth", "Ruth"],
  ["ich heiße Jonas", "Jonas"],
])("%s: the name is the name, and no word before it", (message, name) => expect(introducedIn(message)).toBe(name));

describe("somebody who wants to be left in peace gets a short answer without a question", () => {
  test.each([
    ["en", ["leave me alone with these questions", "ok", "no"], /^(?:All right|That is fine|Okay)\./u],
    ["de", ["lass mich bitte in Ruhe", "ok", "nein"], /^(?:In Ordnung|Das ist gut so|Gut)\./u],
    ["es", ["por favor déjame en paz", "vale", "no"], /^(?:De acuerdo|Está bien así|Vale)\./u],
    ["fr", ["laisse-moi tranquille", "ok", "non"], /^(?:D'accord|C'est bien ainsi|Entendu)\./u],
    ["pt", ["me deixa em paz", "ok", "não"], /^(?:Tudo bem|Está bem assim|Certo)\./u],
    ["zh", ["让我静一静", "好", "不"], /^(?:好的|这样就好|嗯)/u],
  ])("%s", async (_, messages, short) => {
    const session = await opened();
    for (const message of messages) {
      const { reply = "" } = await session.send(message);
      expect(reply, message).toMatch(short);
      expect(reply, message).not.toMatch(/[?？]/u);
    }
  });

  test("also while the plan of a crisis pauses on their request", async () => {
    const session = await opened();
    await session.send("i want to die");
    expect((await session.send("please stop asking me about that")).reply).toMatch(/no more questions/u);
    for (const message of ["ok", "no", "yes"]) expect((await session.send(message)).reply).toMatch(/^(?:All right|That is fine|Okay)\./u);
  });
});
