/** A program that a bundler puts into one file runs in a folder without packages. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { root } from "../scripts/root.ts";

const program = `
  import { createRuntime, defineAgent, defineState, defineTool, input, loop, openStore, scripted, variable } from ${JSON.stringify(join(root, "packages/throughline/src/index.ts"))};
  const text = { "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) } };
  const double = defineTool({
    name: "double",
    description: "Doubles a number.",
    parameters: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
    effects: "none",
    execute: ({ n }) => n * 2,
  });
  const agent = defineAgent({
    name: "bundled",
    version: 1,
    state: defineState({ message: input(text) }),
    variables: [variable("plan", { refresh: () => "gold", fresh: { cron: "0 3 * * *" } })],
    reply: loop({
      model: scripted(({ messages }) => (messages.at(-1).role === "tool" ? "doubled" : { calls: [{ call_id: "1", name: "double", arguments: { n: 2 } }] })),
      tools: [double],
    }),
  });
  const runtime = await createRuntime({ store: await openStore("./app.db"), agents: [agent] });
  const session = await runtime.sessions.open({ agent: "bundled", customer: "crm-7" });
  const turn = await session.send("two");
  await runtime.close();
  const refused = await openStore("postgres://user:word@127.0.0.1:1/db").catch(({ code, hint }) => [code, hint]);
  console.log(JSON.stringify([turn.status, turn.reply ?? turn.error, refused]));
`;

test("one file holds the library with its schedules and JSON Schema, runs without `pg`, and names it where it is needed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  writeFileSync(join(folder, "main.ts"), program);
  const bundle = await rolldown({ input: join(folder, "main.ts"), platform: "node", external: [/^node:/, "pg"], logLevel: "silent" });
  const { output } = await bundle.generate({ format: "es", codeSplitting: false });
  expect(output.map(({ fileName }) => fileName)).toEqual(["main.js"]);
  writeFileSync(join(folder, "main.mjs"), output[0].code);
  const { stdout, stderr } = spawnSync(process.execPath, ["main.mjs"], { cwd: folder, encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({
    stdout: `${JSON.stringify(["completed", "doubled", ["package.missing", "Install it beside throughline: npm install pg"]])}\n`,
    stderr: "",
  });
});
