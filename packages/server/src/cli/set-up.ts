/** Resolves a command's database, keys and settings. Options take precedence over the environment, the configuration and the defaults. */
import type { Assignment } from "../config/load-settings.ts";
import { isConfigured, type Places } from "../config/config-places.ts";
import { defaultLocation, systemClock } from "throughline/kernel";
import type { CommandContext, PlainContext, Run } from "./command-context.ts";
import type { Output } from "./command-output.ts";
import { keyFileOf, locationOf } from "./database-location.ts";

/** Options that are valid before or after any command. */
export interface ProgramOptions {
  readonly db?: string;
  readonly keyFile?: string;
  readonly config?: string;
}

/** Builds the contexts for the commands of one run. */
interface SetUp extends Omit<Run, "code"> {
  /** The most recently resolved location. It may contain a password, which messages must hide. */
  location(): string;
}

/** Creates the setup of one run. */
export function createSetUp(given: {
  readonly output: Output;
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
  readonly options: () => ProgramOptions;
}): SetUp {
  const { output, environment, folder, options } = given;
  let location = "";
  const places = (): Places => ({ file: options().config, environment, folder });
  const contextAt = (at: string, located: boolean, keyFile: string | undefined): CommandContext => {
    location = at;
    const { db } = options();
    return { output, location, located, keyFile, clock: systemClock, stdin: process.stdin, environment, ...(db === undefined ? {} : { db }) };
  };
  const service: Run["service"] = async (flags) => {
    const { loadSettings } = await import("../config/load-settings.ts");
    const { db, keyFile } = options();
    const { settings, file } = loadSettings(places(), [...databaseFlag("--db", db), ...flags]);
    const context = contextAt(settings.store?.reveal() ?? defaultLocation, settings.store !== undefined, keyFile ?? settings.encryption.key_file);
    return { ...context, settings, file };
  };
  return {
    location: () => location,
    plain: (): PlainContext => ({ output, clock: systemClock, environment, places: places() }),
    service,
    // With `--db`, the configuration is not read: it may belong to another process and be unreadable for this one.
    context: async () => {
      const { db, keyFile } = options();
      if (db === undefined && isConfigured(places())) return service([]);
      const located = db !== undefined || (environment["THROUGHLINE_DB"]?.trim() ?? "") !== "";
      return contextAt(locationOf(db, environment), located, keyFileOf(keyFile, environment));
    },
  };
}

/** The flag of an option, or none if the option was not passed. */
export const flag = (option: string, key: string, value: unknown): readonly Assignment[] =>
  value === undefined ? [] : [{ path: key.split("."), value, origin: { where: option, secret: true } }];

/** The flag for a database location. Outside a configuration, `memory` is a file name. */
export const databaseFlag = (option: string, location: string | undefined): readonly Assignment[] =>
  flag(option, "store", location === "memory" ? "./memory" : location);
