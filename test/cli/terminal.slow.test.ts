import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { diary, documentOf, newFolder, say, startAtTerminal, noTerminal } from "./run-cli.ts";

describe.skipIf(noTerminal !== undefined)(`a chat at a terminal${noTerminal === undefined ? "" : ` (skipped: ${noTerminal})`}`, () => {
  test("shows what answers, streams, says what changed, and runs the commands", async () => {
    const cwd = newFolder();
    const live = startAtTerminal(["chat", ...diary], { cwd });
    let at = await live.until("you › ");
    expect(
      live
        .text()
        .split("\n")
        .find((line) => line !== ""),
    ).toMatch(/^The agent "diary" answers with "diary rules \(offline, no language model\)"\./);
    live.write("I'm Ada\r");
    at = await live.until("diary › Nice to meet you, Ada.", at);
    at = await live.until("state +1: user_name = Ada · /diff", at);
    live.write("I went to bed at 23:40\r");
    at = await live.until(/state \+3: nights \+1, streak = 1, average_bedtime = 23:40 · \/diff/, at);
    live.write("/diff\r");
    at = await live.until("streak: (none) → 1", at);
    live.write("/state\r");
    at = await live.until('"user_name": "Ada"', at);
    live.write("/events\r");
    at = await live.until("ended: completed", at);
    live.write("/nonsense\r");
    at = await live.until("/nonsense is not a command. /help lists them", at);
    live.write("/rewind\r");
    at = await live.until("Withdrew 1 turn:", at);
    at = await live.until("streak: 1 → (none)", at);
    live.write("/rewind 0\r");
    at = await live.until('from 1, not "0"', at);
    live.write("/help\r");
    at = await live.until("/rewind [n]", at);
    live.write("/exit\r");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(documentOf(["state", "get"], { cwd })).toMatchObject({ state: { user_name: "Ada", nights: [] } });
  });

  test("goes on with the last session, and shows its last six messages", async () => {
    const cwd = newFolder();
    say(cwd, ["I'm Ada", "one", "two", "three"]);
    const live = startAtTerminal(["chat", ...diary], { cwd });
    // What was said before begins with the same words as the prompt.
    const at = await live.until(/(?:you › [^›]*diary › [^›]*){3}you › $/);
    const said = live.text().match(/^(you|diary) › /gm) ?? [];
    expect(said.slice(0, 6)).toEqual(["you › ", "diary › ", "you › ", "diary › ", "you › ", "diary › "]);
    expect(live.text()).not.toContain("you › I'm Ada");
    live.write("what is my name?\r");
    await live.until("Your name is Ada.", at);
    live.write("\u0004");
    expect((await live.ended).code).toBe(0);
    const fresh = startAtTerminal(["chat", ...diary, "--new"], { cwd });
    const begun = await fresh.until("you › ");
    expect(fresh.text()).toContain("new session");
    fresh.write("what is my name?\r");
    await fresh.until("You have not told me your name yet.", begun);
  });

  test("Ctrl-C stops a turn, takes back what was typed, and twice leaves", async () => {
    const cwd = newFolder();
    const live = startAtTerminal(["chat", ...diary], { cwd });
    let at = await live.until("you › ");
    live.write("tell me everything about the moon\r");
    at = await live.until("I did not", at);
    live.write("\u0003");
    at = await live.until("Stopped (user_requested)", at);
    at = await live.until("you › ", at);
    live.write("half");
    at = await live.until("half", at);
    live.write("\u0003thanks\r");
    at = await live.until("You are welcome", at);
    at = await live.until("you › ", at);
    live.write("\u0003");
    at = await live.until("Press Ctrl-C again to leave.", at);
    live.write("\u0003");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(documentOf(["events", "list", "--kinds", "message"], { cwd })).toMatchObject({
      events: [{}, { data: { parts: [{ text: "thanks" }] } }, { data: { role: "assistant" } }],
    });
  });

  test("whoever ends the process in the middle of a reply leaves the turn to the next start", async () => {
    const cwd = newFolder();
    const live = startAtTerminal(["chat", ...diary], { cwd });
    let at = await live.until("you › ");
    live.write("tell me everything about the moon\r");
    at = await live.until("I did not", at);
    const { pid } = live.child;
    const child = Number(spawnSync("ps", ["--ppid", String(pid), "-o", "pid="], { encoding: "utf8" }).stdout.trim());
    process.kill(child, "SIGTERM");
    at = await live.until(/The conversation is stored\. Continue\s+with:\s+throughline\s+chat\s+--agent\s+\S+agent\.ts/, at);
    expect((await live.ended).code).toBe(143);
    expect(live.text().slice(at).trim()).toBe("");
    const again = startAtTerminal(["chat", ...diary], { cwd });
    at = await again.until("Resuming turn 1", 0);
    at = await again.until("README.md.", at);
    again.write("\u0004");
    expect((await again.ended).code).toBe(0);
  });

  test("what is typed or pasted during a reply is answered in order", async () => {
    const cwd = newFolder();
    const live = startAtTerminal(["chat", ...diary], { cwd });
    await live.until("you › ");
    live.write("I'm Ada\rwhat is my name?\rthanks\r");
    const at = await live.until("You are welcome, Ada.");
    await live.until("you › ", at);
    const conversation = live.text().match(/^(?:you|diary) › .*$/gm) ?? [];
    expect(conversation.map((line) => line.trim()).filter((line) => !line.endsWith("›"))).toEqual([
      "you › I'm Ada",
      "diary › Nice to meet you, Ada. When did you go to bed last night, and when did",
      "you › what is my name?",
      "diary › Your name is Ada.",
      "you › thanks",
      "diary › You are welcome, Ada.",
    ]);
  });

  test("/crash gives the terminal back, and the next start shows the reply arriving", async () => {
    const cwd = newFolder();
    const live = startAtTerminal(["chat", ...diary], { cwd });
    await live.until("you › ");
    live.write("/crash\r");
    let at = await live.until("Armed:");
    live.write("I'm Ada\r");
    at = await live.until("diary › Nice to meet you,", at);
    await live.until("Crashed on purpose (SIGKILL), in the middle of the reply. Start again: throughline chat", at);
    await live.ended;
    const again = startAtTerminal(["chat", ...diary], { cwd });
    at = await again.until("Resuming turn 1, which was left in the middle: your message at offset 1.");
    at = await again.until("diary › Nice to meet you, Ada.", at);
    at = await again.until("state +1: user_name = Ada", at);
    again.write("/exit\r");
    expect((await again.ended).code).toBe(0);
    expect(documentOf(["events", "list", "--kinds", "message"], { cwd })).toMatchObject({
      events: [{ data: { role: "user" } }, { data: { role: "assistant" } }],
    });
  });

  test("breaks lines between words, and what a model writes cannot steer the terminal", async () => {
    const cwd = newFolder();
    writeFileSync(
      join(cwd, "wild.ts"),
      `import { agent as diary } from ${JSON.stringify(join(root, "examples/diary/agent.ts"))};
       export const agent = { ...diary, reply: { ...diary.reply, run: (turn) => diary.reply.run({ ...turn, write: (text) => turn.write("\\u001b[2J\\u009b31m" + text) }) } };`,
    );
    const live = startAtTerminal(["chat", "--agent", "wild.ts"], { cwd, columns: 40, env: { NO_COLOR: "1" } });
    let at = await live.until("you › ");
    live.write("tell me everything about the moon\r");
    at = await live.until("you › ", await live.until("README.md", at));
    const lines = live.text().slice(0, at).split("\n");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40 + 1);
    expect(live.raw()).not.toContain("\u001b[2J");
    expect(live.raw()).not.toContain("\u009b");
    for (const code of ["0", "1", "2", "31", "36"]) expect(live.raw()).not.toContain(`\u001b[${code}m`);
    live.write("\u0004");
    expect((await live.ended).code).toBe(0);
  });
});
