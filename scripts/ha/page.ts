/** The configurations of the page about deployment, which the cluster and the tests start. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../root.ts";

/** Returns the block of the page that a reader saves as `name`. */
export function configurationOf(name: string): string {
  const page = readFileSync(join(root, "docs/how-to/deploy.md"), "utf8");
  const [, after] = page.split(`<!-- file: ${name} -->\n`);
  const [, block] = /^```\w*\n([\s\S]*?)^```$/mu.exec(after ?? "") ?? [];
  if (block === undefined) throw new Error(`The page has no file ${name}.`);
  return block;
}

/** Replaces each text, which must be there. */
export function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((left, [from, to]) => {
    if (!left.includes(from)) throw new Error(`The page has no ${JSON.stringify(from)}.`);
    return left.replaceAll(from, to);
  }, text);
}
