/** `npm run concepts` counts the concepts of the quickstart, or of the programs whose files it is given. Fails if the quickstart has too many. */
import { readFileSync } from "node:fs";
import { conceptsOf } from "./concepts/count.ts";
import { limits, linesOf, quickstart } from "./concepts/quickstart.ts";

const files = process.argv.slice(2);
const programs = files.length === 0 ? [["the quickstart of README.md", quickstart()]] : files.map((file) => [file, readFileSync(file, "utf8")]);
for (const [name = "", code = ""] of programs) {
  const concepts = conceptsOf(code);
  console.log(`${name}: ${concepts.size} concepts, ${linesOf(code).length} lines`);
  for (const [concept, names] of concepts) console.log(`  ${concept}: ${names.join(", ")}`);
  if (files.length === 0 && (concepts.size > limits.concepts || linesOf(code).length > limits.lines)) {
    console.error(`At most ${limits.concepts} concepts and ${limits.lines} lines.`);
    process.exitCode = 1;
  }
}
