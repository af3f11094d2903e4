/** Where a configuration is looked for. It loads nothing, so that what is not configured does not wait for it. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** The default file. */
export const defaultFile = "throughline.yaml";

/** Variables of the environment that make settings begin with this. */
export const prefix = "THROUGHLINE__";

/** Where a configuration is looked for. */
export interface Places {
  /** The file; else the one that `THROUGHLINE_CONFIG` names, else `throughline.yaml` if there is one. */
  readonly file?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** What a path is relative to that is not written in the file. */
  readonly folder: string;
}

/** The file to read: the named one, or the default one if it exists. */
export function fileOf({ file, environment, folder }: Places): string | undefined {
  const named = file ?? (environment["THROUGHLINE_CONFIG"]?.trim() || undefined);
  return named ?? (existsSync(resolve(folder, defaultFile)) ? defaultFile : undefined);
}

/** Whether anything is configured, by a file or by the environment. */
export const isConfigured = (places: Places): boolean =>
  fileOf(places) !== undefined || Object.keys(places.environment).some((name) => name.startsWith(prefix));
