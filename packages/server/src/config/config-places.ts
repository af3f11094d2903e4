/** Locates the configuration. This module imports little, so that commands without a configuration start fast. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** The default file. */
export const defaultFile = "throughline.yaml";

/** The prefix of environment variables that set keys. */
export const prefix = "THROUGHLINE__";

/** The places where a configuration may be. */
export interface Places {
  /** The file; by default the one in `THROUGHLINE_CONFIG`, else `throughline.yaml` if it exists. */
  readonly file?: string | undefined;
  readonly environment: NodeJS.ProcessEnv;
  /** The folder for relative paths outside the file. */
  readonly folder: string;
}

/** The file to read: the named one, or the default one if it exists. */
export function fileOf({ file, environment, folder }: Places): string | undefined {
  const named = file ?? (environment["THROUGHLINE_CONFIG"]?.trim() || undefined);
  return named ?? (existsSync(resolve(folder, defaultFile)) ? defaultFile : undefined);
}

/** Whether a file or the environment contains any configuration. */
export const isConfigured = (places: Places): boolean =>
  fileOf(places) !== undefined || Object.keys(places.environment).some((name) => name.startsWith(prefix));
