/** The companion as it is started by itself: what a person at a terminal sees of it besides its replies. */
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { hangMs } from "../setup/limits.ts";
import { documentOf, newFolder, noTerminal, run, start, startAtTerminal } from "./run-cli.ts";

/** Talks with the agent that is there by default. */
const talk = (cwd: string, lines: readonly string[], words: readonly string[] = []) =>
  run(["chat", ...words], { cwd, input: lines.map((line) => `${line}\n`).join("") });

/** Numbers that somebody could call. */
const phone = /\d{3}/u;

describe("npm start", () => {
  test("says that an AI answers, that rules do, and how to have a model; then what it is told, once", () => {
    const { code, out, err } = talk(newFolder(), ["hi", "I slept badly"]);
    expect({ code, lines: out.trim().split("\n").length }).toEqual({ code: 0, lines: 2 });
    const [first, second] = err.split("\n");
    expect(first).toMatch(/^The companion is an AI, not a person/);
    expect(second).toBe(
      "companion rules (offline, no language model) answers. A language model could: throughline chat --model <name> (docs/how-to/models.md)",
    );
    expect(err.match(/^I am an AI companion/gmu)).toHaveLength(1);
    expect(err).not.toContain("auto ·");
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly scripts: Readonly<Record<string, string>> };
    expect(scripts["start"]).toMatch(/main\.ts chat$/);
  });

  test("gives every message the input of the agent's module: the channel of a command line", () => {
    const cwd = newFolder();
    expect(talk(cwd, ["hi", "I slept badly"]).code).toBe(0);
    const document = documentOf(["events", "list", "--kinds", "message"], { cwd });
    expect(document).toMatchObject({
      events: [
        { source: "customer", data: { input: { channel: "cli" } } },
        { source: "ai_agent" },
        { source: "customer", data: { input: { channel: "cli" } } },
        { source: "ai_agent" },
      ],
    });
  });

  test("no word of it promises what only professionals may", () => {
    const { err, out } = talk(newFolder(), ["hi", "lets do box breathing", "stop", "/help", "/why", "/safety", "/memory"], ["--context", "on"]);
    expect(err + out).not.toMatch(/therap|treatment|diagnos/iu);
  });
});

describe("commands of a chat", () => {
  test("/safety shows levels, codes and the plan, and no word that was written", () => {
    const { err } = talk(newFolder(), ["/safety", "hello there", "I want to die", "/safety"], ["--context", "on"]);
    expect(err).toContain("Nothing has been assessed yet.");
    expect(err).toMatch(/^auto · crisis · crisis response · .*safety 2/m);
    const shown = err.slice(err.indexOf("\nlevel "));
    expect(shown).toMatch(/^\s*level +2 \(screen 2/);
    for (const fact of [/path +union/, /matches +en\//, /before: 0/, /last levels +2/, /questions +plan/, /shown +\S/]) expect(shown).toMatch(fact);
    expect(shown).not.toContain("die ");
  });

  test("/handover keeps what is said for people, and /handback has it answered", () => {
    const { code, out, err } = talk(newFolder(), ["hi", "/handover wants a person", "are you there?", "/handback", "/handback"]);
    expect({ code, replies: out.trim().split("\n").length }).toEqual({ code: 0, replies: 2 });
    expect(err).toMatch(/People have this session now[^]*The message is stored for them[^]*answers the waiting messages[^]*\(handover\.none\)/);
  });

  test("/vars sets, shows and takes away what the agent is told", () => {
    const lines = ["/vars", "/vars city Lisbon", '/vars limits {"most": 3}', "/vars city", "/vars -city", "/vars city"];
    const { err } = talk(newFolder(), lines);
    expect(err).toMatch(/has no variables\.[^]*city = Lisbon, from[^]*city +customer +now +Lisbon[^]*city is removed[^]*no variable city\./);
    expect(err).toContain('limits = {"most":3}');
  });

  test("/context shows what was recalled and how that was put to the model; /why the same without", () => {
    const { err } = talk(newFolder(), ["/context", "remember that my sister is called Marta", "what do you remember about my sister?", "/context"]);
    expect(err).toContain("The last turns recalled nothing.");
    expect(err).toMatch(/semantic \d+ of \d+/);
  });

  test("/export writes all of it to two files, for their owner's eyes, and overwrites none", () => {
    const cwd = newFolder();
    const first = talk(cwd, ["hello there", "I want to die", "/export"]);
    const [, name = ""] = /Written: (\S+)\.json and \1\.md/.exec(first.err) ?? [];
    const document = JSON.parse(readFileSync(join(cwd, `${name}.json`), "utf8")) as { readonly messages: readonly { readonly text: string }[] };
    expect(document).toMatchObject({
      format: "throughline.conversation/1",
      state: { safety_plan: { highest: 2 } },
      memory: { format: "throughline.memory/1" },
      assessments: [{ level: 0 }, { level: 2, record: { action: "static_reply" } }],
      consents: [],
    });
    expect(document.messages.map(({ text }) => text)).toEqual(["hello there", expect.any(String), "I want to die", expect.any(String)]);
    const page = readFileSync(join(cwd, `${name}.md`), "utf8");
    for (const part of [/^# Conversation with companion/, /> hello there/, /^## State/m, /^## +Memory/m, /\| 2 \| union \|/])
      expect(page).toMatch(part);
    const id = /ses_[0-9a-z]{26}/.exec(name)?.[0] ?? "none";
    expect(talk(cwd, ["/export", "and you?"], ["--session", id])).toMatchObject({ code: 0, err: expect.stringContaining("(file.exists)") as string });
  });

  test("/help lists them all", () => {
    const { err } = talk(newFolder(), ["/help"]);
    for (const name of ["memory", "why", "prompt", "context", "safety", "handover", "handback", "vars", "export", "end", "exit"])
      expect(err).toMatch(new RegExp(String.raw`^/${name}\b.{10}`, "mu"));
  });
});

describe("a database that takes nothing", () => {
  test("holds no reply up: it is said that nothing is kept, the assessment waits beside it, and is taken later", async () => {
    const cwd = newFolder();
    const live = start(["chat", "--db", "app.db"], { cwd });
    live.write("hello\n");
    let at = await live.until("I am an AI companion");
    const other = new DatabaseSync(join(cwd, "app.db"));
    other.exec("BEGIN IMMEDIATE");
    live.write("I want to die\n");
    at = await live.until(/findahelpline\.com[^]*its reply is not/u, at);
    // A reply waits one second for the disk; a busy disk takes the assessment later.
    const kept = (): string => readFileSync(join(cwd, "app.db.safety.jsonl"), "utf8");
    await expect.poll(kept, { timeout: hangMs }).toMatch(/^\n?\{.*"level":2.*\}\n$/);
    expect(kept()).not.toContain("want to die");
    other.exec("ROLLBACK");
    other.close();
    live.write("are you still there?\n");
    await live.until(/\n.*\?/u, at);
    live.child.stdin.end();
    expect((await live.ended).code).toBe(1);
  });
});

describe.skipIf(noTerminal !== undefined)("at a terminal", () => {
  test("a panel says how a reply came about, a crisis is answered whole and apart, and what helps fits in 80 columns", async () => {
    const cwd = newFolder();
    const live = startAtTerminal(["chat"], { cwd });
    let at = await live.until("you › ");
    live.write("lets do box breathing\r");
    at = await live.until(
      /route talk · style guided exercise · approach none · level 0 ordinary\s+exercise grounding box breathing, step 1 · budget/,
      at,
    );
    expect(live.text().match(/Good,/g)).toHaveLength(1);
    // That it is an AI is told before its first words, not after them.
    expect(live.text()).toMatch(/I am an AI companion, not a person[\s\S]*companion[^\n]* › [\s\S]*Good,/);
    live.write("I want to die, I am in Portugal\r");
    const from = at;
    at = await live.until(
      /SAFETY REPLY OF COMPANION, AN AI · LEVEL 2 CRISIS[\s\S]*End of the safety reply[\s\S]*route crisis · style crisis response .*level 2 crisis/,
      at,
    );
    const lines = live
      .text()
      .slice(from, at)
      .split("\n")
      .filter((line) => /^[┃┏┗]/u.test(line));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(79);
    expect(lines.join("\n")).toMatch(phone);
    expect(live.text()).not.toContain("/diff");
    live.write("/exit\r");
    expect((await live.ended).code).toBe(0);
    const without = startAtTerminal(["chat", "--new", "--context", "off"], { cwd });
    at = await without.until("you › ");
    without.write("hi\r");
    await without.until("you › ", await without.until("/diff", at));
    expect(without.text()).not.toContain("auto ·");
    expect(existsSync(join(cwd, ".throughline", "throughline.db.safety.jsonl"))).toBe(false);
  });
});
