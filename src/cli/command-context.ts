/** What every command receives, and how it asks before something is deleted for good. */
import { createInterface } from "node:readline";
import type { Places } from "../config/places.ts";
import type { Settings } from "../config/config-settings.ts";
import type { WriterContext } from "throughline/internal";
import { type Clock, ThroughlineError, createIds, silentLogger } from "throughline/kernel";
import type { Store } from "throughline";
import type { Output } from "./command-output.ts";
import { type DatabasePlace, openLocation } from "./location.ts";

/** What every command is given. */
export interface CommandContext extends DatabasePlace {
  readonly output: Output;
  /** Whether somebody named it. */
  readonly located: boolean;
  readonly clock: Clock;
  readonly stdin: NodeJS.ReadStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Options, besides the database, that starting again needs. */
  readonly again?: readonly string[];
}

/** What a command is given, once it asks: where the database is may stand in a configuration. */
export type Context = () => Promise<CommandContext>;

/** What a command is given that looks at no database. */
export type PlainContext = Pick<CommandContext, "output" | "clock" | "environment"> & { readonly places: Places };

/** What a command is given that runs until it is told to end. */
export interface ServiceContext extends CommandContext {
  readonly settings: Settings;
  /** The configuration that the settings are from, if there is one. */
  readonly file: string | undefined;
}

/** Opens the database, gives it to `work`, and closes it. It must be there, unless `create` is true. */
export async function withStore<Result>(
  context: CommandContext,
  work: (store: Store) => Promise<Result>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<Result> {
  const store = await openLocation(context, { create });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What a command writes to a store with, where it needs no agent. */
export const writerOf = (store: Store, { clock }: Pick<CommandContext, "clock">): WriterContext => ({
  store,
  clock,
  ids: createIds({ clock }),
  logger: silentLogger,
});

/**
 * Goes on only if the next line is exactly the word: `y`, `yes` and the word in capitals are no. A pipe may say it, too; `cli.usage` if it is not said, so that a
 * script does not take it for done.
 */
export async function confirmByWord(
  { output, stdin }: CommandContext,
  { word, what }: { readonly word: string; readonly what: string },
): Promise<void> {
  output.err.line(`${what} Type ${output.err.paint("bold", word)} to go on:`);
  const reader = createInterface({ input: stdin, terminal: false });
  const said = await new Promise<string | undefined>((resolve) => {
    reader.once("line", resolve).once("close", () => resolve(undefined));
  });
  reader.close();
  if (said === word) return;
  throw new ThroughlineError("cli.usage", `Nothing was done: that takes the word ${word}.`, { hint: "In a script, pass --yes." });
}
