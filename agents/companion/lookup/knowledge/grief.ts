import type { KnowledgePage } from "../knowledge-base.ts";

export const griefPage: KnowledgePage = {
  id: "grief",
  title: "Grief after a loss",
  keywords: ["loss", "bereavement", "mourning", "died", "death", "grieving", "stages", "missing"],
  text: [
    "Grief is the response to losing someone or something that mattered.",
    "Grief has no fixed timetable and no fixed order of stages.",
    "Grief often comes in waves, and small reminders or anniversaries can bring a wave back.",
    "Sadness, anger, guilt, relief and numbness are all common in grief, also on the same day.",
    "Trouble sleeping, poor appetite and difficulty concentrating are common in the first months.",
    "Moving between mourning and everyday life, back and forth, is part of how people adapt.",
    "Keeping a bond with the person who died, through rituals, stories or objects, helps many people.",
    "If grief stays as intense for more than a year and makes daily life impossible, support from a professional can help.",
  ].join(" "),
};
