import type { KnowledgePage } from "../knowledge-base.ts";

export const sleepPage: KnowledgePage = {
  id: "sleep",
  title: "Sleep and how to sleep better",
  keywords: ["insomnia", "tired", "bedtime", "rest", "night", "sleeping", "asleep", "hygiene", "hours"],
  text: [
    "Most adults feel and work best with about 7 to 9 hours of sleep a night, and the need differs from person to person.",
    "The body keeps time by light and habit, so getting up at the same hour every day helps more than going to bed early.",
    "Bright light in the morning and dim light in the evening set the inner clock.",
    "A bedroom that is cool, dark and quiet makes sleep come more easily.",
    "If you lie awake for about 20 minutes, it helps to get up, do something calm in low light, and return to bed when you are sleepy.",
    "Long naps late in the day take away from sleep at night.",
    "Alcohol makes people drowsy, but sleep becomes lighter and more broken later in the night.",
    "Looking at the clock during the night tends to keep people awake.",
    "Poor sleep for more than a few weeks is a good reason to talk to a doctor.",
  ].join(" "),
};
