import type { Clock } from "../kernel/clock.ts";
import type { Store } from "../store/port.ts";
import type { Output } from "./output.ts";
import { openLocation } from "./location.ts";

/** What every command is given. */
export interface CommandContext {
  readonly output: Output;
  /** Where the database is, as it was given: it may hold a password. */
  readonly location: string;
  /** Whether somebody named it. */
  readonly located: boolean;
  /** Where the operator keys of an encrypted database are. */
  readonly keyFile: string | undefined;
  readonly clock: Clock;
  readonly stdin: NodeJS.ReadStream;
  readonly environment: NodeJS.ProcessEnv;
  /** Options, besides the database, that starting again needs. */
  readonly again?: readonly string[];
}

/** Opens the database for reading, gives it to `work`, and closes it. It is not created. */
export async function withStore<Result>(context: CommandContext, work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openLocation(context.location, { create: false, keyFile: context.keyFile });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
