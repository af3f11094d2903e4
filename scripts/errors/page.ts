import { type CatalogueEntry, errorCatalogue } from "../../packages/throughline/src/kernel/error-catalogue.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");
const row = ([code, { kind, retryable, meaning, hint }]: readonly [string, CatalogueEntry]): string =>
  `| \`${code}\` | ${kind} | ${retryable ? "yes" : "no"} | ${cell(meaning)} | ${cell(hint)} |`;

/** The page docs/reference/errors.md: every code of the catalogue, grouped by its first word. */
export function errorsPage(): string {
  const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(errorCatalogue);
  const groups = Map.groupBy(entries, ([code]) => (code.includes(".") ? code.slice(0, code.indexOf(".")) : "others"));
  const sections = [...groups].map(([name, members]) =>
    [`## ${name}`, "", "| Code | Kind | Try again? | What happened | What to do |", "|---|---|---|---|---|", ...members.map(row), ""].join("\n"),
  );
  return `# Errors

Every error of Throughline is a \`ThroughlineError\` with one of these codes, a sentence that names what was seen, and a hint. Test for one with
\`ThroughlineError.is(error, "session.conflict")\`. The command line prints code and hint; "try again" says whether the same call may succeed later without a change.
Written by \`npm run docs:errors\` from the catalogue in \`packages/throughline/src/kernel/error-catalogue.ts\`.

${sections.join("\n")}`;
}
