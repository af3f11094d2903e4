import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readPackages, root } from "../root.ts";

interface Versioned {
  readonly version?: string;
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Puts `version` on our packages among some dependencies. */
const withOwn = (dependencies: Readonly<Record<string, string>>, version: string, own: ReadonlySet<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(dependencies).map(([name, wanted]) => [name, own.has(name) ? version : wanted]));

/** Puts `version` on a manifest, or on an entry of the lock file, and on what it names of ours. Its members stay in their order. */
function withVersion<Entry extends Versioned>(entry: Entry, version: string, own: ReadonlySet<string>): Entry {
  const changed = Object.entries(entry).map(([member, value]: [string, unknown]) => {
    if (member === "version") return [member, version];
    const names = ["dependencies", "devDependencies", "peerDependencies"].includes(member);
    return [member, names ? withOwn(value as Readonly<Record<string, string>>, version, own) : value];
  });
  return Object.fromEntries(changed) as Entry;
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * The files that a new version changes, with their new texts: every manifest, the templates, the lock file and the changelog, whose heading *Pending*
 * gets one with the version and the day below it. `version` is like `0.2.0` or `0.2.0-rc.1`, `day` like `2026-11-22`.
 */
export function filesOfVersion(version: string, day: string): ReadonlyMap<string, string> {
  if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) throw new Error(`A version is like 0.2.0 or 0.2.0-rc.1, got ${version}.`);
  const read = (name: string): string => readFileSync(join(root, name), "utf8");
  const packages = readPackages();
  const own = new Set(packages.map(({ manifest }) => manifest.name));
  const manifests = ["package.json", ...packages.map(({ folder }) => `packages/${folder}/package.json`)];
  const texts = new Map(manifests.map((name) => [name, json(withVersion(JSON.parse(read(name)) as Versioned, version, own))]));
  for (const name of globSync("packages/create-throughline/templates/*/package.json", { cwd: root }).toSorted()) {
    const project = JSON.parse(read(name)) as Versioned;
    texts.set(name, json({ ...withVersion(project, version, own), version: project.version }));
  }
  const lock = JSON.parse(read("package-lock.json")) as { readonly version: string; readonly packages: Readonly<Record<string, Versioned>> };
  const entries = Object.entries(lock.packages).map(([place, entry]): readonly [string, Versioned] => [
    place,
    place === "" || /^packages\/[\w-]+$/.test(place) ? withVersion(entry, version, own) : entry,
  ]);
  texts.set("package-lock.json", json({ ...lock, version, packages: Object.fromEntries(entries) }));
  const changelog = read("CHANGELOG.md");
  if (changelog.includes(`\n## ${version} `)) throw new Error(`CHANGELOG.md has version ${version} already.`);
  return texts.set("CHANGELOG.md", changelog.replace(/^## Pending$/m, `## Pending\n\n## ${version} (${day})`));
}
