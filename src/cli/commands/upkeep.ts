import { ThroughlineError } from "../../kernel/error.ts";
import { retain, type RetentionOptions } from "../../runtime/commands/retention.ts";
import type { PurgeReport } from "../../store/sql/erasure/purge.ts";
import { parseTombstones } from "../../store/sql/erasure/tombstones.ts";
import { type CommandContext, withStore, writerOf } from "../context.ts";
import { readTextFile } from "../input-file.ts";
import { fileExists, shown, storeOptionsOf } from "../location.ts";

/** Whether the database is a file; a usage error where nothing is kept. */
const isFile = (location: string): boolean => {
  if (location === ":memory:") throw new ThroughlineError("cli.usage", "A database in memory keeps nothing.");
  return fileExists(location) !== undefined;
};

/** `retention`: lets logs begin later. */
export async function applyRetention(context: CommandContext, options: RetentionOptions): Promise<void> {
  if (options.olderThanMs === undefined && (options.keepEvents === undefined || options.deleteSessions === true))
    throw new ThroughlineError(
      "cli.usage",
      options.deleteSessions === true ? "--delete-sessions needs --older-than." : "Name --older-than or --keep-events.",
    );
  const { output } = context;
  const report = await withStore(context, (store) => retain(writerOf(store, context), options));
  if (output.json) return output.document({ ...report, dry_run: options.dryRun === true });
  const would = options.dryRun === true ? "Would remove" : "Removed";
  output.out.line(`${would} ${report.events} events: ${report.cut} of ${report.sessions} logs begin later, ${report.deleted} sessions go.`);
}

/** `purge`: takes what was removed out of the database's files. */
export async function purge(context: CommandContext): Promise<void> {
  const { output, location } = context;
  const options = storeOptionsOf(context);
  const report: PurgeReport = isFile(location)
    ? await (await import("../../store/sqlite/purge.ts")).purgeSqlite(location, options)
    : await (await import("../../store/postgres/purge.ts")).purgePostgres(location, options);
  if (output.json) return output.document(report);
  output.out.line(`Purged ${shown(location)}: ${report.before} bytes before, ${report.after} now.`);
  for (const remark of report.remarks) output.err.line(remark);
}

/** `backup`: a copy of the database as of now. */
export async function backup(context: CommandContext, file: string): Promise<void> {
  const { output, location, environment } = context;
  if (isFile(location)) (await import("../../store/sqlite/backup.ts")).backupSqlite(location, file);
  else (await import("../../store/postgres/backup.ts")).backupPostgres(location, file, environment);
  if (output.json) return output.document({ backup: file });
  output.out.line(`Backed up ${shown(location)} to ${file}.`);
}

/** `restore`: puts a backup in the place of the database, without bringing back who was erased since. */
export async function restore(
  context: CommandContext,
  file: string,
  options: { readonly tombstones?: string; readonly withoutTombstones: boolean },
): Promise<void> {
  const { output, location } = context;
  if (!isFile(location))
    throw new ThroughlineError("cli.usage", "A PostgreSQL backup is restored by `pg_restore`.", {
      hint: "Before: `throughline erasures export > list`. Then `pg_restore` into the database, and `throughline erasures replay list` before anybody uses it.",
    });
  const lists = options.tombstones === undefined ? [] : [parseTombstones(readTextFile(options.tombstones))];
  const { restoreSqlite } = await import("../../store/sqlite/backup.ts");
  const restored = await restoreSqlite(file, location, {
    ...storeOptionsOf(context),
    tombstones: lists,
    withoutTombstones: options.withoutTombstones,
  });
  if (output.json) return output.document(restored);
  output.out.line(`Restored ${shown(location)} from ${file}; erased again: ${restored.owners} customers and ${restored.sessions} sessions.`);
}
