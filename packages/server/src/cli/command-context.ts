/** The context that every command receives, and the confirmation before a permanent deletion. */
import { createInterface } from "node:readline";
import type { Places } from "../config/config-places.ts";
import type { Settings } from "../config/config-settings.ts";
import type { Assignment } from "../config/load-settings.ts";
import { processName, type RuntimeContext, StateCache, type WriterContext } from "throughline/internal";
import { type Clock, ThroughlineError, createIds, noTracer, silentLogger } from "throughline/kernel";
import type { Store } from "throughline";
import type { Output } from "./command-output.ts";
import { type DatabasePlace, openLocation } from "./database-location.ts";

/** The context of a command. */
export interface CommandContext extends DatabasePlace {
  readonly output: Output;
  /** Whether an option or the environment names the database. */
  readonly located: boolean;
  /** The `--db` that the command was given. */
  readonly db?: string;
  readonly clock: Clock;
  readonly stdin: NodeJS.ReadStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Options other than the database's that restarting the command needs. */
  readonly again?: readonly string[];
}

/** Builds a command's context on demand, because locating the database may require reading a configuration. */
export type Context = () => Promise<CommandContext>;

/** The context of a command that opens no database. */
export type PlainContext = Pick<CommandContext, "output" | "clock" | "environment"> & { readonly places: Places };

/** The context of a command that runs until it is stopped. */
export interface ServiceContext extends CommandContext {
  readonly settings: Settings;
  /** The configuration file of the settings, if one exists. */
  readonly file: string | undefined;
}

/** The contexts and the exit code of one run. */
export interface Run {
  readonly context: Context;
  readonly plain: () => PlainContext;
  /** Builds the context of a service command. Flags take precedence over the configuration. */
  readonly service: (flags: readonly Assignment[]) => Promise<ServiceContext>;
  /** Exit code of the command; 0 by default. */
  code: number;
}

/** Opens the database for `work` and closes it afterwards. Throws `store.not_found` if it does not exist, unless `create` is true. */
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

/** Dependencies for writing to a store without an agent. */
export const writerOf = (store: Store, { clock }: Pick<CommandContext, "clock">): WriterContext => ({
  store,
  clock,
  ids: createIds({ clock }),
  logger: silentLogger,
});

/** Maximum size in bytes of an index that is used once. */
const mostBytes = 1024 ** 3;

/** A runtime context without agents or background work. */
export function idleContext(store: Store, context: Pick<CommandContext, "clock">): RuntimeContext {
  const writer = writerOf(store, context);
  return {
    ...writer,
    agents: new Map(),
    resources: {},
    tracer: noTracer,
    lease: { leaseMs: 30_000, heartbeatMs: 5_000 },
    memoryBytes: mostBytes,
    thrown: new Map(),
    leases: new Set(),
    unreleased: new Map(),
    turns: { running: 0, waiting: 0 },
    callbacks: false,
    drive: () => {},
    states: new StateCache({ store, clock: writer.clock }, { mostBytes: 0 }),
    kept: async () => [(await import("throughline/internal/memory")).keptEntries],
    safetySpool: undefined,
    worker: processName(),
  };
}

/**
 * Asks for confirmation and continues only if the next input line is exactly the word. `y`, `yes` and the word in capitals do not count. The answer
 * may come from a pipe. Throws `cli.usage` for any other answer, so that a script does not mistake it for success.
 */
export async function confirmByWord(
  { output, stdin }: CommandContext,
  { word, what }: { readonly word: string; readonly what: string },
): Promise<void> {
  output.err.line(`${what} Type ${output.err.paint("bold", word)} to go on:`);
  const reader = createInterface({ input: stdin, terminal: false });
  const answer = await new Promise<string | undefined>((resolve) => {
    reader.once("line", resolve).once("close", () => resolve(undefined));
  });
  reader.close();
  if (answer === word) return;
  throw new ThroughlineError("cli.usage", `Nothing was done: the confirmation is the word ${word}.`, { hint: "In a script, pass --yes." });
}
