import type { KnowledgePage } from "../knowledge-base.ts";

export const journalingPage: KnowledgePage = {
  id: "journaling",
  title: "Writing about feelings",
  keywords: ["journal", "diary", "expressive", "writing", "write", "feelings"],
  text: [
    "Keeping a journal, or writing about feelings in any other form, can make them clearer and easier to look at.",
    "In expressive writing people write for about 15 to 20 minutes on three or four days about something that moves them.",
    "Some people feel a little worse right after expressive writing and better in the weeks after it.",
    "Putting a feeling into words, sometimes called naming it, tends to make it less intense.",
    "Spelling and style do not matter in a journal, because nobody else has to read it.",
    "Writing a short list of tomorrow's tasks before bed can help some people fall asleep sooner.",
  ].join(" "),
};
