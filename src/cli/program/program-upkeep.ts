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
    .option("--limit <count>", "maximum number of items", whole(1, 100), 20)
    .option("--cursor <cursor>", "continue after a page")
    .action(async (options: { limit: number; cursor?: string }) => (await import("../commands/erase.ts")).listErasures(await context(), options));
  erasures
    .command("export")
    .description("write the list of erasures for a restored backup to standard output")
    .action(async () => (await import("../commands/erase.ts")).exportErasures(await context()));
  erasures
    .command("replay")
    .description("repeat the erasures of a list")
    .argument("<file>", "output of `erasures export`")
    .action(async (file: string) => (await import("../commands/erase.ts")).replayErasures(await context(), file));
  program
    .command("purge")
    .description("scrub erased data from the database's free pages and logs")
    .action(async () => (await import("../commands/upkeep.ts")).purge(await context()));
}

function addRetention(program: Command, context: Context): void {
  program
    .command("retention")
    .description("remove the beginnings of logs; waiting, running and shared events stay")
    .option("--older-than <duration>", "events older than this, such as 90d")
    .option("--keep-events <count>", "number of newest events of each log to keep", positive)
    .option("--agent-name <name>", "only sessions of this agent")
    .option("--customer <id>", "only sessions of this customer")
    .option("--delete-sessions", "also remove sessions without events for that long")
    .option("--dry-run", "only show what would be removed")
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
  const redacted = ["--redacted", "replace people's text by its shape"] as const;
  sessions
    .command("export")
    .description("write a session as lines of JSON to standard output; a fork with its shared events")
    .argument("<session>", "id of a session")
    .option(...redacted)
    .action(async (session: string, options: { redacted?: true }) =>
      (await import("../commands/bundle.ts")).exportLines(await context(), { session, redacted: options.redacted ?? false }),
    );
  sessions
    .command("import")
    .description("import sessions from a file of lines, completely or not at all")
    .argument("<file>", "output of an export, or - for standard input")
    .option("--keep-ids", "keep the ids of sessions")
    .action(async (file: string, options: { keepIds?: true }) =>
      (await import("../commands/bundle.ts")).importLines(await context(), file, { keepIds: options.keepIds ?? false }),
    );
  program
    .command("export")
    .description("write a customer with memory and all sessions as lines of JSON to standard output")
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
    .argument("<file>", "file of the copy")
    .action(async (file: string) => (await import("../commands/upkeep.ts")).backup(await context(), file));
  program
    .command("restore")
    .description("replace the database by a backup, and erase in it everyone who was erased since")
    .argument("<backup>", "output of `backup`")
    .argument("[location]", "location of the database; --db by default")
    .option("--tombstones <file>", "output of `erasures export`, if the database itself is lost")
    .option("--without-tombstones", "restore without a list of people who were erased since")
    .action(async (file: string, location: string | undefined, options: { tombstones?: string; withoutTombstones?: true }) =>
      (await import("../commands/upkeep.ts")).restore({ ...(await context()), ...(location === undefined ? {} : { location }) }, file, {
        ...options,
        withoutTombstones: options.withoutTombstones ?? false,
      }),
    );
}
