/** What stands on the screen of a chat at 80 and 120 columns, as tmux draws it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { documentOf, diary, newFolder } from "./run-cli.ts";
import { noTmux, type Pane, startInTmux, widest } from "./tmux.ts";

/** The lines of the panel: from its rule on. */
const panelOf = (lines: readonly string[]): readonly string[] => {
  const at = lines.findLastIndex((line) => line.startsWith("── companion · "));
  return at === -1 ? [] : lines.slice(at).filter((line) => line !== "");
};

/** The facts that are always in the panel. */
const named = ["route", "style", "approach", "level", "exercise", "budget", "memories:"];

/** What is in the panel and nowhere else: one panel, all facts, below the line that is typed. */
function checkPanel(lines: readonly string[], columns: number): void {
  expect(lines.filter((line) => line.startsWith("── companion"))).toHaveLength(1);
  const panel = panelOf(lines);
  for (const name of named) expect(panel.join("\n")).toMatch(new RegExp(`(?:^|· )${name} `, "mu"));
  expect(widest(lines)).toBeLessThanOrEqual(columns);
  expect(widest(panel)).toBe(columns - 1);
}

/** The screen once the panel has the width of the terminal, and a prompt above it. */
const settled = (pane: Pane, columns: number): Promise<readonly string[]> =>
  pane.until(new RegExp(`^you ›.*\\n[^]*^── companion .{${columns - 14}}$`, "mu"));

/** An agent whose replies a test chooses, with the panel's fields. */
function agentOf(cwd: string, reply: string): readonly string[] {
  const library = JSON.stringify(join(root, "packages/throughline/src/index.ts"));
  writeFileSync(
    join(cwd, "agent.ts"),
    `import { defineAgent, defineState, loop, scripted, turn } from ${library};
     import { z } from ${JSON.stringify(join(root, "node_modules/zod/index.js"))};
     export const agent = defineAgent({ name: "companion", version: 1,
       state: defineState({ route: turn(z.string(), { initial: "therapeutic", show: "output" }) }), reply: loop({ model: scripted(() => ${JSON.stringify(reply)}) }) });`,
  );
  return ["--agent", "agent.ts"];
}

/** How often each answer to the question of a farewell was recorded. */
const feedbackIn = (cwd: string): unknown =>
  (documentOf(["safety", "report"], { cwd }) as { readonly report: { readonly feedback: unknown } }).report.feedback;

const started = async (words: readonly string[], given: Parameters<typeof startInTmux>[1]): Promise<Pane> => {
  const pane = startInTmux(["chat", ...words], given);
  await pane.until(/you ›/u);
  return pane;
};

describe.skipIf(noTmux !== undefined)(`the screen of a chat${noTmux === undefined ? "" : ` (skipped: ${noTmux})`}`, () => {
  test.each([80, 120])("at %i columns the panel stays below the talk and follows it, and no line is too wide", async (columns) => {
    const pane = await started([], { cwd: newFolder(), columns });
    checkPanel(await pane.until(/memories: none/u), columns);
    pane.say("lets do box breathing");
    const lines = await pane.until(/exercise grounding box breathing, step 1/u);
    checkPanel(lines, columns);
    const prompt = lines.findLastIndex((line) => line.startsWith("you ›"));
    expect(lines.slice(prompt + 1).filter((line) => line !== "")).toEqual(panelOf(lines));
    pane.say("/exit");
    const left = await pane.until(/over 0/u);
    expect(panelOf(left)).toEqual([]);
  });

  test.each([80, 120])("at %i columns a reply in a crisis is set apart in color and in words", async (columns) => {
    const pane = await started([], { cwd: newFolder(), columns, rows: 40 });
    pane.say("hello there");
    await pane.until(/route talk[^]*memories: none recalled/u);
    expect(pane.all()).not.toContain("┃");
    pane.say("I want to die");
    const lines = await pane.until(/route crisis/u);
    const frame = lines.filter((line) => /^[┏┃┗]/u.test(line));
    expect(frame[0]).toMatch(/^┏━ SAFETY REPLY OF COMPANION, AN AI · LEVEL 2 CRISIS ━+$/u);
    expect(frame.at(-1)).toMatch(/^┗━ End of the safety reply ━+$/u);
    expect(frame.slice(1, -1).every((line) => line.startsWith("┃"))).toBe(true);
    expect(frame.join("\n")).toContain("findahelpline.com");
    expect(widest(lines)).toBeLessThanOrEqual(columns);
    expect(pane.colored()).toContain("\u001b[31m┏━ SAFETY");
    expect(panelOf(lines).join("\n")).toContain("level 2 crisis");
  });

  test("a change of the size while a line is typed leaves one panel and the whole line", async () => {
    const pane = await started([], { cwd: newFolder(), columns: 120 });
    const typed = `This goes on ${"and on ".repeat(14)}日本語 עברית 👍 to its end`;
    pane.type(typed);
    const wide = await pane.until(/to its end/u);
    checkPanel(wide, 120);
    for (const [columns, rows] of [
      [80, 30],
      [50, 24],
      [120, 30],
    ] as const) {
      pane.resize(columns, rows);
      const now = await settled(pane, columns);
      checkPanel(now, columns);
      expect(now.filter((line) => line.startsWith("you ›"))).toHaveLength(1);
      const prompt = now.findIndex((line) => line.startsWith("you ›"));
      expect(
        now
          .slice(
            prompt,
            now.findIndex((line) => line.startsWith("──")),
          )
          .join("")
          .replaceAll(/\s+/gu, ""),
      ).toContain(typed.replaceAll(/\s+/gu, ""));
    }
    pane.press("Enter");
    await pane.until(/companion › /u);
  });

  test("a change of the size while a reply is written, and one too small for a panel, are survived", async () => {
    const cwd = newFolder();
    const reply = "word ".repeat(400);
    const pane = await started(agentOf(cwd, reply), { cwd, columns: 120 });
    pane.say("go on");
    pane.resize(80, 24);
    await pane.until(/word\s+you ›\s+── companion/u);
    checkPanel(await settled(pane, 80), 80);
    pane.resize(60, 7);
    await pane.until(/^(?![^]*──)[^]*^you ›$/mu);
    pane.resize(80, 24);
    checkPanel(await settled(pane, 80), 80);
  });

  test("wide characters and text from right to left break no frame", async () => {
    const cwd = newFolder();
    const reply = "日本語のとても長い文章がここにあります。".repeat(6) + "\nשלום עולם, מה שלומך היום? ".repeat(6) + "\n👩‍👩‍👧‍👦 👍🏽 é नमस्ते";
    const pane = await started(agentOf(cwd, reply), { cwd, columns: 80 });
    pane.say("日本語で話してください، مرحبا بالعالم, שלום");
    const lines = await pane.until(/नमस्ते[^]*you ›\s+── companion/u);
    checkPanel(lines, 80);
    expect(lines.join("")).toContain("日本語で話してください");
  });

  test("several pasted lines are one message", async () => {
    const cwd = newFolder();
    const pane = await started(diary, { cwd, columns: 80 });
    pane.paste("I'm Ada\nand this\nis one message");
    await pane.until(/you › I'm Ada⏎and this⏎is one message/u);
    pane.press("Enter");
    await pane.until(/diary › [^]*^you ›$/mu);
    expect(documentOf(["events", "list", "--kinds", "message"], { cwd })).toMatchObject({
      events: [{ data: { parts: [{ text: "I'm Ada\nand this\nis one message" }] } }, { data: { role: "assistant" } }],
    });
  });

  test("Tab completes a command, and Ctrl-C stops a reply and leaves the panel", async () => {
    const cwd = newFolder();
    const pane = await started([], { cwd, columns: 80 });
    pane.type("/thr");
    pane.press("Tab");
    await pane.until(/you › \/threads/u);
    pane.press("C-c");
    await pane.until(/^you ›$/mu);
    pane.press("C-c");
    const lines = await pane.until(/Press Ctrl-C again to leave\.\nyou ›/u);
    checkPanel(lines, 80);
    pane.press("C-c");
    await pane.until(/over 0/u);
  });

  test.each([
    ["--plain", ["--plain"], {}],
    ["TERM=dumb", [], { TERM: "dumb" }],
  ] as const)("with %s everything is in words, and nothing moves the cursor", async (_name, words, env) => {
    const cwd = newFolder();
    const pane = startInTmux(["chat", ...words], { cwd, columns: 80, rows: 50, env });
    await pane.until(/^you:$/mu);
    pane.say("I want to die");
    const lines = await pane.until(/Status: answered by rules, offline, route crisis, [^]*level 2 crisis/u);
    expect(lines).toContain("Safety reply of companion, an AI, level 2 crisis.");
    expect(lines).toContain("End of the safety reply.");
    expect(lines.join("\n")).not.toMatch(/[─━┃┏┗▓░›·⏎]/u);
    expect(pane.colored()).not.toContain("\u001b[");
    pane.say("/exit");
    await pane.until(/over 0/u);
  });

  test("/end names what is remembered and asks once how it was; the next thread shows the memories by name", async () => {
    const cwd = newFolder();
    const pane = await started(["--customer", "ada"], { cwd, columns: 80, rows: 50 });
    for (const [said, reply] of [
      ["my sister Marta lives in Turin and we had a fight", /Turin and we had a fight\ncompanion|fight\n[^]*companion › [^]*^you ›$/mu],
      ["I am so tired of my job as a nurse", /nurse\ncompanion › [^]*^you ›$/mu],
      ["I want to call her on Sunday", /Sunday\ncompanion › [^]*^you ›$/mu],
    ] as const) {
      pane.say(said);
      await pane.until(reply);
    }
    pane.say("/end");
    const lines = await pane.until(/Was this conversation helpful\? y, n, or Enter to skip:/u);
    const frame = lines.filter((line) => /^[┏┃┗]/u.test(line)).join("\n");
    expect(frame).toMatch(/^┏━ Farewell[^]*New memories:[^]*Marta[^]*Themes: [^]*Open:[^]*Sunday[^]*┗━/u);
    pane.say("y");
    await pane.until(/Thank you\. The answer is kept without your name\./u);
    expect(feedbackIn(cwd)).toEqual({ positive: 1 });
    pane.say("and now?");
    await pane.until(/and now\?[^]*companion › [^]*^you ›$/mu);
    pane.say("/end");
    await pane.until(/and now\?[^]*┗━[^]*^you ›$/mu);
    expect(
      pane
        .screen()
        .join("\n")
        .match(/Was this conversation helpful/gu),
    ).toHaveLength(1);
    pane.say("/new");
    await pane.until(/New thread:/u);
    pane.say("what is my sister called?");
    expect(panelOf(await pane.until(/memories: [^\n]*Marta/u)).join("\n")).toMatch(/memories: .*\(\d of \d+\)/u);
    pane.say("/end");
    await pane.until(/New thread[^]*Was this conversation helpful/u);
    pane.press("Enter");
    await pane.until(/Skipped; it is not asked again in this thread\./u);
    expect(feedbackIn(cwd)).toEqual({ positive: 1, skip: 1 });
  });

  test("after a crisis /end asks nothing, and what is typed instead of an answer is a message", async () => {
    const cwd = newFolder();
    const pane = await started([], { cwd, columns: 80, rows: 50 });
    pane.say("I want to die");
    await pane.until(/End of the safety reply[^]*^you ›$/mu);
    pane.say("/end");
    await pane.until(/Farewell[^]*^you ›$/mu);
    pane.say("I am a burden to everyone");
    await pane.until(/burden to everyone[^]*companion[^]*^you ›$/mu);
    pane.say("/end");
    await pane.until(/burden to everyone[^]*Farewell[^]*^you ›$/mu);
    expect(pane.all()).not.toContain("helpful");
    pane.say("/new");
    await pane.until(/New thread:/u);
    pane.say("hello there");
    await pane.until(/hello there[^]*companion › [^]*^you ›$/mu);
    pane.say("/end");
    await pane.until(/helpful/u);
    pane.say("my brother is called Tom");
    await pane.until(/Skipped[^]*companion › [^]*^you ›$/mu);
    const { sessions } = documentOf(["sessions", "list"], { cwd }) as { readonly sessions: readonly { readonly id: string }[] };
    expect(JSON.stringify(documentOf(["sessions", "show", sessions[0]?.id ?? ""], { cwd }))).toContain("my brother is called Tom");
    expect(feedbackIn(cwd)).toEqual({ skip: 1 });
    const again = await started(["--session", sessions[1]?.id ?? ""], { cwd, columns: 80, rows: 50 });
    expect(again.screen().join("\n")).toMatch(/you › I want to die[^]*┏━ SAFETY REPLY OF COMPANION[^]*findahelpline[^]*┗━ End of the safety reply/u);
  });

  test("NO_COLOR takes the colors and leaves the panel; a killed process leaves the next start its session", async () => {
    const cwd = newFolder();
    const pane = await started([], { cwd, columns: 80, env: { NO_COLOR: "1" } });
    pane.say("my sister is called Marta");
    const lines = await pane.until(/memories: none recalled/u);
    checkPanel(lines, 80);
    expect(pane.colored()).not.toContain("\u001b[3");
    process.kill(pane.pid(), "SIGKILL");
    await pane.until(/over 137/u);
    const again = await started([], { cwd, columns: 120 });
    const resumed = await again.until(/my sister is called Marta[^]*route talk/u);
    checkPanel(resumed, 120);
  });
});
