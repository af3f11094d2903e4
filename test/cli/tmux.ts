/** The real command line in a real terminal: tmux draws the screen, and a test reads what is on it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { widthOf } from "../../packages/server/src/cli/terminal-text.ts";
import { hangMs } from "../setup/limits.ts";
import { main } from "./run-cli.ts";

/** Why screen tests are skipped; undefined if they run. */
export const noTmux: string | undefined = (() => {
  const { status } = spawnSync("tmux", ["-V"], { encoding: "utf8" });
  return status === 0 ? undefined : "needs tmux";
})();

export interface Pane {
  /** The lines of the screen, without blanks at their ends. */
  screen(): readonly string[];
  /** The screen and what was scrolled away. */
  all(): string;
  /** The screen with its colors. */
  colored(): string;
  /** Waits until the screen holds something, and returns its lines. */
  until(wanted: RegExp): Promise<readonly string[]>;
  /** Types text without Enter. */
  type(text: string): void;
  /** Presses a key that tmux names. */
  press(key: string): void;
  /** Types a line with Enter. */
  say(text: string): void;
  /** Pastes a text as a terminal does. */
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The process of the command line. */
  pid(): number;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts `throughline` in a terminal of its own. The line `over <code>` follows its end. */
export function startInTmux(
  words: readonly string[],
  given: { readonly cwd: string; readonly columns: number; readonly rows?: number; readonly env?: Readonly<Record<string, string>> },
): Pane {
  const folder = mkdtempSync(join(tmpdir(), "throughline-tmux-"));
  const socket = join(folder, "socket");
  const tmux = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync("tmux", ["-f", "/dev/null", "-S", socket, ...args], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8", TMUX: undefined },
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  };
  const env = { OLLAMA_HOST: "127.0.0.1:9", THROUGHLINE_DB: "", THROUGHLINE_MODEL: "", NO_COLOR: "", npm_lifecycle_event: "", ...given.env };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const command = `env ${variables.join(" ")} ${[process.execPath, main, ...words].map(quoted).join(" ")}; echo "over $?"; exec sleep 1000`;
  tmux("new-session", "-d", "-x", String(given.columns), "-y", String(given.rows ?? 30), "-c", given.cwd, command);
  onTestFinished(() => {
    spawnSync("tmux", ["-S", socket, "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  });
  const screen = (): readonly string[] =>
    tmux("capture-pane", "-p")
      .split("\n")
      .map((line) => line.trimEnd());
  return {
    screen,
    all: () => tmux("capture-pane", "-p", "-S", "-"),
    colored: () => tmux("capture-pane", "-p", "-e"),
    async until(wanted) {
      for (const end = Date.now() + hangMs; ;) {
        const lines = screen();
        if (wanted.test(lines.join("\n"))) return lines;
        if (Date.now() > end) throw new Error(`no ${String(wanted)} on the screen:\n${lines.join("\n")}`);
        await delay(50);
      }
    },
    type: (text) => void tmux("send-keys", "-l", "--", text),
    press: (key) => void tmux("send-keys", key),
    say: (text) => {
      tmux("send-keys", "-l", "--", text);
      tmux("send-keys", "Enter");
    },
    paste: (text) => {
      tmux("set-buffer", text);
      tmux("paste-buffer", "-p");
    },
    resize: (columns, rows) => void tmux("resize-window", "-x", String(columns), "-y", String(rows)),
    pid: () => Number(spawnSync("pgrep", ["-P", tmux("display-message", "-p", "#{pane_pid}").trim()], { encoding: "utf8" }).stdout.trim()),
  };
}

/** The widest line, in columns. */
export const widest = (lines: readonly string[]): number => Math.max(...lines.map(widthOf));
