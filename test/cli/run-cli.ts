/** The real command line, as a child process. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { root } from "../../scripts/root.ts";
import { hangMs } from "../setup/limits.ts";

export const main = join(root, "packages/server/src/cli/main.ts");

/** Names the example diary, whose rules say the same every time. */
export const diary = ["--agent", join(root, "examples", "diary", "agent.ts")] as const;

/** The environment without what a developer may have set. */
const environment = (extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => {
  const {
    THROUGHLINE_DB: _db,
    THROUGHLINE_DEBUG: _debug,
    THROUGHLINE_MODEL: _model,
    THROUGHLINE_BASE_URL: _url,
    THROUGHLINE_API_KEY: _key,
    THROUGHLINE_CONFIG: _config,
    npm_lifecycle_event: _event,
    NO_COLOR: _colour,
    FORCE_COLOR: _force,
    ...rest
  } = process.env;
  // Nobody listens there: what runs on a developer's machine is not offered.
  return { ...rest, OLLAMA_HOST: "127.0.0.1:9", ...extra };
};

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** An empty folder, removed when the test ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "throughline-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a command line to its end. */
export function run(
  words: readonly string[],
  options: { readonly cwd: string; readonly input?: string; readonly env?: Readonly<Record<string, string>> },
): Ran {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
    cwd: options.cwd,
    input: options.input ?? "",
    env: environment(options.env),
    encoding: "utf8",
    timeout: hangMs,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, signal, out: stdout, err: stderr };
}

/** Runs a command line while others run. */
export async function runBeside(
  words: readonly string[],
  options: { readonly cwd: string; readonly input?: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...words], {
    cwd: options.cwd,
    env: environment(options.env),
    timeout: hangMs,
  });
  child.stdin.end(options.input ?? "");
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, out, err })));
}

/** Talks through a pipe: with the diary, if no agent is named. */
export const say = (cwd: string, lines: readonly string[], words: readonly string[] = []): Ran =>
  run(["chat", ...(words.includes("--agent") ? [] : diary), ...words], { cwd, input: lines.map((line) => `${line}\n`).join("") });

/** The JSON document that a command prints. */
export function documentOf(words: readonly string[], options: { readonly cwd: string; readonly input?: string }): unknown {
  return JSON.parse(run([...words, "--json"], options).out);
}

/** A command line that goes on while the test looks. */
export interface Live {
  readonly child: ChildProcessWithoutNullStreams;
  /** What was written so far, without control sequences. */
  text(): string;
  raw(): string;
  write(text: string): void;
  /** Waits until the text holds something after `from`; the position behind it. */
  until(wanted: string | RegExp, from?: number): Promise<number>;
  ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

function live(child: ChildProcessWithoutNullStreams): Live {
  let raw = "";
  const listeners = new Set<() => void>();
  const take = (chunk: string): void => {
    raw += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  child.stdin.on("error", () => {});
  onTestFinished(() => void child.kill("SIGKILL"));
  const text = (): string => stripVTControlCharacters(raw).replaceAll("\r", "");
  const find = (wanted: string | RegExp, from: number): number => {
    const rest = text().slice(from);
    const match = typeof wanted === "string" ? (rest.includes(wanted) ? { index: rest.indexOf(wanted), 0: wanted } : null) : wanted.exec(rest);
    return match === null ? -1 : from + match.index + match[0].length;
  };
  return {
    child,
    text,
    raw: () => raw,
    write: (line) => void child.stdin.write(line),
    until: (wanted, from = 0) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => done(() => reject(new Error(`no ${String(wanted)} in:\n${text().slice(from)}`))), hangMs);
        const done = (settle: () => void): void => {
          clearTimeout(timer);
          listeners.delete(look);
          settle();
        };
        const look = (): void => {
          const at = find(wanted, from);
          if (at !== -1) done(() => resolve(at));
        };
        listeners.add(look);
        look();
      }),
    ended: new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal }))),
  };
}

/** Starts a command line with pipes. */
export const start = (words: readonly string[], options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> }): Live =>
  live(spawn(process.execPath, [main, ...words], { cwd: options.cwd, env: environment(options.env) }));

/** Gives a child a terminal of its own. */
const script: string = "script";

/** Why tests at a terminal are skipped; undefined if they run. */
export const noTerminal: string | undefined = (() => {
  const { status, stdout } = spawnSync(script, ["--version"], { encoding: "utf8" });
  return status === 0 && stdout.includes("util-linux") ? undefined : "needs `script` of util-linux";
})();

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts a command line at a terminal of 80 columns. */
export function startAtTerminal(
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>>; readonly columns?: number },
): Live {
  const command = [process.execPath, main, ...words].map(quoted).join(" ");
  const sized = `stty cols ${options.columns ?? 80} rows 30 -echo; exec ${command}`;
  return live(
    spawn(script, ["-qfec", sized, "/dev/null"], {
      cwd: options.cwd,
      env: environment({ TERM: "xterm-256color", SHELL: "/bin/sh", ...options.env }),
    }),
  );
}
