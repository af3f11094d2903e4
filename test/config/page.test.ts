/** What is written of the configuration for people and editors is what the schema says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withManifest } from "../../scripts/configuration/manifest.ts";
import { withTables } from "../../scripts/configuration/tables.ts";
import { root } from "../../scripts/root.ts";
import { manifestKeys } from "../../packages/server/src/config/manifest-keys.ts";
import { routineSchema } from "../../packages/throughline/src/routines.ts";
import { editorSchema, keyAt, keysOf } from "../../packages/server/src/config/throughline-file.ts";
import { plainSettings, settingsOf } from "../../packages/server/src/config/config-settings.ts";

test("every key is described, on a page that is current", () => {
  expect(keysOf().filter(({ description }) => !description.endsWith("."))).toEqual([]);
  const page = readFileSync(join(root, "docs/reference/configuration.md"), "utf8");
  expect(withTables(page), "run `npm run docs:configuration`").toBe(page);
});

describe("the keys of the manifest", () => {
  test("stand beside keys that exist, on a page that is current", () => {
    const paths = new Set(keysOf().map(({ path }) => path));
    expect(manifestKeys.flatMap(({ here }) => here).filter((path) => !paths.has(path))).toEqual([]);
    for (const { path, standing, here, note } of manifestKeys) {
      if (standing === "supported") expect([path, here, keyAt(path.split("."))?.path]).toEqual([path, [path], path]);
      if (standing === "left out") expect([path, here, keyAt(path.split(".")), note]).toEqual([path, [], undefined, expect.stringMatching(/\.$/u)]);
      if (standing === "different") expect([path, here.length > 0 || note !== ""]).toEqual([path, true]);
    }
    const page = readFileSync(join(root, "docs/reference/manifest.md"), "utf8");
    expect(withManifest(page), "run `npm run docs:configuration`").toBe(page);
    const blocks = manifestKeys.flatMap(({ here }) => here).map((path) => `${path}.`);
    for (const { path } of keysOf().filter(({ type }) => type !== "object"))
      if (!blocks.some((block) => path.startsWith(block))) expect(page).toMatch(new RegExp(`[\`.]${path.split(".").at(-1) ?? ""}\``, "u"));
  });

  test("of the database have the defaults of their description", () => {
    const defaults = keysOf().flatMap(({ parent, name, required, ...key }) =>
      parent === "agent_config.database" && manifestKeys.some(({ path }) => path === key.path) ? [[name, required ? "required" : key.default]] : [],
    );
    expect(Object.fromEntries(defaults)).toEqual({
      hostname: "required",
      password: "required",
      ...{ port: 5432, user: "postgres", dbname: "postgres", sslmode: "require" },
    });
  });

  test("of files of routines have the names of their schema", () => {
    const names = JSON.stringify(routineSchema());
    const page = readFileSync(join(root, "docs/reference/manifest.md"), "utf8");
    const here = page
      .slice(page.indexOf("| Manifest's content"))
      .split("\n")
      .flatMap((line) => (line.split("|")[2] ?? "").match(/`[a-z_.]+`/gu) ?? [])
      .map((name) => name.replaceAll("`", "").split(".").at(-1) ?? "");
    expect(here.length).toBeGreaterThan(10);
    for (const name of [...here, "entry", "conditions", "timeout_seconds"]) expect(names).toContain(`"${name}"`);
  });
});

describe("the schema for editors", () => {
  const validator = new Validator(editorSchema(), "2020-12");
  const passes = (yaml: string): boolean => validator.validate(parse(yaml)).valid;

  test.each([
    ["all defaults", JSON.stringify(plainSettings(settingsOf(), { redacted: false }))],
    ["the containers' file", readFileSync(join(root, "etc/compose/throughline.yaml"), "utf8")],
    ["a value that is put in where a number stands", "server: {port: '${PORT}', demo: '${DEMO}', hosts: '${HOSTS}'}"],
    ["an empty block", "server:\nlog:\n"],
  ])("takes %s", (_what, yaml) => expect(passes(yaml)).toBe(true));

  test.each([
    "server: {prot: 1}",
    "server: {port: '80'}",
    "log: {level: loud}",
    "agent_config: {database: {hostname: h}}",
    "wibble: 1",
    "worker: {enabled: yes}",
  ])("refuses %s", (yaml) => expect(passes(yaml)).toBe(false));
});
