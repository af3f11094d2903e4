/** Where somebody else is, said by whoever writes of them and was asked for the place: help is needed where that person is. */

/** How a message begins that says where another person is, and how it would begin if they said it themselves. */
const beginnings: readonly (readonly [theirs: RegExp, own: string])[] = [
  [
    /^(?:she|he|they|(?:my|our|the) \p{L}+(?: \p{L}+)?)(?:'s|'re| is| are)(?: (?:living|staying|currently|right now|still))* (?=in |at |near |from )/iu,
    "I am ",
  ],
  [/^(?:she|he|they|(?:my|our|the) \p{L}+(?: \p{L}+)?) lives? /iu, "I live "],
  [/^(?:(?:ella|él|mi \p{L}+) )?est[áa]n? (?=en )/iu, "estoy "],
  [/^(?:(?:ella|él|mi \p{L}+) )?viven? /iu, "vivo "],
  [/^(?:sie|er|meine? \p{L}+) (?:ist|sind) /iu, "ich bin "],
  [/^(?:sie|er|meine? \p{L}+) (?:lebt|wohnt|leben|wohnen) /iu, "ich wohne "],
  [/^(?:elle|il|(?:mon|ma) \p{L}+) est /iu, "je suis "],
  [/^(?:elle|il|(?:mon|ma) \p{L}+) (?:habite|vit) /iu, "j'habite "],
  [/^(?:(?:ela|ele|(?:o meu|a minha|meu|minha) \p{L}+) )?est[áa] (?=em |no |na )/iu, "estou "],
  [/^(?:(?:ela|ele|(?:o meu|a minha|meu|minha) \p{L}+) )?(?:mora|vive) /iu, "moro "],
  [/^(?:她|他|我的?(?:朋友|同学|姐姐|妹妹|哥哥|弟弟|女儿|儿子|男朋友|女朋友))(?:现在)?(?:住)?在/u, "我在"],
];

/** A message about where another person is, as that person would say it; any other as it stands. */
export function asTheirOwn(text: string): string {
  const said = text.trim();
  const found = beginnings.find(([theirs]) => theirs.test(said));
  return found === undefined ? text : said.replace(found[0], found[1]);
}
