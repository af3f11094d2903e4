import type { KnowledgePage } from "../knowledge-base.ts";
import { anxietyPage } from "./anxiety.ts";
import { sleepPage } from "./sleep.ts";
import { breathingPage } from "./breathing.ts";
import { groundingPage } from "./grounding.ts";
import { panicPage } from "./panic.ts";
import { griefPage } from "./grief.ts";
import { caffeinePage } from "./caffeine.ts";
import { exerciseAndMoodPage } from "./exercise-and-mood.ts";
import { journalingPage } from "./journaling.ts";
import { valuesPage } from "./values.ts";
import { worryPage } from "./worry.ts";
import { stressPage } from "./stress.ts";
import { lonelinessPage } from "./loneliness.ts";
import { selfCompassionPage } from "./self-compassion.ts";

/** General facts about wellbeing in the companion's own words: what is commonly known, no advice for a single person, and reviewed by no professional. */
export const knowledgePages: readonly KnowledgePage[] = [
  anxietyPage,
  sleepPage,
  breathingPage,
  groundingPage,
  panicPage,
  griefPage,
  caffeinePage,
  exerciseAndMoodPage,
  journalingPage,
  valuesPage,
  worryPage,
  stressPage,
  lonelinessPage,
  selfCompassionPage,
];
