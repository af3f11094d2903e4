/** Words that numbers are spelled with, in the languages of the companion: what is spelled out can be dialled too. Words that mean something else in another language are left out. */

const digits: readonly (readonly string[])[] = [
  ["zero", "oh", "nought", "cero", "null", "nol", "kosong", "शून्य", "shunya", "zero", "صفر", "〇", "零", "zéro"],
  ["one", "ones", "uno", "eins", "satu", "एक", "ek", "واحد", "一", "幺", "壹"],
  ["two", "twos", "dos", "deux", "zwei", "zwo", "dois", "duas", "dua", "दो", "اثنان", "اثنين", "二", "两", "贰"],
  ["three", "threes", "tres", "trois", "drei", "tiga", "तीन", "ثلاثة", "三", "叁"],
  ["four", "fours", "cuatro", "quatre", "vier", "quatro", "empat", "चार", "chaar", "أربعة", "اربعة", "四", "肆"],
  ["five", "fives", "cinco", "cinq", "funf", "fuenf", "lima", "पांच", "पाँच", "panch", "paanch", "خمسة", "五", "伍"],
  ["six", "sixes", "seis", "sechs", "enam", "छह", "छः", "chhah", "chhe", "ستة", "六", "陆"],
  ["seven", "sevens", "siete", "sept", "sieben", "sete", "tujuh", "सात", "saat", "سبعة", "七", "柒"],
  ["eight", "eights", "ocho", "huit", "acht", "oito", "delapan", "आठ", "aath", "ath", "ثمانية", "八", "捌"],
  ["nine", "nines", "niner", "nueve", "neuf", "neun", "nove", "sembilan", "नौ", "nau", "تسعة", "九", "玖"],
];

const rest: Readonly<Record<string, number>> = {
  ...{ ten: 10, eleven: 11, twelve: 12, thirteen: 13, fourteen: 14, fifteen: 15, sixteen: 16, seventeen: 17, eighteen: 18, nineteen: 19 },
  ...{ twenty: 20, thirty: 30, forty: 40, fourty: 40, fifty: 50, sixty: 60, seventy: 70, eighty: 80, ninety: 90 },
  ...{ diez: 10, doce: 12, trece: 13, catorce: 14, quince: 15, veinte: 20, treinta: 30, cuarenta: 40, cincuenta: 50, sesenta: 60 },
  ...{ setenta: 70, ochenta: 80, noventa: 90, cien: 100, ciento: 100, doscientos: 200, trescientos: 300, quinientos: 500, novecientos: 900 },
  ...{
    dix: 10,
    onze: 11,
    douze: 12,
    treize: 13,
    quatorze: 14,
    quinze: 15,

    vingt: 20,
    vingts: 20,
    trente: 30,
    quarante: 40,
    cinquante: 50,
  },
  ...{
    soixante: 60,
    zehn: 10,
    elf: 11,
    zwolf: 12,
    zwanzig: 20,
    dreissig: 30,
    vierzig: 40,
    funfzig: 50,
    sechzig: 60,
    siebzig: 70,
    achtzig: 80,
    neunzig: 90,
  },
  ...{ dez: 10, doze: 12, vinte: 20, trinta: 30, quarenta: 40, sessenta: 60, oitenta: 80, cem: 100, cento: 100, novecentos: 900 },
  ...{ sepuluh: 10, sebelas: 11, seratus: 100, عشرة: 10, दस: 10, सौ: 100, مئة: 100 },
};

/** What a word is worth as a number, by the word as it is folded. */
export const numberWords: ReadonlyMap<string, number> = new Map([
  ...digits.flatMap((words, value) =>
    words.map(
      (word) =>
        [
          word
            .normalize("NFD")
            .replaceAll(/[\u{0300}-\u{036F}]/gu, "")
            .normalize("NFC"),
          value,
        ] as const,
    ),
  ),
  ...Object.entries(rest),
]);

/** Multiply what stands before them. */
export const hundreds: ReadonlySet<string> = new Set(["hundred", "hundert", "cent", "ratus", "cientos"]);

/** Say the next digit twice or three times. */
export const repeats: ReadonlyMap<string, number> = new Map([
  ...([
    ["double", 2],
    ["pair", 2],
    ["doble", 2],
    ["doppel", 2],
    ["duplo", 2],
    ["dobel", 2],
    ["डबल", 2],
  ] as const),
  ...([
    ["triple", 3],
    ["treble", 3],
    ["triplo", 3],
    ["dreifach", 3],
    ["ट्रिपल", 3],
  ] as const),
]);

/** May stand between two digits of a number that somebody would rather hide. */
export const between: ReadonlySet<string> = new Set([
  ...[
    "and",
    "then",
    "followed",
    "by",
    "another",
    "again",
    "a",
    "an",
    "the",
    "next",
    "plus",
    "dash",
    "hyphen",
    "minus",
    "dot",
    "point",
    "space",
    "comma",
    "slash",
    "of",
  ],
  ...[
    "y",
    "luego",
    "guion",
    "et",
    "puis",
    "tiret",
    "und",
    "dann",
    "strich",
    "e",
    "depois",
    "traco",
    "dan",
    "lalu",
    "kemudian",
    "strip",
    "aur",
    "phir",
  ],
  ...["और", "फिर", "و", "ثم", "然后", "再", "横"],
]);

/** Words of one digit each that are written without a space, such as `nineeighteight`. */
export const joinedDigits =
  /^(?:zero|one|two|three|four|five|six|seven|eight|nine|cero|uno|dos|tres|cuatro|cinco|siete|ocho|nueve|null|eins|zwei|drei|vier|funf|sechs|sieben|acht|neun){3,}$/u;

/** German writes a number below a thousand as one word. */
export const joinedHundreds = /^(?:ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)hundert\p{L}*$/u;
