/** What is written of the configuration for people and editors is what the schema says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { withTables } from "../../scripts/configuration/tables.ts";
import { root } from "../../scripts/root.ts";
import { editorSchema, keysOf } from "../../packages/server/src/config/throughline-file.ts";
import { plainSettings, settingsOf } from "../../packages/server/src/config/config-settings.ts";

test("every key is described, on a page that is current", () => {
  expect(keysOf().filter(({ description }) => !description.endsWith("."))).toEqual([]);
  const page = readFileSync(join(root, "docs/reference/configuration.md"), "utf8");
  expect(withTables(page), "run `npm run docs:configuration`").toBe(page);
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
