/** What a person says of themselves, and takes back in the same breath, in every language of the rules. */
import { describe, expect, it } from "vitest";
import { ruleExtractor } from "../../../packages/throughline/src/memory/write/rule-extractor.ts";
import { ruleLanguages } from "../../../packages/throughline/src/memory/write/rules/rule-languages.ts";

const extractor = ruleExtractor();
const found = async (text: string): Promise<readonly string[]> => {
  const said = { turns: [{ offset: 1, at: Date.UTC(2026, 5, 15), text }], replies: [], known: [] };
  const { candidates } = await extractor.extract(said, { signal: new AbortController().signal });
  return candidates.map((candidate) => (candidate.type === "fact" ? `${candidate.predicate} ${candidate.object.id}` : `rule ${candidate.text}`));
};

it("reads ten languages", () =>
  expect(ruleLanguages.map(({ code }) => code).toSorted()).toEqual(["ar", "de", "en", "es", "fr", "hi", "hi-latn", "id", "pt", "zh"]));

describe("facts", () => {
  it.each([
    ["Je m'appelle Camille, enchantée", "PREFERRED_NAME Camille"],
    ["moi c'est Yanis", "PREFERRED_NAME Yanis"],
    ["J'habite à Nantes depuis mars", "LIVES_IN Nantes"],
    ["je travaille comme aide-soignante de nuit", "WORKS_AS aide-soignante de nuit"],
    ["Je suis infirmière", "WORKS_AS infirmière"],
    ["j'étudie la biologie à Lyon", "STUDIES biologie à Lyon"],
    ["ma sœur Inès arrive demain", "KNOWS Inès"],
    ["mon mari s'appelle Paul", "PARTNER_OF Paul"],
    ["J'ai deux enfants", "HAS deux enfants"],
    ["ma grand-mère est morte en mai", "EXPERIENCED mort : grand-mère"],
    ["j'adore la photographie", "LIKES photographie"],
    ["je n'aime pas les orages", "DISLIKES orages"],
    ["j'ai peur de l'examen", "WORRIES_ABOUT examen"],
    ["Marcher m'aide à dormir", "USES Marcher"],
    ["meu nome é Rafael", "PREFERRED_NAME Rafael"],
    ["Chamo-me Benedita", "PREFERRED_NAME Benedita"],
    ["Moro em Recife com minha mãe", "LIVES_IN Recife"],
    ["eu trabalho como motorista", "WORKS_AS motorista"],
    ["sou professora", "WORKS_AS professora"],
    ["Estou estudando enfermagem", "STUDIES enfermagem"],
    ["minha neta Clara ligou", "KNOWS Clara"],
    ["o meu marido chama-se António", "PARTNER_OF António"],
    ["meu pai morreu em janeiro", "EXPERIENCED morte de pai"],
    ["gosto muito de dançar", "LIKES dançar"],
    ["não gosto de barulho", "DISLIKES barulho"],
    ["tenho medo da prova", "WORRIES_ABOUT prova"],
    ["Namaku Sari", "PREFERRED_NAME Sari"],
    ["nama saya Budi Santoso", "PREFERRED_NAME Budi Santoso"],
    ["Aku tinggal di Bandung sekarang", "LIVES_IN Bandung"],
    ["saya bekerja sebagai perawat", "WORKS_AS perawat"],
    ["aku kuliah jurusan psikologi", "STUDIES psikologi"],
    ["adikku Rina sakit", "KNOWS Rina"],
    ["suamiku namanya Agus", "PARTNER_OF Agus"],
    ["nenekku meninggal bulan lalu", "EXPERIENCED meninggalnya nenek"],
    ["aku suka memasak", "LIKES memasak"],
    ["aku takut menghadapi ujian", "WORRIES_ABOUT ujian"],
    ["mera naam Arjun hai", "PREFERRED_NAME Arjun"],
    ["main Pune mein rehta hoon", "LIVES_IN Pune"],
    ["main engineer hoon", "WORKS_AS engineer"],
    ["main history padh raha hoon", "STUDIES history"],
    ["meri behen ka naam Pooja hai", "KNOWS Pooja"],
    ["mere dada guzar gaye", "EXPERIENCED dada ki maut"],
    ["mujhe cricket pasand hai", "LIKES cricket"],
    ["mujhe exam ki bahut tension hai", "WORRIES_ABOUT exam"],
    ["मेरा नाम अंजलि है", "PREFERRED_NAME अंजलि"],
    ["मैं जयपुर में रहती हूँ", "LIVES_IN जयपुर"],
    ["मैं शिक्षिका हूँ", "WORKS_AS शिक्षिका"],
    ["मैं इतिहास पढ़ रही हूँ", "STUDIES इतिहास"],
    ["मेरे भाई का नाम रोहन है", "KNOWS रोहन"],
    ["मेरी दादी गुज़र गई", "EXPERIENCED दादी की मौत"],
    ["मुझे चाय पसंद है", "LIKES चाय"],
    ["اسمي هدى", "PREFERRED_NAME هدى"],
    ["أنا اسمي ليلى وأعمل ممرضة", "PREFERRED_NAME ليلى", "WORKS_AS ممرضة"],
    ["أعيش في عمان مع أمي", "LIVES_IN عمان"],
    ["أدرس الهندسة", "STUDIES الهندسة"],
    ["أختي اسمها سلمى", "KNOWS سلمى"],
    ["توفيت جدتي", "EXPERIENCED فقدان جدتي"],
    ["أحب القراءة كثيرا", "LIKES القراءة"],
    ["أنا قلقة من الامتحان", "WORRIES_ABOUT الامتحان"],
  ])("%s", async (text, ...wanted) => expect(await found(text)).toEqual(wanted));
});

describe("what is corrected in the same sentence counts as corrected", () => {
  it.each([
    ["My name is not Tom, it is Tim", "PREFERRED_NAME Tim"],
    ["my name isn't Anna but Hannah", "PREFERRED_NAME Hannah"],
    ["I'm not a nurse, I'm a teacher", "WORKS_AS teacher"],
    ["Mi nombre no es Tomás, es Timo", "PREFERRED_NAME Timo"],
    ["no me llamo Ana, sino Hanna", "PREFERRED_NAME Hanna"],
    ["Ich heiße nicht Tom, sondern Tim", "PREFERRED_NAME Tim"],
    ["Mein Name ist nicht Tom, sondern Tim", "PREFERRED_NAME Tim"],
    ["je ne m'appelle pas Marie mais Maria", "PREFERRED_NAME Maria"],
    ["mon prénom n'est pas Marie, c'est Maria", "PREFERRED_NAME Maria"],
    ["meu nome não é João, é Joaquim", "PREFERRED_NAME Joaquim"],
    ["namaku bukan Sari, tapi Sarah", "PREFERRED_NAME Sarah"],
    ["mera naam Rahul nahi, Rohan hai", "PREFERRED_NAME Rohan"],
    ["मेरा नाम राहुल नहीं, रोहन है", "PREFERRED_NAME रोहन"],
    ["اسمي ليس سامي بل سامر", "PREFERRED_NAME سامر"],
    ["اسمي مش سامي، سامر", "PREFERRED_NAME سامر"],
    ["我不叫小明，我叫小民", "PREFERRED_NAME 小民"],
    ["我的名字不是小明，是小民", "PREFERRED_NAME 小民"],
  ])("%s", async (text, ...wanted) => expect(await found(text)).toEqual(wanted));
});

describe("nothing is made up of", () => {
  it.each([
    "My name is not Tom",
    "je n'habite pas à Lyon",
    "si j'habitais à Lyon, je serais heureux",
    "est-ce que j'habite à Lyon",
    "não moro em Recife",
    "se eu morasse em Recife",
    "aku tidak tinggal di Bandung",
    "kalau aku tinggal di Bandung, macet terus",
    "main Pune mein nahi rehta",
    "agar main Pune mein rehta hoon toh mehenga hai",
    "मैं जयपुर में नहीं रहती",
    "لا أعيش في عمان",
    "هل أعيش في عمان",
    "اسمي ليس سامي",
    "je veux mourir",
    "quero morrer",
    "aku mau mati",
    "main marna chahta hoon",
    "मैं मरना चाहता हूँ",
    "أريد أن أموت",
    "elle dit que j'habite à Lyon",
    "我不叫小明",
    "I'm not angry, it's just sad",
  ])("%s", async (text) => expect(await found(text)).toEqual([]));
});

describe("wishes", () => {
  it.each([
    ["answer in one sentence only please", "one"],
    ["nur ein Satz bitte", "one"],
    ["responde en una sola frase", "one"],
    ["réponds en une phrase", "one"],
    ["só uma frase, por favor", "one"],
    ["jawab satu kalimat saja", "one"],
    ["sirf ek line mein jawab do", "one"],
    ["सिर्फ एक वाक्य में जवाब दो", "one"],
    ["جملة واحدة فقط", "one"],
    ["只用一句话回答", "one"],
  ])("%s", async (text) => expect(await found(text)).toEqual(["rule Reply in one sentence."]));
});
