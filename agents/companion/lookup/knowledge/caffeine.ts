import type { KnowledgePage } from "../knowledge-base.ts";

export const caffeinePage: KnowledgePage = {
  id: "caffeine",
  title: "Caffeine, sleep and anxiety",
  keywords: ["coffee", "tea", "energy", "drink", "stimulant", "cola", "half-life"],
  text: [
    "Caffeine blocks adenosine, a substance in the brain that makes us feel sleepy.",
    "Half of the caffeine in a drink is still in the body after about 5 hours, and in some people it takes much longer.",
    "Caffeine taken 6 hours before bedtime can still shorten sleep.",
    "Too much caffeine can cause a racing heart, restlessness and a nervous feeling that resembles anxiety.",
    "People differ widely in how sensitive they are to caffeine.",
    "Cutting down step by step over a week or two avoids most of the headaches that stopping at once can bring.",
  ].join(" "),
};
