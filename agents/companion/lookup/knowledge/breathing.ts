import type { KnowledgePage } from "../knowledge-base.ts";

export const breathingPage: KnowledgePage = {
  id: "breathing",
  title: "Slow breathing",
  keywords: ["breath", "breathe", "box", "calm", "exhale", "relax"],
  text: [
    "Slow breathing means taking about 6 breaths a minute instead of the usual 12 to 20.",
    "A long breath out slows the heart a little, because the nerve that calms the heart is more active while we exhale.",
    "Many people notice a calming effect after a few minutes of slow breathing.",
    "Breathing through the nose and into the belly makes it easier to breathe slowly.",
    "In box breathing each of the four phases, in, hold, out and hold, lasts for a count of four.",
    "Breathing too deeply or too fast can cause dizziness and tingling, which pass when breathing becomes normal again.",
    "Holding the breath is not needed for the calming effect, so it can be left out.",
  ].join(" "),
};
