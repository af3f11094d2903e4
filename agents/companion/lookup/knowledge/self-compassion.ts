import type { KnowledgePage } from "../knowledge-base.ts";

export const selfCompassionPage: KnowledgePage = {
  id: "self-compassion",
  title: "Being kind to oneself",
  keywords: ["self-criticism", "criticism", "kindness", "compassion", "shame", "failure", "inner critic"],
  text: [
    "Self-compassion means treating oneself as one would treat a good friend who is struggling.",
    "Self-compassion has three parts: kindness to oneself, knowing that others struggle too, and noticing feelings without drowning in them.",
    "People who are kinder to themselves after a mistake tend to try again more often, not less.",
    "Self-compassion differs from self-pity, because it sees one's own trouble as part of being human.",
    "A simple way to practise is to ask what one would say to a friend in the same place.",
    "Harsh self-criticism often begins as an attempt to avoid mistakes, and it tends to make starting harder.",
  ].join(" "),
};
