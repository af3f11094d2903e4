/** Looking at what models are asked: `prompt matrix`, `prompt show`, and `/prompt` and `/why` in a chat. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Conversation } from "../../packages/server/src/cli/chat/open-conversation.ts";
import { parseSlash, runSlash } from "../../packages/server/src/cli/chat/slash.ts";
import { createRuntime, defineAgent, defineState, loop, openStore, persona, scripted, section } from "../../packages/throughline/src/index.ts";
import { recalledMemory } from "../../packages/throughline/src/context/stock-sections.ts";
import { memory } from "../../packages/throughline/src/memory/memory-extension.ts";
import { command } from "./in-process.ts";
import { newFolder } from "./run-cli.ts";

const index = new URL("../../packages/throughline/src/index.ts", import.meta.url).href;
const styledAgent = `
import { defineAgent, defineState, loop, recentMessages, scripted, section, turn } from ${JSON.stringify(index)};
const schema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
export const agent = defineAgent({
  name: "styled", version: 1, state: defineState({ style: turn(schema) }), reply: loop({ model: scripted([]) }),
  sections: [section("tone", () => "x", { audience: ["calm"] }), recentMessages({ window: 6, audience: ["calm"] }), recentMessages({ window: 2, audience: ["brisk"] })],
  prompt: { style: "style", styles: ["calm", "brisk"] },
});`;

test("the matrix of an agent, for people and for programs", async () => {
  const folder = newFolder();
  const module = join(folder, "styled.ts");
  writeFileSync(module, styledAgent);
  const { out } = await command(["prompt", "matrix", module], { folder });
  expect(out.split("\n").map((line) => line.split(/ {2,}/u))).toEqual([
    ["STYLE", "TONE", "RECENT HISTORY", "CURRENT MESSAGE"],
    ["calm", "yes", "last 6", "yes"],
    ["brisk", "no", "last 2", "yes"],
    ["(any other)", "no", "no", "yes"],
    [""],
  ]);
  const document = JSON.parse((await command(["prompt", "matrix", module, "--json"], { folder })).out) as { readonly matrix: readonly unknown[] };
  expect(document.matrix[1]).toEqual({
    style: "brisk",
    cells: [
      { part: "tone", seen: false },
      { part: "recent history", seen: true, window: 2 },
      { part: "current message", seen: true },
    ],
  });
  expect((await command(["prompt", "matrix", join(folder, "none.ts")], { folder })).error).toBe("agent.not_found");
});

test("a request that is kept, and why it remembers what it does", async () => {
  const folder = newFolder();
  const location = join(folder, "kept.db");
  const store = await openStore(location);
  const agent = defineAgent({
    ...{ name: "kept", version: 1, state: defineState({}), reply: loop({ model: scripted(() => "ok") }), keepRequests: true },
    ...{ memory: memory(), sections: [persona("Be kind."), section("once", () => "gone", { priority: 1 }), recalledMemory()] },
  });
  const runtime = await createRuntime({ store, agents: [agent] });
  const session = await runtime.sessions.open({ agent: "kept", customer: "c1" });
  const lines: string[] = [];
  const channel = {
    stream: undefined as never,
    columns: (otherwise: number) => otherwise,
    paint: (_style: string, text: string) => text,
    line: (text = "") => void lines.push(text),
    write: (text: string) => void lines.push(text),
  };
  const conversation = { store, session: () => Promise.resolve(session) } as unknown as Conversation;
  const slash = async (line: string): Promise<string> => {
    lines.length = 0;
    const parsed = parseSlash(line);
    if (parsed === undefined || parsed === "unknown") throw new Error(line);
    await runSlash(conversation, parsed, channel);
    return lines.join("\n");
  };
  expect(await slash("/prompt")).toBe("No request has been sent yet.");
  expect(await slash("/why")).toContain("The last turns recalled nothing");
  await session.send("My sister Marta lives in Turin with her dog Pepper.");
  await session.endEpisode();
  const second = await runtime.sessions.create({ agent: "kept", customer: "c1" });
  await second.send("What is the name of my sister Marta's dog?");
  Object.assign(conversation, { session: () => Promise.resolve(second) });
  const shown = await slash("/prompt");
  expect(shown).toContain("[persona]\n  Be kind.");
  expect(shown).toMatch(/memory +memory +\d+ +in prompt, 1 of 1 pieces/u);
  expect(shown).toMatch(/\d+ tokens by characters\/4 \(fallback\)/u);
  const why = await slash("/why");
  expect(why).toMatch(/in prompt +[\d.]+ +words [\d.]+.*My sister Marta/u);
  await runtime.close();
  await store.close();

  const { out } = await command(["prompt", "show", second.id, "--db", location], { folder });
  expect(out).toContain('<data name="memory">');
  const document = JSON.parse((await command(["prompt", "show", second.id, "--db", location, "--json"], { folder })).out) as {
    readonly prompt: { readonly body: string; readonly step: number };
  };
  expect(JSON.parse(document.prompt.body)).toMatchObject({ messages: [{ role: "user", text: "What is the name of my sister Marta's dog?" }] });
  const none = await command(["prompt", "show", second.id, "--db", location, "--turn", "turn_none"], { folder });
  expect(none.error).toBe("turn.not_found");
});
