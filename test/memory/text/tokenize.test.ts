import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { english, german, spanish } from "../../../packages/throughline/src/memory/text/languages.ts";
import { createTokenizer, suppliedLocales } from "../../../packages/throughline/src/memory/text/tokenize.ts";
import { wordsOf, type Locale } from "../../../packages/throughline/src/memory/text/locale.ts";

const tokenizer = createTokenizer();
const englishOnly = createTokenizer({ locales: [english] });
const terms = (text: string): string => tokenizer.terms(text).join(" ");
const words = (text: string): string =>
  tokenizer
    .words(text)
    .map((word) => word.text)
    .join(" ");

/** Any characters, half of them of the first blocks, and halves of pairs among them. */
const anyText = fc.string({
  unit: fc.oneof(fc.integer({ max: 0x4ff, min: 0 }), fc.integer({ max: 0x10ffff, min: 0 })).map((code) => String.fromCodePoint(code)),
});

describe("terms of an English text", () => {
  test.each([
    ["case 76: of eleven words three carry meaning", "I was at the museum with my sister and a guitar", "museum sister guitar"],
    ["case 76: stop words only", "and then you were there with them", ""],
    ["nothing", "", ""],
    ["no words", " … — !? 🎉👩‍👩‍👧 ", ""],
    ["irregular forms come before the stemmer", "children went, kids gone, she took men", "child go child go take man"],
    ["contractions are stop words, whatever their apostrophe", "don't don’t it's wasn't I'm we'll", ""],
    ["what belongs to somebody", "Caroline's dog, James's dog, the dogs' bowl", "carolin dog jame dog dog bowl"],
    ["compatible forms and case", "ＭＵＳＥＵＭ ﬁne Museum", "museum fine museum"],
    ["accents, composed or not", "café cafe\u0301 cafe naïve", "cafe cafe cafe naiv"],
    ["numbers, their thousands, and ordinals", "1,000 1.000.000 3.5 7th 21st 2023", "1000 1000000 3 5 7 21 2023"],
    ["a comma that separates no thousands", "in 2022, 2023,20", "2022 2023 20"],
    ["a lone letter is no word, a lone figure is", "b 7 x", "7"],
    ["an address", "https://www.example.com/a-page?number=42", "exampl com page number 42"],
    ["underscores and hyphens separate", "lives_in co-worker", "live co worker"],
    ["a keycap, a soft hyphen", "1️⃣ mu\u00adseum", "1 museum"],
    ["half of a surrogate pair", "\ud83d museum \udc00", "museum"],
    ["a word of letters beyond the first plane", "𝒜𝒷𝒸", "abc"],
  ])("%s", (_title, text, expected) => expect(terms(text)).toBe(expected));

  test("a long word counts by its first 64 characters, and is not cut within one", () => {
    const long = `${"x".repeat(63)}é${"y".repeat(100_000)}`;
    expect(tokenizer.terms(long)).toEqual([`${"x".repeat(63)}e`]);
    expect(tokenizer.terms(`${"x".repeat(63)}𝒜`).map((term) => term.isWellFormed())).toEqual([true]);
    expect(tokenizer.terms("𠮟".repeat(80)).every((term) => term.isWellFormed())).toBe(true);
  });
  test("a text of a hundred thousand characters", () => {
    expect(tokenizer.terms("我".repeat(100_000))).toHaveLength(99_999);
    expect(tokenizer.terms("1'".repeat(100_000))).toHaveLength(100_000);
  });
});

describe("scripts without spaces become pairs", () => {
  test.each([
    ["Chinese", "小狗叫小白", "小狗 狗叫 叫小 小白"],
    ["a lone character", "狗 cat", "狗 cat"],
    ["with Latin words in it", "小明iPhone手机", "小明 iphon 手机"],
    ["empty pairs are dropped", "我们什么", "们什"],
    ["characters beyond the first plane", "𠀀𠀁𠀂", "𠀀𠀁 𠀁𠀂"],
    ["kana, narrow or with marks of their own", "ｶﾞﾗｽ カ\u3099ラス", "ガラ ラス ガラ ラス"],
    ["Hangul, composed or not", `한국어 ${"한국어".normalize("NFD")}`, "한국 국어 한국 국어"],
    ["Thai vowels stay with their letters", "กิน", "กิน"],
  ])("%s", (_title, text, expected) => expect(terms(text)).toBe(expected));
});

describe("scripts with spaces keep what makes a word", () => {
  test.each([
    ["Hindi", "नमस्ते दुनिया", "नमस्ते दुनिया"],
    ["Russian", "Ёлка й", "елка"],
    ["Arabic without its vowel signs", "كِتَاب", "كتاب"],
    ["Greek without accents", "Αθήνα", "αθηνα"],
  ])("%s", (_title, text, expected) => expect(terms(text)).toBe(expected));
});

describe("words", () => {
  test("are all there in order, and characters of scripts without spaces one by one", () =>
    expect(words("I don't live in 北京, Zoë's")).toBe("i dont live in 北 京 zoe"));
  test("lie where they say", () => {
    const text = "Ünal: ‘Hi’, 𠀀 e\u0301t";
    expect(tokenizer.words(text).map(({ start, end }) => text.slice(start, end))).toEqual(["Ünal", "Hi", "𠀀", "e\u0301t"]);
  });
  test("in any text: in order, apart and within it", () =>
    fc.assert(
      fc.property(anyText, (text) => {
        const ends = [0, ...tokenizer.words(text).flatMap(({ start, end }) => [start, end]), text.length];
        expect(ends).toEqual(ends.toSorted((a, b) => a - b));
        expect(tokenizer.words(text).every(({ start, end }) => start < end)).toBe(true);
      }),
    ));
});

describe("laws", () => {
  const sentence = fc.array(fc.constantFrom("museum", "went", "don't", "Café", "1,000", "北京", "x", "sisters", "👍", "the"), { maxLength: 12 });
  test("what lies apart is cut apart", () =>
    fc.assert(
      fc.property(sentence, sentence, (one, two) => {
        const [a, b] = [one.join(" "), two.join(" ")];
        expect(englishOnly.terms(`${a} . ${b}`)).toEqual([...englishOnly.terms(a), ...englishOnly.terms(b)]);
      }),
    ));
  test("a warm tokenizer, a fresh one and one that forgets at once agree", () => {
    const forgetful = createTokenizer({ cacheBytes: 1 });
    fc.assert(
      fc.property(anyText, (text) => {
        const expected = createTokenizer().terms(text);
        expect(tokenizer.terms(text)).toEqual(expected);
        expect(forgetful.terms(text)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });
  test("composed or taken apart, a text has the same terms", () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom("Ünal", "café", "ñandú", "한국어", "ガラス", "naïve", "Ångström"), { maxLength: 6 }), (list) => {
        const text = list.join(" ");
        expect(tokenizer.terms(text.normalize("NFD"))).toEqual(tokenizer.terms(text.normalize("NFC")));
      }),
    ));
});

describe("each text in its own language", () => {
  test.each([
    ["en", "She lives in Los Angeles with her husband"],
    ["en", "I live in Las Vegas"],
    ["en", "Carlos de la Vega went to the museum"],
    ["es", "¿Cómo se llama mi perro?"],
    ["es", "La semana pasada"],
    ["de", "Wie heißt mein Hund?"],
    ["de", "Die Katze schläft"],
    ["zh", "我的狗叫什么名字？"],
    ["zh", "我用 Python 写程序"],
    ["en es de zh", "Museum!"],
    ["en es de zh", ""],
  ])("%s: %s", (codes, text) =>
    expect(
      tokenizer
        .localesOf(text)
        .map((locale) => locale.code)
        .join(" "),
    ).toBe(codes),
  );

  test("what shows no language counts as of the first", () => {
    expect(tokenizer.terms("Running")).toEqual(["run"]);
    expect(createTokenizer({ locales: [german, english] }).terms("Katzen")).toEqual(["katz"]);
  });
  test("the language may be given", () => expect(tokenizer.terms("Katzen", german)).toEqual(["katz"]));
  test("English is read the same when other languages are spoken besides", () => {
    const texts = ["She has had the hat for a year, and the war is old", "Hi Mel! No, me and my son were in a band", "He sold his car to Del"];
    for (const text of texts) expect(tokenizer.terms(text)).toEqual(englishOnly.terms(text));
  });
});

/** Forms that must meet in one term. */
const together: readonly (readonly [Locale, string])[] = [
  [english, "run runs running ran"],
  [english, "photo photos photograph pictures"],
  [english, "museum museums"],
  [spanish, "perro perros perra perras"],
  [spanish, "trabajo trabajar trabajé trabaja trabajando trabajamos"],
  [spanish, "ciudad ciudades"],
  [spanish, "canción canciones"],
  [spanish, "luz luces"],
  [spanish, "vivir vivo vive vivió vivía"],
  [spanish, "jugar juego jugué jugando"],
  [spanish, "tocar toqué toco"],
  [spanish, "enfermera enfermero enfermeras"],
  [spanish, "casarse casar"],
  [german, "Hund Hunde Hunden Hundes"],
  [german, "Katze Katzen"],
  [german, "Haus Häuser Hauses Häusern"],
  [german, "Kind Kinder Kindern"],
  [german, "Schwester Schwestern"],
  [german, "wohnen wohne wohnst wohnt"],
  [german, "arbeiten arbeitet gearbeitet"],
  [german, "fahren fuhr fährt gefahren"],
  [german, "Lehrer Lehrerin Lehrerinnen"],
];
/** Words that must not. */
const apart: readonly (readonly [Locale, string])[] = [
  [english, "universe museum music"],
  [spanish, "verano ver caro carta"],
  [spanish, "perro pera"],
  [german, "schwer schwester"],
  [german, "Haus Hand Hund"],
];
describe("forms of a word", () => {
  const termsIn = (locale: Locale, list: string): ReadonlySet<string> => new Set(wordsOf(list).flatMap((word) => tokenizer.terms(word, locale)));
  test.each(together.map(([locale, list]) => [locale.code, list, locale] as const))("%s: %s meet", (_code, list, locale) =>
    expect([...termsIn(locale, list)]).toHaveLength(1),
  );
  test.each(apart.map(([locale, list]) => [locale.code, list, locale] as const))("%s: %s do not", (_code, list, locale) =>
    expect([...termsIn(locale, list)]).toHaveLength(wordsOf(list).length),
  );
});

describe("the supplied languages", () => {
  test("tell themselves by words that they do not share", () => {
    const lists = suppliedLocales.map((locale) => new Set(wordsOf(locale.telltale)));
    const shared = lists.flatMap((list, place) => lists.slice(place + 1).flatMap((other) => [...list].filter((word) => other.has(word))));
    expect(shared).toEqual([]);
  });
  test("give no form of a verb to two bases", () => {
    for (const { irregular } of suppliedLocales) {
      const forms = Object.values(irregular).flatMap(wordsOf);
      expect(forms.filter((form, index) => forms.indexOf(form) !== index)).toEqual([]);
    }
  });
});
