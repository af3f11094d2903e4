import type { KnowledgePage } from "../knowledge-base.ts";

export const lonelinessPage: KnowledgePage = {
  id: "loneliness",
  title: "Loneliness",
  keywords: ["lonely", "alone", "isolated", "friends", "connection", "social"],
  text: [
    "Loneliness is the feeling that one's contacts are fewer or less close than one would like.",
    "People can feel lonely among others and content on their own, so it does not depend on numbers alone.",
    "Loneliness is common at every age, and young adults report it as often as older people.",
    "Brief friendly contact, such as a few words with a neighbour, can lift mood a little.",
    "Regular shared activities build closeness more reliably than single large meetings.",
    "Loneliness tends to make people expect rejection, and knowing that can make the first step easier.",
  ].join(" "),
};
