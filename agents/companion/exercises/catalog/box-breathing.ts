import { defineExercise } from "../definition.ts";
import { boxBreathingTranslations } from "./box-breathing-translations.ts";

/** Breathing in, holding, breathing out and holding, to a slow count of four each. */
export const boxBreathing = defineExercise({
  id: "grounding_box_breathing",
  display_name: "Box breathing",
  category: "grounding",
  tags: ["breathing", "anxiety", "sleep", "calm"],
  version: 1,
  rationale: "A slow, even breath tells your body that nothing has to be done this second, and the rest of you tends to follow.",
  selection_use_case: "The person is tense, restless or short of breath with worry, and wants to slow their breathing down.",
  selection_aliases: [
    ...["box breathing", "square breathing", "four square breathing", "4-4-4-4", "breathing exercise", "breathing technique", "breathing practice"],
    ...[
      "respiración cuadrada",
      "ejercicio de respiración",
      "boxatmung",
      "quadratatmung",
      "atemübung",
      "respiration carrée",
      "exercice de respiration",
    ],
    ...["respiração quadrada", "exercício de respiração", "箱式呼吸", "方块呼吸", "呼吸练习"],
  ],
  voice_supported: true,
  steps: [
    {
      id: "breathe_in",
      instruction: "Sit comfortably and breathe in gently through your nose while you count slowly to four. Tell me when you have done it.",
      smaller: "Just take one ordinary breath and notice where you feel it. No counting. Tell me when you have.",
      completion_mode: "confirmation",
      completion_criteria: "The person says that they have breathed in, or wants to go on.",
    },
    {
      id: "hold_full",
      instruction:
        "Hold that breath softly for a count of four, without straining. If holding is unpleasant, simply pause. Tell me when you are ready.",
      smaller: "Leave the holding out, and let the breath rest for a moment. Tell me when you are ready.",
      completion_mode: "confirmation",
      completion_criteria: "The person says that they have held the breath or paused, or wants to go on.",
    },
    {
      id: "breathe_out",
      instruction: "Breathe out slowly through your mouth for a count of four, and let your shoulders drop. Tell me when you have.",
      smaller: "Let the air go as if you were sighing, at whatever speed it comes. Tell me when you have.",
      completion_mode: "confirmation",
      completion_criteria: "The person says that they have breathed out, or wants to go on.",
    },
    {
      id: "hold_empty",
      instruction:
        "Rest for a count of four before the next breath. Go round the box three more times at your own pace; breathe normally if you get dizzy. Tell me when you are through.",
      smaller: "Rest for a moment, then do one round at your own pace, without counting if that is easier. Tell me when you are through.",
      completion_mode: "confirmation",
      completion_criteria: "The person says that they have done the rounds, or as much as they wanted.",
    },
  ],
  translations: boxBreathingTranslations,
});
