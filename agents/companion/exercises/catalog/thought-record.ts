import { defineExercise } from "../definition.ts";
import { thoughtRecordTranslations } from "./thought-record-translations.ts";

/** A thought that weighs is written down, held against what speaks against it, and said again more evenly. */
export const thoughtRecord = defineExercise({
  id: "thought_work_simple_record",
  display_name: "Thought record",
  category: "thought_work",
  tags: ["thoughts", "self-criticism", "worry", "cbt"],
  version: 1,
  rationale: "A thought on paper is easier to look at than one in your head: you can see which parts hold and which do not.",
  selection_use_case: "The person is caught in a harsh or anxious thought about something that happened and wants to look at it more evenly.",
  selection_aliases: [
    ...["thought record", "thought diary", "thought log", "thought exercise", "registro de pensamientos", "gedankenprotokoll", "journal de pensées"],
    ...["registro de pensamentos", "思维记录", "想法记录"],
  ],
  steps: [
    {
      id: "situation",
      instruction: "What happened? Describe the situation in a sentence or two: where you were, who was there, what was said.",
      smaller: "Only the moment itself, like a photograph: where were you when it began?",
      completion_mode: "items",
      min_words: 4,
      completion_criteria: "The person tells of a situation, in a few words or more.",
    },
    {
      id: "thought",
      instruction: "What went through your mind just then? Write the thought down the way it sounded to you.",
      smaller: "If that moment had a caption, what would it say?",
      completion_mode: "items",
      min_words: 3,
      completion_criteria: "The person puts a thought into words, as they had it.",
    },
    {
      id: "evidence_against",
      instruction: "What does not fit with that thought? Name something that happened, or that somebody who knows you would say.",
      smaller: "Imagine that a friend had this thought about themselves. What would you tell them?",
      completion_mode: "items",
      min_words: 4,
      completion_criteria: "The person names something that speaks against the thought, or an exception to it.",
    },
    {
      id: "balanced_view",
      instruction: "With both in view, how could you say it more evenly? One sentence that you can half believe is good enough.",
      smaller: 'Begin with "It is true that…, and it is also true that…". What would you put in?',
      completion_mode: "items",
      min_words: 4,
      completion_criteria: "The person words a view that holds both sides.",
    },
  ],
  translations: thoughtRecordTranslations,
});
