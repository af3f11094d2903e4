import { defineExercise } from "../definition.ts";
import { sensesTranslations } from "./grounding-senses-translations.ts";

/** Five things to see, four to hear, three to feel, two to smell, one to taste: attention goes to what is here. */
export const groundingSenses = defineExercise({
  id: "grounding_5_4_3_2_1",
  display_name: "5-4-3-2-1 grounding",
  category: "grounding",
  tags: ["senses", "panic", "overwhelm", "dissociation"],
  version: 1,
  rationale: "Naming what your senses notice gives your attention something that is really here, and worry has less room beside it.",
  selection_use_case: "The person is anxious, overwhelmed, panicking or feels unreal, and wants to come back to the present through the senses.",
  selection_aliases: [
    ...["5-4-3-2-1", "5 4 3 2 1", "54321", "5, 4, 3, 2, 1", "five four three two one", "five senses", "senses exercise", "grounding exercise"],
    ...["grounding technique", "cinco sentidos", "fünf sinne", "5-4-3-2-1-übung", "cinq sens", "五感", "着陆练习", "接地练习"],
  ],
  voice_supported: true,
  steps: [
    {
      id: "see",
      instruction: "Look around and name five things that you can see.",
      smaller: "Let your eyes rest on one thing near you. What is it, and what colour is it? One is enough to begin with.",
      completion_mode: "items",
      min_items: 3,
      target_items: 5,
      completion_criteria: "The person names things that they see, about five; three are enough.",
    },
    {
      id: "hear",
      instruction: "Now listen, and name four things that you can hear, near or far.",
      smaller: "Listen for one sound, however faint: a fan, a street, your own breath. Which one is it?",
      completion_mode: "items",
      min_items: 2,
      target_items: 4,
      completion_criteria: "The person names sounds, about four; two are enough, and silence is an answer where it is quiet.",
    },
    {
      id: "feel",
      instruction: "Notice three things that you can feel: the floor under your feet, cloth on your skin, the air.",
      smaller: "Put a hand on whatever is next to you. Is it warm or cool, smooth or rough?",
      completion_mode: "items",
      min_items: 2,
      target_items: 3,
      completion_criteria: "The person names things that they touch or sense on their body, about three; two are enough.",
    },
    {
      id: "smell",
      instruction: "Name two things that you can smell. If there is nothing, name two smells that you like.",
      smaller: "Think of one smell that you like, such as coffee or rain. Which one would you pick?",
      completion_mode: "items",
      min_items: 1,
      target_items: 2,
      completion_criteria: "The person names a smell, one that is there or one that they like.",
    },
    {
      id: "taste",
      instruction: "And last, name one thing that you can taste, or a taste that you like.",
      smaller: "Take a sip of water if there is some, or just think of a taste that you like. Which one is it?",
      completion_mode: "items",
      min_items: 1,
      completion_criteria: "The person names a taste, one that is there or one that they like.",
    },
  ],
  translations: sensesTranslations,
});
