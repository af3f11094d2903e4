import { defineExercise } from "../definition.ts";
import { valuesCompassTranslations } from "./values-compass-translations.ts";

/** A part of life that matters, why it does, how near to it one lives, and a step towards it. */
export const valuesCompass = defineExercise({
  id: "defusion_values_compass",
  display_name: "Values compass",
  category: "values",
  tags: ["values", "direction", "motivation", "act"],
  version: 1,
  rationale: "Knowing what matters to you makes the next small step easier to find, also when feelings pull in several directions.",
  selection_use_case:
    "The person feels lost, stuck or pulled in several directions, and wants to find out what matters to them and a small step towards it.",
  selection_aliases: [
    ...["values compass", "values exercise", "values clarification", "personal values", "brújula de valores", "ejercicio de valores", "wertekompass"],
    ...["werteübung", "boussole des valeurs", "bússola de valores", "价值观罗盘", "价值罗盘", "价值观练习"],
  ],
  voice_supported: true,
  steps: [
    {
      id: "domain",
      instruction: "Which part of your life would you like to look at: people, work or learning, body and health, play, home, or something else?",
      smaller: "If next week had one free hour for something that matters to you, which part of your life would get it?",
      completion_mode: "items",
      completion_criteria: "The person names a part of their life.",
    },
    {
      id: "why",
      instruction: "Why does it matter to you? What kind of person would you like to be there?",
      smaller: "Think of a moment there that felt right. What was good about it?",
      completion_mode: "items",
      min_words: 3,
      completion_criteria: "The person says why that part of life matters to them, or how they want to be in it.",
    },
    {
      id: "alignment",
      instruction: "From 1 to 10, how close to that have you lived in the past week? No number is wrong.",
      smaller: "Roughly: nearer to 1, somewhere in the middle, or nearer to 10?",
      completion_mode: "items",
      rating: { from: 1, to: 10 },
      completion_criteria: "The person gives a number from 1 to 10, or a rough place on that scale.",
    },
    {
      id: "small_step",
      instruction: "What is one small thing that would bring you half a point nearer? Small enough for this week.",
      smaller: "Make it smaller: something that takes five minutes. What could that be?",
      completion_mode: "items",
      min_words: 2,
      completion_criteria: "The person names something small that they could do.",
    },
  ],
  translations: valuesCompassTranslations,
});
