/** Completions of shells, as real shells run them. A shell that is not installed leaves a check of its script's form. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { completionScript, shells } from "../../packages/server/src/cli/completions.ts";
import { createProgram } from "../../packages/server/src/cli/program.ts";
import { command } from "./in-process.ts";
import { newFolder } from "./run-cli.ts";

const program = createProgram({ code: 0 } as never);
const descendants = (parent: Command): readonly Command[] => parent.commands.flatMap((child) => [child, ...descendants(child)]);
const isThere = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** Runs a shell with the completions loaded, and returns what each line of words is completed with. */
function complete(
  shell: "bash" | "zsh" | "fish",
  lines: readonly (readonly string[])[],
  files: readonly string[] = [],
): readonly (readonly string[])[] {
  const folder = newFolder();
  for (const file of files) writeFileSync(join(folder, file), "");
  writeFileSync(join(folder, "completions"), completionScript(program, shell));
  const words = (line: readonly string[]): string => ["throughline", ...line].map((word) => `'${word}'`).join(" ");
  const runs = {
    bash: `. ./completions; of() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _throughline; echo "\${COMPREPLY[@]}"; }\n${lines.map((line) => `of ${words(line)}`).join("\n")}`,
    zsh: `_describe() { shift 2; print -l -- \${\${(P)1}%%:*}; }; compadd() { shift; print -l -- "$@"; }; _files() { print -l -- *; }; compdef() { :; }
      . ./completions; of() { words=("$@"); CURRENT=$#; print -r -- $(_throughline); }\n${lines.map((line) => `of ${words(line)}`).join("\n")}`,
    fish: `source completions\n${lines.map((line) => `echo (complete -C "throughline ${line.join(" ")}" | string replace -r '\\t.*' '')`).join("\n")}`,
  };
  const flags = { bash: ["--norc", "--noprofile"], zsh: ["-f"], fish: ["--no-config"] }[shell];
  const { stdout, stderr, status } = spawnSync(shell, [...flags, "-c", runs[shell]], { cwd: folder, encoding: "utf8" });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.split(" ").filter((word) => word !== ""));
}

/** What is offered after some words, by what begins like the last of them. */
const cases: readonly (readonly [words: readonly string[], offered: readonly string[]])[] = [
  [["se"], ["serve", "sessions"]],
  [["sessions", "s"], ["show"]],
  [["sessions", "show", "--m"], ["--messages"]],
  [
    ["chat", "--theme", ""],
    ["contrast", "dark", "light", "none"],
  ],
  [["--db", "chat", "mem"], ["memory"]],
  [["memory", "list", "--kind", "fact", "--a"], ["--all"]],
  [
    ["memory", "recall", "o"],
    ["off", "on"],
  ],
  [
    ["completions", ""],
    ["bash", "fish", "zsh"],
  ],
];

const startingWith = (offered: readonly string[], words: readonly string[]): readonly string[] => {
  const typed = words.at(-1) ?? "";
  // Of everything that could follow, options are offered only to a hyphen here: shells differ in that.
  return offered.filter((word) => word.startsWith(typed) && (typed.startsWith("-") || !word.startsWith("-"))).toSorted();
};

describe.each(shells)("completions of %s", (shell) => {
  test("name every command and every option of the program", async () => {
    const { out } = await command(["completions", shell], { folder: newFolder() });
    expect(out).toBe(completionScript(program, shell));
    for (const one of descendants(program)) {
      expect(out).toContain(one.name());
      for (const { long } of one.options) expect(out).toContain(shell === "fish" ? `-l ${long?.slice(2)}` : long);
    }
  });

  test.skipIf(!isThere(shell))("offer what the program takes", () => {
    const offered = complete(
      shell,
      cases.map(([words]) => words),
    );
    expect(cases.map(([words], at) => startingWith(offered[at] ?? [], words))).toEqual(cases.map(([, wanted]) => wanted));
  });

  test.skipIf(!isThere(shell))("offer files where a file is taken", () => {
    const lines = [
      ["--db", ""],
      ["sessions", "import", ""],
      ["chat", "--agent", ""],
    ];
    for (const offered of complete(shell, lines, ["here.db"])) expect(offered).toContain("here.db");
  });

  // zsh shares the grammar of what the script uses with bash; of fish, blocks are counted.
  test.skipIf(isThere(shell))("are well-formed, as far as can be seen without the shell", () => {
    const script = completionScript(program, shell);
    if (shell === "fish") {
      const opened = script.match(/^\s*(?:function|for|if|switch) /gmu) ?? [];
      expect(script.match(/^\s*end$/gmu)).toHaveLength(opened.length);
      for (const line of script.split("\n"))
        expect(line.replaceAll(/\\./gu, "").match(/'/gu)?.length ?? 0).toSatisfy((count: number) => count % 2 === 0);
    } else {
      const { status, stderr } = spawnSync("bash", ["-n"], { input: script, encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    }
  });
});

test("another shell is refused", async () => {
  expect((await command(["completions", "tcsh"], { folder: newFolder() })).error).toBe("cli.usage");
});
