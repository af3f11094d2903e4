/** A folder with a configuration in it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Loaded, loadSettings } from "../../packages/server/src/config/load-settings.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";

export interface Place {
  readonly folder: string;
  readonly write: (name: string, text: string) => string;
  readonly load: (environment?: Readonly<Record<string, string>>) => Loaded;
  /** The lines of what is refused, without the first, which only counts them. */
  readonly refused: (environment?: Readonly<Record<string, string>>) => readonly string[];
}

/** `yaml` is throughline.yaml; there is none if it is left out. */
export function place(yaml?: string): Place {
  const folder = mkdtempSync(join(tmpdir(), "throughline-config-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  if (yaml !== undefined) write("throughline.yaml", yaml);
  const load = (environment: Readonly<Record<string, string>> = {}): Loaded => loadSettings({ environment, folder });
  const refused = (environment: Readonly<Record<string, string>> = {}): readonly string[] => {
    try {
      load(environment);
    } catch (error) {
      if (ThroughlineError.is(error, "config.invalid")) return error.message.split("\n").slice(1);
      throw error;
    }
    throw new Error("It was accepted.");
  };
  return { folder, write, load, refused };
}
