/** What the companion says around the steps of an exercise, from `phrases/<language>.yaml`: for answers without a model, and as a draft for one. */
import type { ExerciseLanguage } from "./definition.ts";
import de from "./phrases/de.data.json" with { type: "json" };
import en from "./phrases/en.data.json" with { type: "json" };
import es from "./phrases/es.data.json" with { type: "json" };
import fr from "./phrases/fr.data.json" with { type: "json" };
import pt from "./phrases/pt.data.json" with { type: "json" };
import zh from "./phrases/zh.data.json" with { type: "json" };

/** As `phrases.schema.json` describes them. */
type ExercisePhrases = typeof en;

export const exercisePhrases: Readonly<Record<ExerciseLanguage, ExercisePhrases>> = { en, es, de, fr, pt, zh };
