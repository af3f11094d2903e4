/** The tables of docs/reference/configuration.md, from the schema of the file. */
import { type Key, keysOf } from "../../packages/server/src/config/throughline-file.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

const kinds = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "`true` or `false`",
  array: "list",
  object: "",
  any: "any value",
} as const;

const valueOf = ({ type, range, values, secret, required }: Key): string => {
  const words = values.length > 0 ? [values.map((value) => `\`${value}\``).join(", ")] : [kinds[type], range];
  return [...words.filter((word) => word !== ""), ...(secret ? ["secret"] : []), ...(required ? ["**required**"] : [])].join("; ");
};

const row = (key: Key): string => {
  const usual = key.default === undefined ? "" : `\`${JSON.stringify(key.default)}\``;
  return `| \`${key.name}\` | ${cell(valueOf(key))} | ${usual} | ${cell(key.description)} |`;
};

/** A table for each block, in the order of the file. */
export function configurationTables(): string {
  const keys = keysOf();
  const blocks = [
    { path: "", description: "At the top." },
    ...keys.filter(({ type, path }) => type === "object" || keys.some(({ parent }) => parent === path)),
  ];
  return blocks
    .map(({ path, description }) => ({ path, description, members: keys.filter((key) => key.parent === path && key.type !== "object") }))
    .filter(({ members }) => members.length > 0)
    .map(({ path, description, members }) =>
      [
        path === "" ? "### At the top" : `### \`${path}\``,
        "",
        ...(path === "" || description === "" ? [] : [description, ""]),
        "| Key | Value | Default | What it is |",
        "|---|---|---|---|",
        ...members.map(row),
      ].join("\n"),
    )
    .join("\n\n");
}

const begin = "<!-- begin: keys -->";
const end = "<!-- end: keys -->";

/** A page with the tables between its marks. */
export function withTables(page: string): string {
  const [before, rest] = [page.slice(0, page.indexOf(begin)), page.slice(page.indexOf(end))];
  if (!page.includes(begin) || !page.includes(end)) throw new Error(`The page has no ${begin} and ${end}.`);
  return `${before}${begin}\n\n${configurationTables()}\n\n${rest}`;
}
