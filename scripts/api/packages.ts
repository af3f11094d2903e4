import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const specifiers = /(?:from |import )"([^"]+)"|import\("([^"]+)"\)|<reference types="([^"]+)"/g;
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** The packages that the declarations of an entry import, whichever file they are in, and one such file each. Modules of Node are none. */
export function importedPackages(entry: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, ...groups] of readFileSync(file, "utf8").matchAll(specifiers)) {
      const specifier = groups.find((group) => group !== undefined) ?? "";
      if (specifier.endsWith(".json")) continue;
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier.replace(/\.(ts|js)$/, ".d.ts")));
      else if (!specifier.startsWith("node:") && specifier !== "node") found.set(packageOf(specifier), file);
    }
  };
  visit(entry);
  return found;
}
