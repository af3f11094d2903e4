import type { KnowledgePage } from "../knowledge-base.ts";

export const worryPage: KnowledgePage = {
  id: "worry",
  title: "Worry and rumination",
  keywords: ["worrying", "overthinking", "ruminating", "thoughts", "racing", "anxious"],
  text: [
    "Worry is a chain of thoughts about what could go wrong, and rumination circles around what has gone wrong already.",
    "Worry and rumination feel like solving a problem, but they rarely end in a decision.",
    "Setting aside a fixed time for worry, about 15 minutes a day, helps some people to put worries off until then.",
    "Asking whether a worry can be acted on today separates a problem to solve from a thought to let pass.",
    "Trying hard not to think a thought tends to bring it back more often.",
    "A thought can be noticed as a thought without being argued with.",
  ].join(" "),
};
