import type { KnowledgePage } from "../knowledge-base.ts";

export const valuesPage: KnowledgePage = {
  id: "values",
  title: "What personal values are",
  keywords: ["value", "meaning", "direction", "goals", "purpose", "matter"],
  text: [
    "Values are directions that matter to a person, such as being a patient parent or an honest friend.",
    "A goal can be reached and ticked off, while a value is a direction that one can keep moving in.",
    "Values are freely chosen and differ from rules about what one ought to do.",
    "Small steps towards a value count, also on days with difficult feelings.",
    "Writing for a few minutes about what matters to them helps some people to feel steadier under stress.",
    "When two values pull in different directions, both can be real, and the question is which one comes first today.",
  ].join(" "),
};
