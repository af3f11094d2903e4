import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { newPostgresDatabase, noPostgres, runSql } from "../setup/database.ts";
import { diary, documentOf, newFolder, run, say, start } from "./run-cli.ts";

/** An agent whose replies a test can tell apart; `fail` makes its model fail. */
function echoAgent(cwd: string, text = ""): string {
  writeFileSync(
    join(cwd, "echo.ts"),
    `import { defineAgent, defineState, input, loop, recentMessages, scripted } from ${JSON.stringify(join(root, "packages/throughline/src/index.ts"))};
     import { z } from ${JSON.stringify(join(root, "node_modules/zod/index.js"))};
     ${text}
     const model = scripted((request) => {
       const said = request.messages.at(-1)?.text ?? "";
       return said === "fail" ? { text: "half", error: new Error("no model") } : "re: " + said;
     });
     export const agent = defineAgent({ name: "echo", version: 1, state: defineState({ message: input(z.string()) }), reply: loop({ model }), sections: [recentMessages] });`,
  );
  return "./echo.ts";
}

const idOf = (err: string): string => /ses_[0-9a-z]{26}/.exec(err)?.[0] ?? "none";

describe("a conversation from a pipe", () => {
  test("answers line by line, in order, and keeps what was said", () => {
    const cwd = newFolder();
    const { code, out, err } = say(cwd, ["Hello", "I'm Ada", "", "   ", "I went to bed at 23:40\r", "what do you know about me?"]);
    const [hello, name, night, all, ...rest] = out.split("\n");
    expect({ code, hello, name, rest }).toEqual({
      code: 0,
      hello: "Hello! I keep a sleep diary. What is your name, and when did you go to bed last night?",
      name: "Nice to meet you, Ada. When did you go to bed last night, and when did you wake up?",
      rest: [""],
    });
    expect(night).toMatch(/^Noted, Ada: in bed at 23:40 on the night of \d{4}-\d\d-\d\d\.$/);
    expect(all).toMatch(/^This is all I know: your name is Ada; /);
    expect(err.split("\n")[0]).toMatch(
      /^The agent "diary" answers with "diary rules \(offline, no language model\)"\. To use a language model: throughline chat --agent \S+agent\.ts --model <name>$/,
    );
    expect(documentOf(["state", "get"], { cwd })).toMatchObject({ state: { user_name: "Ada", nights: [{ bed: "23:40" }], streak: 1 } });
    expect(existsSync(join(cwd, ".throughline", "throughline.db"))).toBe(true);
  });

  test("begins a new session, unless one is named", () => {
    const cwd = newFolder();
    const first = idOf(say(cwd, ["I'm Ada"]).err);
    expect(say(cwd, ["what is my name?"]).out).toBe("You have not told me your name yet.\n");
    expect(say(cwd, ["what is my name?"], ["--session", first]).out).toBe("Your name is Ada.\n");
    expect(documentOf(["sessions", "list"], { cwd })).toMatchObject({ total: 2 });
  });

  test("without a line, nothing is said and no session made", () => {
    const cwd = newFolder();
    const { code, out } = say(cwd, []);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(documentOf(["sessions", "list"], { cwd })).toEqual({ sessions: [], total: 0, next_cursor: null });
    expect(documentOf(["chat", ...diary], { cwd })).toEqual({ session_id: null, turns: [] });
  });

  test("answers a line before the next one comes", async () => {
    const live = start(["chat", ...diary], { cwd: newFolder() });
    live.write("I'm Ada\n");
    const at = await live.until("Nice to meet you, Ada.");
    live.write("thanks\n");
    await live.until("You are welcome, Ada.", at);
    live.child.stdin.end();
    expect(await live.ended).toEqual({ code: 0, signal: null });
  });

  test("a last line without its end, an interior NUL and a byte order mark are messages", () => {
    const { out } = run(["chat", ...diary], { cwd: newFolder(), input: "\uFEFFI'm Ada\nth\u0000anks\nthanks" });
    expect(out.split("\n").filter((line) => line.startsWith("You are welcome"))).toHaveLength(1);
    expect(out.split("\n").filter((line) => line !== "")).toHaveLength(3);
    expect(out).toMatch(/^Nice to meet you, Ada\./);
  });

  test("commands speak on the other stream; what only looks like one is a message", () => {
    const cwd = newFolder();
    const { code, out, err } = say(
      cwd,
      ["/state", "/etc/hosts is a file", "//state", "/state now", "/rewind", "/rewind 2", "/help", "/exit", "never"],
      ["--agent", echoAgent(cwd)],
    );
    expect({ code, out }).toEqual({ code: 0, out: "re: /etc/hosts is a file\nre: /state\nre: /state now\n" });
    expect(err).toContain("{}");
    expect(err).toContain("Withdrew 1 turn:\n  − user: /state now\n");
    expect(err).toContain("Withdrew 2 turns:");
    expect(err).toContain("/crash");
    expect(documentOf(["events", "list", "--kinds", "message"], { cwd })).toMatchObject({ events: [] });
  });

  test("--json is one document", () => {
    const cwd = newFolder();
    const { code, out } = run(["chat", "--json", "--agent", echoAgent(cwd)], { cwd, input: "one\nfail\n" });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      session_id: expect.stringMatching(/^ses_/) as string,
      turns: [
        { message: "one", status: "completed", reply: "re: one", offset: 1 },
        { message: "fail", status: "failed", reply: expect.stringMatching(/^Sorry/) as string, error: { code: "model.failed" } },
      ],
    });
  });

  test("a failed turn apologises, the conversation goes on, and the code at the end is 1", () => {
    const cwd = newFolder();
    const { code, out, err } = say(cwd, ["fail", "still there?"], ["--agent", echoAgent(cwd)]);
    expect({ code, out }).toEqual({
      code: 1,
      out: "Sorry, something went wrong on my side. Your message is kept; please try again in a moment.\nre: still there?\n",
    });
    expect(err).toContain("The turn failed:");
    expect(err).toContain("(model.failed)");
    expect(err).not.toMatch(/^\s+at /m);
  });

  test("a message that nobody can take ends it with the error's own code", () => {
    const { code, err } = run(["chat", ...diary], { cwd: newFolder(), input: `${"x".repeat(100_001)}\n` });
    expect(code).toBe(2);
    expect(err).toContain("(input.invalid)");
  });

  test("ends although the agent's module left a timer open", () => {
    const cwd = newFolder();
    expect(say(cwd, ["hi"], ["--agent", echoAgent(cwd, "setInterval(() => {}, 1000);")])).toMatchObject({ code: 0, out: "re: hi\n" });
  });

  test("Ctrl-C stops the turn and leaves", async () => {
    const cwd = newFolder();
    echoAgent(cwd);
    writeFileSync(
      join(cwd, "slow.ts"),
      `import { agent as echo } from "./echo.ts"; export const agent = { ...echo, reply: { ...echo.reply, run: async (turn) => { await turn.write("begun"); await new Promise((_, reject) => turn.signal.addEventListener("abort", () => reject(turn.signal.reason))); } } };`,
    );
    const live = start(["chat", "--agent", "slow.ts"], { cwd });
    live.write("one\ntwo\n");
    await live.until("new session");
    for (let tries = 0; !JSON.stringify(documentOf(["events", "list"], { cwd })).includes("typing") && tries < 20; tries++);
    live.child.kill("SIGINT");
    expect(await live.ended).toEqual({ code: 130, signal: null });
    expect(documentOf(["events", "list", "--kinds", "message,turn"], { cwd })).toMatchObject({
      events: [
        { data: { parts: [{ text: "one" }] } },
        { data: { type: "started" } },
        { data: { type: "ended", outcome: { status: "stopped", reason: "user_requested" } } },
      ],
    });
  });

  test("Ctrl-C while an earlier turn is resumed leaves too, without waiting for a line", async () => {
    const cwd = newFolder();
    echoAgent(cwd);
    writeFileSync(
      join(cwd, "slow.ts"),
      `import { agent as echo } from "./echo.ts"; export const agent = { ...echo, reply: { ...echo.reply, run: async (turn) => { await turn.write("begun"); await new Promise((_, reject) => turn.signal.addEventListener("abort", () => reject(turn.signal.reason))); } } };`,
    );
    const killed = start(["chat", "--agent", "slow.ts"], { cwd });
    killed.write("one\n");
    await killed.until("new session");
    for (let tries = 0; !JSON.stringify(documentOf(["events", "list"], { cwd })).includes("typing") && tries < 20; tries++);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const live = start(["chat", "--agent", "slow.ts", "--session", idOf(killed.text())], { cwd });
    await live.until("Resuming turn 1");
    live.child.kill("SIGINT");
    expect(await live.ended).toEqual({ code: 130, signal: null });
  });

  test("whoever ends the process leaves the turn to the next start", async () => {
    const cwd = newFolder();
    echoAgent(cwd);
    const slow = (rest: string): void =>
      writeFileSync(
        join(cwd, "slow.ts"),
        `import { agent as echo } from "./echo.ts"; export const agent = { ...echo, reply: { ...echo.reply, run: async (turn) => { ${rest} return echo.reply.run(turn); } } };`,
      );
    slow(`await turn.write("begun"); await new Promise((_, reject) => turn.signal.addEventListener("abort", () => reject(turn.signal.reason)));`);
    const live = start(["chat", "--agent", "slow.ts"], { cwd });
    live.write("one\n");
    await live.until("new session");
    for (let tries = 0; !JSON.stringify(documentOf(["events", "list"], { cwd })).includes("typing") && tries < 20; tries++);
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 143, signal: null });
    slow("");
    expect(say(cwd, ["two"], ["--agent", "slow.ts", "--session", idOf(live.text())])).toMatchObject({ code: 0, out: "re: one\nre: two\n" });
  });

  test("a person who has the session is not answered over", () => {
    const cwd = newFolder();
    const agent = echoAgent(cwd);
    const id = idOf(say(cwd, ["hi"], ["--agent", agent]).err);
    writeFileSync(
      join(cwd, "manual.ts"),
      `import { agent } from "./echo.ts"; import { createRuntime, openStore } from ${JSON.stringify(join(root, "packages/throughline/src/index.ts"))};
      const store = await openStore(".throughline/throughline.db"); const runtime = await createRuntime({ store, agents: [agent] });
      await (await runtime.sessions.get("${id}")).setMode("manual"); await runtime.close(); await store.close(); export {};`,
    );
    // The module changes the mode when it is loaded; that it exports no agent is said afterwards.
    expect(run(["chat", "--agent", "manual.ts"], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining("exports no agent") as string });
    const { code, out, err } = say(cwd, ["anyone?"], ["--agent", agent, "--session", id]);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain("A person has this session");
  });
});

describe.skipIf(noPostgres !== undefined)(`on PostgreSQL${noPostgres === undefined ? "" : ` (skipped: ${noPostgres})`}`, () => {
  test("THROUGHLINE_DB names a database, and its password is never shown", async () => {
    const url = await newPostgresDatabase();
    const cwd = newFolder();
    const env = { THROUGHLINE_DB: url };
    const { password } = new URL(url);
    const first = run(["chat", ...diary], { cwd, env, input: "I'm Ada\n" });
    const second = run(["chat", ...diary, "--session", idOf(first.err)], { cwd, env, input: "what is my name?\n" });
    expect([first.code, second.out]).toEqual([0, "Your name is Ada.\n"]);
    const report = run(["doctor", ...diary], { cwd, env });
    expect(report).toMatchObject({ code: 0 });
    expect(first.err + second.err + report.out + report.err).not.toContain(`:${password}@`);
    expect(existsSync(join(cwd, ".throughline"))).toBe(false);
  });

  test("a crash is survived there, too: the lease of the killed process runs out", async () => {
    const url = await newPostgresDatabase();
    const cwd = newFolder();
    const crashed = run(["chat", ...diary, "--db", url], { cwd, input: "/crash\nI'm Ada\n" });
    expect(crashed).toMatchObject({ signal: "SIGKILL", out: "" });
    // The time passes: what holds the turn back is this alone.
    const held = await runSql(url, "UPDATE throughline.sessions SET lease_until = 0 WHERE lease_until > 0 RETURNING 1");
    expect(held).toHaveLength(1);
    const resumed = run(["chat", ...diary, "--db", url, "--session", idOf(crashed.err)], { cwd, input: "what is my name?\n" });
    expect(resumed.out).toBe("Nice to meet you, Ada. When did you go to bed last night, and when did you wake up?\nYour name is Ada.\n");
  });
});
