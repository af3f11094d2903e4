import type { KnowledgePage } from "../knowledge-base.ts";

export const stressPage: KnowledgePage = {
  id: "stress",
  title: "What stress does",
  keywords: ["stressed", "pressure", "burnout", "cortisol", "tension", "overwhelmed"],
  text: [
    "Stress is the body's answer to demands that seem larger than what one has to meet them.",
    "In short bursts stress sharpens attention and is not harmful in itself.",
    "Stress that goes on for weeks without rest can disturb sleep, digestion, mood and concentration.",
    "Recovery matters more than avoiding every strain, and short breaks during the day are part of it.",
    "Talking with someone trusted, moving the body and regular sleep are among the things that help most people with stress.",
    "Breaking a large task into its first small step makes it easier to begin.",
  ].join(" "),
};
