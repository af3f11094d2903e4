import type { KnowledgePage } from "../knowledge-base.ts";

export const anxietyPage: KnowledgePage = {
  id: "anxiety",
  title: "What anxiety is",
  keywords: ["anxious", "nervous", "fear", "nerves", "avoidance", "alarm"],
  text: [
    "Anxiety is the body's alarm for something that might go wrong, felt as tension, a fast heart, restlessness or a tight stomach.",
    "Anxiety is useful in small amounts, because it prepares us for what matters.",
    "Avoiding what one fears brings relief at once and makes anxiety stronger over time.",
    "Going towards a feared situation in small steps, and staying until the fear has come down a little, makes anxiety smaller for many people.",
    "Little sleep, much caffeine and long stress make anxiety more likely.",
    "Anxiety that keeps someone from daily life for weeks is a good reason to talk to a doctor.",
  ].join(" "),
};
