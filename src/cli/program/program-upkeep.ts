import type { Command } from "commander";
import { parseDuration, whole } from "../arguments.ts";
import type { Context } from "../context.ts";

const positive = whole(1);

/** Commands that take data away, out, in and back. */
export function addUpkeep(program: Command, sessions: Command, context: Context): void {
  addErasures(program, context);
  addRetention(program, context);
  addBundles(program, sessions, context);
  addBackups(program, context);
}

function addErasures(program: Command, context: Context): void {
  program
    .command("erase")
    .description("erase a customer with all sessions, or one session")
    .option("--customer <id>", "the customer's id as the integration gave it")
    .option("--session <id>", "id of a session")
    .action(async (options: { customer?: string; session?: string }) => (await import("../commands/erase.ts")).erase(await context(), options));
  const erasures = program.command("erasures").description("receipts of what was erased; they name nobody");
  erasures
    .command("list")
    .description("receipts, newest first")
    .option("--limit <count>", "at most so many", whole(1, 100), 20)
    .option("--cursor <cursor>", "go on where a page ended")
    .action(async (options: { limit: number; cursor?: string }) => (await import("../commands/erase.ts")).listErasures(await context(), options));
  erasures
    .command("export")
    .description("the list that a restored backup is brought up to date with, on standard output")
    .action(async () => (await import("../commands/erase.ts")).exportErasures(await context()));
  erasures
    .command("replay")
    .description("erase again whatever a list names")
    .argument("<file>", "what `erasures export` wrote")
    .action(async (file: string) => (await import("../commands/erase.ts")).replayErasures(await context(), file));
  program
    .command("purge")
    .description("take what was erased out of the database's free pages and logs")
    .action(async () => (await import("../commands/upkeep.ts")).purge(await context()));
}

function addRetention(program: Command, context: Context): void {
  program
    .command("retention")
    .description("remove the beginnings of logs; what waits, what runs and what forks share stays")
    .option("--older-than <duration>", "events older than this, such as 90d")
    .option("--keep-events <count>", "all but so many of the newest events of each log", positive)
    .option("--agent-name <name>", "only sessions of this agent")
    .option("--customer <id>", "only sessions of this customer")
    .option("--delete-sessions", "also remove sessions in which nothing has happened for that long")
    .option("--dry-run", "only say what would be removed")
    .action(
      async (options: { olderThan?: string; keepEvents?: number; agentName?: string; customer?: string; deleteSessions?: true; dryRun?: true }) => {
        const { applyRetention } = await import("../commands/upkeep.ts");
        const { olderThan, agentName, ...rest } = options;
        await applyRetention(await context(), {
          ...rest,
          ...(olderThan === undefined ? {} : { olderThanMs: parseDuration(olderThan) }),
          ...(agentName === undefined ? {} : { agent: agentName }),
        });
      },
    );
}

function addBundles(program: Command, sessions: Command, context: Context): void {
  const redacted = ["--redacted", "leave out what people wrote, and keep its shape"] as const;
  sessions
    .command("export")
    .description("a session as lines of JSON on standard output; a fork with all that it shares")
    .argument("<session>", "id of a session")
    .option(...redacted)
    .action(async (session: string, options: { redacted?: true }) =>
      (await import("../commands/bundle.ts")).exportLines(await context(), { session, redacted: options.redacted ?? false }),
    );
  sessions
    .command("import")
    .description("sessions from a file of lines, whole or not at all")
    .argument("<file>", "what an export wrote, or - for standard input")
    .option("--keep-ids", "give sessions the ids that they had")
    .action(async (file: string, options: { keepIds?: true }) =>
      (await import("../commands/bundle.ts")).importLines(await context(), file, { keepIds: options.keepIds ?? false }),
    );
  program
    .command("export")
    .description("a customer with memory and all sessions as lines of JSON on standard output")
    .requiredOption("--customer <id>", "the customer's id as the integration gave it")
    .option(...redacted)
    .action(async (options: { customer: string; redacted?: true }) =>
      (await import("../commands/bundle.ts")).exportLines(await context(), { ...options, redacted: options.redacted ?? false }),
    );
}

function addBackups(program: Command, context: Context): void {
  program
    .command("backup")
    .description("copy the database into a new file")
    .argument("<file>", "where the copy is to be")
    .action(async (file: string) => (await import("../commands/upkeep.ts")).backup(await context(), file));
  program
    .command("restore")
    .description("put a backup in the place of the database and erase in it whoever was erased since")
    .argument("<backup>", "what `backup` wrote")
    .argument("[location]", "where the database is or is to be; --db by default")
    .option("--tombstones <file>", "what `erasures export` wrote, where the database itself is gone")
    .option("--without-tombstones", "restore though nothing says who was erased since")
    .action(async (file: string, location: string | undefined, options: { tombstones?: string; withoutTombstones?: true }) =>
      (await import("../commands/upkeep.ts")).restore({ ...(await context()), ...(location === undefined ? {} : { location }) }, file, {
        ...options,
        withoutTombstones: options.withoutTombstones ?? false,
      }),
    );
}
