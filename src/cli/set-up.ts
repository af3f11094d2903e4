/** Where a command finds its database, its keys and its settings: its options, then the environment, then the configuration, then the defaults. */
import type { Assignment } from "../config/load-settings.ts";
import { isConfigured, type Places } from "../config/places.ts";
import { systemClock } from "throughline/kernel";
import type { CommandContext, PlainContext } from "./command-context.ts";
import type { Output } from "./command-output.ts";
import { defaultLocation, keyFileOf, locationOf } from "./location.ts";
import type { Run } from "./program.ts";

/** Options that stand before, or after, any command. */
export interface ProgramOptions {
  readonly db?: string;
  readonly keyFile?: string;
  readonly config?: string;
}

/** What gives the commands of one run their contexts. */
interface SetUp extends Omit<Run, "code"> {
  /** The database that was found last: it may hold a password that no message may show. */
  location(): string;
}

/** What a run is set up with. */
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
    return { output, location, located, keyFile, clock: systemClock, stdin: process.stdin, environment };
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
    // Whoever names the database needs nothing of a configuration that is for another process, and perhaps cannot be read by this one.
    context: async () => {
      const { db, keyFile } = options();
      if (db === undefined && isConfigured(places())) return service([]);
      const located = db !== undefined || (environment["THROUGHLINE_DB"]?.trim() ?? "") !== "";
      return contextAt(locationOf(db, environment), located, keyFileOf(keyFile, environment));
    },
  };
}

/** An option, and what it was given. */
export type Flag = Assignment;

/** The flag of an option, if it was given. */
export const flag = (option: string, key: string, value: unknown): readonly Flag[] =>
  value === undefined ? [] : [{ path: key.split("."), value, origin: { where: option, secret: true } }];

/** A database as it is named outside of a configuration, where `memory` is a file's name. */
export const databaseFlag = (option: string, location: string | undefined): readonly Flag[] =>
  flag(option, "store", location === "memory" ? "./memory" : location);
