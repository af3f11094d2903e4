import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { newFolder, type Ran, runBeside } from "./run-cli.ts";

const library = JSON.stringify(join(root, "packages/throughline/src/index.ts"));

/** An agent whose stage throws. */
const module = `
import { defineAgent, defineState, loop, scripted, stage } from ${library};
const state = defineState({});
const price = stage("price", { state, writes: [] }, () => { throw new TypeError("no price for socks"); });
export const agent = defineAgent({ name: "shop", version: 1, state, stages: [price], reply: loop({ model: scripted([]) }) });
`;

test("a chat reports what the agent throws on stderr, with its stack, in development only", async () => {
  const cwd = newFolder();
  const file = join(cwd, "agent.ts");
  writeFileSync(file, module);
  const chat = (env: Readonly<Record<string, string>>): Promise<Ran> => runBeside(["chat", "--agent", file], { cwd, input: "hi\n", env });
  const development = await chat({ NODE_ENV: "development", THROUGHLINE_ERRORS: "" });
  expect(development.code).toBe(1);
  expect(development.out).toMatch(/^Sorry/);
  expect(development.out).not.toContain("socks");
  expect(development.err).toMatch(/\[throughline\] turn failed\. Stage "price" failed\. \(stage\.failed\)\n {2}at agent shop, /);
  expect(development.err).toMatch(/TypeError: no price for socks\n +at .*agent\.ts/);
  const production = await chat({ NODE_ENV: "production", THROUGHLINE_ERRORS: "" });
  expect(production.err).toContain("The turn failed: ");
  expect(production.err).not.toContain("socks");
});
