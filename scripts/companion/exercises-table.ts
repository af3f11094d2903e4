/** The table of guided exercises in docs/reference/companion.md, from the catalog. */
import { exerciseCatalog, type ExerciseDefinition, type ExerciseStep } from "../../packages/companion/src/exercises/exercise-definition.ts";

const begins = "<!-- exercises: made by `npm run docs:companion` -->";
const ends = "<!-- /exercises -->";

/** How a step completes, in a word. */
const byOf = ({ completion_mode, rating, min_words = 1 }: ExerciseStep): string =>
  completion_mode !== "items"
    ? completion_mode === "confirmation"
      ? "done"
      : "judged"
    : rating !== undefined
      ? "number"
      : min_words > 1
        ? "words"
        : "things";

const rowOf = ({ id, display_name, category, steps, voice_supported, translations }: ExerciseDefinition): string =>
  `| ${[
    `${display_name} (\`${id}\`)`,
    category.replaceAll("_", " "),
    steps.map((step) => `${step.id.replaceAll("_", " ")} (${byOf(step)})`).join(", "),
    voice_supported ? "yes" : "no",
    String(1 + Object.keys(translations).length),
  ].join(" | ")} |`;

/** The table. */
const table = (): string =>
  ["| Exercise | Category | Steps, and what completes them | Voice | Languages |", "|---|---|---|---|---|", ...exerciseCatalog.map(rowOf)].join("\n");

/** Puts the table between its marks. Throws if the page has none. */
export function withExercises(page: string): string {
  const from = page.indexOf(begins);
  const to = page.indexOf(ends);
  if (from < 0 || to < from) throw new Error(`docs/reference/companion.md has no marks ${begins} and ${ends}.`);
  return `${page.slice(0, from)}${begins}\n\n${table()}\n\n${page.slice(to)}`;
}
