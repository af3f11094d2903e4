import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";
import type { GeneratedPage } from "./reference.ts";

/** Where `npm run docs` leaves the generated pages for the site. */
export const generatedFile = join(root, "node_modules/.cache/throughline-site/pages.json");

/** Returns the generated pages. */
export const readGenerated = (): readonly GeneratedPage[] => JSON.parse(readFileSync(generatedFile, "utf8")) as readonly GeneratedPage[];
