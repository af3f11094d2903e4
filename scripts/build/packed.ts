/** The packages as people get them: built and packed, and a folder that installs the tarballs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackages } from "./package.ts";

/** Milliseconds of a minute. */
export const minutes = 60_000;

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with nothing but what `npm install` of the tarballs puts there. */
export class Consumer {
  readonly home: string;

  /** In a new folder, if none is named. */
  constructor(home: string = mkdtempSync(join(tmpdir(), "throughline-consumer-"))) {
    this.home = home;
  }

  run(command: string, args: readonly string[], input = ""): Outcome {
    const env = { ...process.env, FORCE_COLOR: "0", npm_config_audit: "false", npm_config_update_notifier: "false" };
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: this.home, encoding: "utf8", env, input, timeout: 4 * minutes });
    return { status, stdout, stderr };
  }
  /** npm by the file that runs these tests, so that no other version is taken. */
  npm(...args: readonly string[]): Outcome {
    return this.npmWith("", args);
  }
  /** npm with this input. */
  npmWith(input: string, args: readonly string[]): Outcome {
    const { npm_execpath: npm } = process.env;
    return npm === undefined ? this.run("npm", args, input) : this.run(process.execPath, [npm, ...args], input);
  }
  install(...what: readonly string[]): void {
    const { status, stderr } = this.npm("install", "--prefer-offline", "--ignore-scripts", "--no-fund", "--save-exact", ...what);
    if (status !== 0) throw new Error(`npm install ended with ${status}:\n${stderr}`);
  }
  /** A program in plain JavaScript. */
  program(text: string): Outcome {
    return this.run(process.execPath, ["--input-type=module", "-e", text]);
  }
  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
  place(...names: readonly string[]): string {
    return join(this.home, ...names);
  }
  write(name: string, text: string): string {
    writeFileSync(this.place(name), text);
    return this.place(name);
  }
}

/** Every package, built and packed. */
export interface Packed {
  /** Folder of each built package. */
  readonly folders: readonly string[];
  /** Path of each tarball, by the name of its package. */
  readonly tarballs: ReadonlyMap<string, string>;
  remove(): void;
}

/** Builds and packs every package. */
export function packPackages(): Packed {
  const built = mkdtempSync(join(tmpdir(), "throughline-built-"));
  const packer = new Consumer();
  const folders = buildPackages(join(built, "dist"));
  const tarballs = new Map(
    folders.map((folder) => {
      const { stdout } = packer.npm("pack", folder, "--pack-destination", built, "--json", "--loglevel", "error");
      // Some versions of npm answer with a list, others with an object by name.
      const found = Object.values(JSON.parse(stdout) as Readonly<Record<string, { readonly name: string; readonly filename: string }>>)[0];
      return [found?.name ?? "", join(built, found?.filename ?? "")] as const;
    }),
  );
  packer.remove();
  return { folders, tarballs, remove: () => rmSync(built, { recursive: true, force: true }) };
}
