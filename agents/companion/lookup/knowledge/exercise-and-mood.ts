import type { KnowledgePage } from "../knowledge-base.ts";

export const exerciseAndMoodPage: KnowledgePage = {
  id: "exercise-and-mood",
  title: "Physical activity and mood",
  keywords: ["exercise", "sport", "walking", "movement", "move", "running", "activity", "workout", "depression"],
  text: [
    "Regular physical activity is linked to better mood, better sleep and less anxiety.",
    "Health bodies commonly advise adults to move for at least 150 minutes a week at a moderate pace, such as brisk walking.",
    "A single walk of 10 minutes can already lift mood for a while.",
    "Activity that one enjoys, or does with others, is kept up longer.",
    "Starting small helps, since a short walk that happens is worth more than a long run that does not.",
    "Being outdoors in daylight adds to the effect on mood and sleep.",
  ].join(" "),
};
