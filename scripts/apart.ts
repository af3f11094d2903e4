import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Runs a program in a folder; ends this one if it fails. */
export function runIn(home: string, file: string, args: readonly string[]): void {
  const { status, error } = spawnSync(file, args, { cwd: home, stdio: "inherit" });
  if (status === 0) return;
  if (error !== undefined) console.error(error.message);
  process.exit(status ?? 1);
}

/** Installs the packages of a folder that has a manifest and a lock file of its own, once, without install scripts: what runs there needs none. */
export function installApart(home: string, notice: string): void {
  if (existsSync(join(home, "node_modules/.package-lock.json"))) return;
  console.error(notice);
  const { npm_execpath: npm } = process.env;
  const args = ["ci", "--ignore-scripts"];
  if (npm === undefined) runIn(home, "npm", args);
  else runIn(home, process.execPath, [npm, ...args]);
}
