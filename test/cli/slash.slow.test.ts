/** The commands of a chat about threads, modes, traces and colors, and hints that lead back to the same database. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseSlash, slashNames, unknownCommand } from "../../packages/server/src/cli/chat/slash.ts";
import { newFolder, run } from "./run-cli.ts";

const talk = (cwd: string, lines: readonly string[], words: readonly string[] = []) =>
  run(["chat", ...words], { cwd, input: lines.map((line) => `${line}\n`).join("") });

describe("names of commands", () => {
  test("short names stand for the commands that /help names with them", () => {
    const long = Object.fromEntries(["h", "s", "m", "k", "t", "q", "c"].map((word) => [word, (parseSlash(`/${word}`) as { name: string }).name]));
    expect(long).toEqual({ h: "help", s: "status", m: "memory", k: "keys", t: "threads", q: "exit", c: "context" });
    expect(parseSlash("/RESUME  2 ")).toEqual({ name: "resume", argument: "2" });
    expect(parseSlash("/x")).toBe("unknown");
    expect(slashNames).toContain("/threads");
  });

  test.each([
    ["/statsu", "/status"],
    ["/thread", "/threads"],
    ["/resum 2", "/resume"],
    ["/safty", "/safety"],
    ["/inc", "/incognito"],
    ["/theem dark", "/theme"],
  ])("%s is answered with %s", (line, near) => {
    expect(unknownCommand(line)).toContain(`Did you mean ${near}?`);
  });

  test("what resembles nothing gets no suggestion", () => {
    expect(unknownCommand("/weltschmerz")).not.toContain("Did you mean");
  });
});

describe("threads", () => {
  test("/new starts one, /threads lists both, /resume goes back by number and to the one before", () => {
    const cwd = newFolder();
    const { err, code } = talk(cwd, ["first words", "/new", "second words", "/threads", "/resume 2", "/status", "/resume", "/resume 9"]);
    expect(code).toBe(0);
    const [first, second] = [...new Set(err.match(/ses_[0-9a-z]{26}/gu))];
    // How long ago depends on how busy the machine is.
    const ago = "(?:now|\\d+ \\w+ ago)";
    expect(err).toMatch(new RegExp(`1 here +${second} +${ago} +second words\\n2 +${first} +${ago} +first words`, "u"));
    expect(err).toMatch(new RegExp(`Resumed thread ${first}[^]*you › first words[^]*thread +${first}[^]*Resumed thread ${second}`, "u"));
    expect(err).toContain("There is no thread 9");
  });

  test("a thread of another customer is not resumed, and a new one has the customer of the one before", () => {
    const cwd = newFolder();
    const other = talk(cwd, ["of bob"], ["--customer", "bob"]).err.match(/ses_[0-9a-z]{26}/u)?.[0] ?? "";
    const { err } = talk(cwd, ["of ada", "/new incognito", "/status", "/threads", `/resume ${other}`], ["--customer", "ada"]);
    expect(err).toMatch(/customer +ada\nincognito +yes/u);
    expect(err.split("LAST WORDS")[1]).not.toContain("of bob");
    expect(err).toContain("(session.not_found)");
  });
});

describe("what answers and what is shown of it", () => {
  test("/mode deterministic answers by rules although a model is named, and auto returns to the model", () => {
    const model = ["--model", "tiny", "--base-url", "http://127.0.0.1:9/v1"];
    const { err, out, code } = talk(newFolder(), ["/mode deterministic", "hello there", "/mode", "/mode hybrid", "/mode auto"], model);
    expect({ code, replies: out.trim().split("\n").length }).toEqual({ code: 0, replies: 1 });
    expect(err).toMatch(/deterministic: companion rules \(offline[^\n]*although a model is named/u);
    expect(err).toMatch(/There is no mode hybrid/u);
    expect(err.trim().split("\n").at(-1)).toMatch(/^auto: .*tiny/u);
    expect(talk(newFolder(), ["hi", "/mode"], [...model, "--mode", "deterministic"])).toMatchObject({ code: 0 });
    expect(talk(newFolder(), ["/mode"]).err.replaceAll(/\s+/gu, " ")).toContain("throughline chat --model <name>");
  });

  test("/trace once shows the decisions under the next reply only, on under each, and alone of the last", () => {
    const { err } = talk(newFolder(), ["/trace once", "hello", "again", "/trace on", "and now", "/trace"]);
    expect(err.match(/^STAGE +DECISION/gmu)).toHaveLength(3);
    expect(err).toMatch(/^crisis gate +normal +gate/mu);
    expect(err).toMatch(/^whole turn [\d.]+ ms$/mu);
    expect(err).toContain("Decisions under replies: on.");
  });

  test("/theme names the colors and says why there are none", () => {
    const { err } = talk(newFolder(), ["/theme light", "/theme"], ["--theme", "contrast"]);
    expect(err).toContain("theme light of dark, light, contrast, none");
    expect(err).toContain("Colors are off");
    expect(run(["chat", "--theme", "pink"], { cwd: newFolder() }).code).toBe(2);
  });
});

describe("a hint that names a command", () => {
  test("carries the --db that was given, and only then", () => {
    const cwd = newFolder();
    expect(run(["sessions", "list", "--db", "my data.db"], { cwd }).err).toContain("`throughline chat --db 'my data.db'`");
    expect(run(["sessions", "list", "--json", "--db", "x.db"], { cwd }).out).toContain("`throughline chat --db x.db`");
    expect(run(["sessions", "list"], { cwd }).err).toContain("`throughline chat`");
    const keys = run(["keys", "create", "--name", "a", "--scope", "sessions:read", "--db", "x.db"], { cwd });
    expect(keys.err).toMatch(/`throughline keys revoke \S+ --db x\.db`/u);
    expect(run(["doctor", "--db", "none.db"], { cwd }).out).toContain("there is none at none.db");
  });

  test("a folder that a database needs is created, and that is said", () => {
    const cwd = newFolder();
    const { err } = talk(cwd, ["hi"], ["--db", "deep/down/x.db"]);
    expect(err).toContain("The folder deep/down did not exist and was created");
    expect(existsSync(join(cwd, "deep/down/x.db"))).toBe(true);
    expect(talk(cwd, ["hi"], ["--db", "deep/down/x.db"]).err).not.toContain("did not exist");
    expect(talk(newFolder(), ["hi"]).err).not.toContain("did not exist");
  });
});
