import { skill } from "@throughline/companion";

/** An exercise of your own, with a part of the prompt for people who have it installed. */
export const floating = skill({
  name: "floating",
  section: "They like the sea. Speak of water as they do.",
  exercises: [
    {
      id: "floating",
      display_name: "Floating",
      category: "grounding",
      version: 1,
      selection_aliases: ["floating"],
      rationale: "Picturing water lets the shoulders go.",
      selection_use_case: "The person is tense, and likes water.",
      steps: [
        {
          id: "lie",
          completion_mode: "confirmation",
          completion_criteria: "They say that they are there.",
          instruction: "Picture lying on your back in calm water. Tell me when you have it.",
        },
        {
          id: "name",
          completion_mode: "items",
          min_items: 2,
          completion_criteria: "Two things are named.",
          instruction: "Name two things that the water may carry for a while.",
        },
      ],
    },
  ],
});
