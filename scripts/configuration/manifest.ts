/** The tables of docs/reference/manifest.md: the keys of the manifest beside those of `throughline.yaml`, from both lists of keys. */
import { type ManifestKey, manifestKeys } from "../../packages/server/src/config/manifest-keys.ts";
import { type Key, keysOf } from "../../packages/server/src/config/throughline-file.ts";

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const row = ({ path, standing, here, note }: ManifestKey): string => `| \`${path}\` | ${standing} | ${code(here)} | ${note} |`;

/** Whether a key, or a block around it, stands for one of the manifest. */
const isMapped = ({ path }: Key): boolean => manifestKeys.some(({ here }) => here.some((name) => path === name || path.startsWith(`${name}.`)));

/** The keys that stand for no key of the manifest, one line for each block. */
function ownKeys(): readonly string[] {
  const keys = keysOf();
  const isBlock = ({ path, type }: Key): boolean => type === "object" || keys.some(({ parent }) => parent === path);
  const own = keys.filter((key) => !isBlock(key) && !isMapped(key));
  return [...Map.groupBy(own, ({ parent }) => parent)].map(
    ([block, members]) => `| ${block === "" ? "at the top" : `\`${block}\``} | ${code(members.map(({ name }) => name))} |`,
  );
}

const begin = "<!-- begin: manifest -->";
const end = "<!-- end: manifest -->";

/** A page with the tables between its marks. */
export function withManifest(page: string): string {
  if (!page.includes(begin) || !page.includes(end)) throw new Error(`The page has no ${begin} and ${end}.`);
  const tables = [
    "## Keys of the manifest",
    "",
    "| Manifest | Here | Keys of `throughline.yaml` | |",
    "|---|---|---|---|",
    ...manifestKeys.map(row),
    "",
    "## Keys that only `throughline.yaml` has",
    "",
    "[Configuration](configuration.md#every-key) describes them.",
    "",
    "| Block | Keys |",
    "|---|---|",
    ...ownKeys(),
  ];
  return `${page.slice(0, page.indexOf(begin))}${begin}\n\n${tables.join("\n")}\n\n${page.slice(page.indexOf(end))}`;
}
