import type { KnowledgePage } from "../knowledge-base.ts";

export const panicPage: KnowledgePage = {
  id: "panic",
  title: "What happens in a panic attack",
  keywords: ["panic", "attacks", "heart", "racing", "fear", "adrenaline", "anxiety"],
  text: [
    "A panic attack is a sudden wave of strong fear with bodily signs such as a racing heart, sweating, trembling and shortness of breath.",
    "A panic attack usually peaks within about 10 minutes and then fades.",
    "The signs of panic come from adrenaline, which prepares the body to run or fight.",
    "A panic attack feels dangerous, but the alarm itself passes on its own.",
    "Fast breathing during panic lowers carbon dioxide in the blood, which causes dizziness and tingling fingers.",
    "Fighting the feeling tends to feed it, while letting it rise and fall tends to shorten it.",
    "Chest pain, fainting or a first attack of this kind should be looked at by a doctor, because other causes can feel the same.",
  ].join(" "),
};
