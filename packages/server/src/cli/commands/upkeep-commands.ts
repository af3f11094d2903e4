/** Maintenance commands: erasure, retention, backups and bundles. */
import { once } from "node:events";
import { accessSync, constants, createReadStream, readFileSync, statSync } from "node:fs";
import { getCustomer, present, toErasure } from "throughline/internal";
import { retain, largestBundle, tooLarge, parseTombstones, replay, tombstoneLines, tombstonesOf } from "throughline/internal/runtime";
import { ThroughlineError, parseSessionId } from "throughline/kernel";
import type { Store } from "throughline";
import type { RetentionOptions, Erasure } from "throughline/session";
import type { PurgeReport } from "throughline/sqlite";
import { type CommandContext, withStore, writerOf } from "../command-context.ts";
import { withProgress } from "../progress-line.ts";
import { fileExists, followUp, shown, storeOptionsOf } from "../database-location.ts";
import { table } from "../terminal-text.ts";

const erasedLine = (erasure: Erasure): string => `Erased ${erasure.sessions} sessions with ${erasure.events} events (${erasure.id}).`;

/** `erase`: erases a customer with all sessions, or one session. */
export async function erase(context: CommandContext, target: { readonly customer?: string; readonly session?: string }): Promise<void> {
  const { output } = context;
  const { customer, session } = target;
  if ((customer === undefined) === (session === undefined)) throw new ThroughlineError("cli.usage", "Name either --customer or --session.");
  const erased = await withProgress(context, { doing: "Erasing" }, () =>
    withStore(context, async (store) => {
      if (session !== undefined) return store.erase({ session_id: parseSessionId(session) });
      return store.erase({ owner_id: (await getCustomer(store, customer ?? "")).owner_id });
    }),
  );
  if (erased.erasure_id === undefined) throw new ThroughlineError("session.not_found", `There is no session ${session}.`);
  const erasure = toErasure(erased);
  if (output.json) return output.document({ erasure });
  output.out.line(erasedLine(erasure));
  output.err.line(`Erased data may remain in free pages and logs of the database: \`${followUp(context, "purge")}\` scrubs it.`);
}

/** `erasures list`: lists the erasure receipts, newest first. */
export async function listErasures(context: CommandContext, options: { readonly limit: number; readonly cursor?: string }): Promise<void> {
  const { output } = context;
  const page = await withStore(context, (store) => store.list({ of: "erasures", order: "desc", ...options }));
  const erasures = page.items.map(toErasure);
  if (output.json) return output.document({ erasures, total: page.total, next_cursor: page.next_cursor });
  if (erasures.length === 0) return output.err.line("Nothing was erased yet.");
  const time = (at: number | undefined): string => (at === undefined ? "under way" : new Date(at).toISOString());
  const rows = erasures.map(({ id, requested_at, finished_at, sessions, events }) => [
    id,
    time(requested_at),
    time(finished_at),
    String(sessions),
    String(events),
  ]);
  output.out.line(table([["ID", "REQUESTED", "FINISHED", "SESSIONS", "EVENTS"], ...rows]));
  if (page.next_cursor !== null) output.err.line(`More: --cursor ${page.next_cursor}`);
}

/** `erasures export`: prints the erasures that a restore must repeat, without personal data. */
export async function exportErasures(context: CommandContext): Promise<void> {
  for (const line of tombstoneLines(await withStore(context, tombstonesOf))) context.output.out.line(line);
}

/** `erasures replay`: repeats the erasures of a list. */
export async function replayErasures(context: CommandContext, file: string): Promise<void> {
  const { output } = context;
  const list = parseTombstones(readTextFile(file));
  const erased = await withProgress(context, { doing: "Repeating erasures" }, () => withStore(context, (store) => replay(store, [list])));
  output.result(erased, () => `Erased again: ${erased.owners} customers and ${erased.sessions} sessions.`);
}

/** Whether the database is a file. Throws `cli.usage` for an in-memory database. */
const isFile = (location: string): boolean => {
  if (location === ":memory:") throw new ThroughlineError("cli.usage", "A database in memory stores nothing.");
  return fileExists(location) !== undefined;
};

/** `retention`: deletes the old part of logs. */
export async function applyRetention(
  context: CommandContext,
  {
    olderThan: olderThanMs,
    agentName: agent,
    ...flags
  }: Omit<RetentionOptions, "olderThanMs" | "agent"> & { readonly olderThan?: number; readonly agentName?: string },
): Promise<void> {
  const options: RetentionOptions = { ...flags, ...present({ olderThanMs, agent }) };
  if (options.olderThanMs === undefined && (options.keepEvents === undefined || options.deleteSessions === true))
    throw new ThroughlineError(
      "cli.usage",
      options.deleteSessions === true ? "--delete-sessions needs --older-than." : "Name --older-than or --keep-events.",
    );
  const { output } = context;
  const doing = options.dryRun === true ? "Counting" : "Removing";
  const report = await withProgress(context, { doing }, () => withStore(context, (store) => retain(writerOf(store, context), options)));
  if (output.json) return output.document({ ...report, dry_run: options.dryRun === true });
  const would = options.dryRun === true ? "Would remove" : "Removed";
  output.out.line(`${would} ${report.events} events: ${report.cut} of ${report.sessions} logs shortened, ${report.deleted} sessions deleted.`);
}

/** `purge`: scrubs deleted data from the database's files. */
export async function purge(context: CommandContext): Promise<void> {
  const { output, location } = context;
  const options = storeOptionsOf(context);
  const report: PurgeReport = await withProgress(context, { doing: "Purging" }, async () =>
    isFile(location)
      ? (await import("throughline/sqlite")).purgeSqlite(location, options)
      : (await import("throughline/postgres")).purgePostgres(location, options),
  );
  if (output.json) return output.document(report);
  output.out.line(`Purged ${shown(location)}: ${report.before} bytes before, ${report.after} now.`);
  for (const remark of report.remarks) output.err.line(remark);
}

/** `backup`: copies the current database. */
export async function backup(context: CommandContext, file: string): Promise<void> {
  const { output, location, environment } = context;
  await withProgress(context, { doing: "Copying" }, async () => {
    if (isFile(location)) (await import("throughline/sqlite")).backupSqlite(location, file);
    else (await import("throughline/postgres")).backupPostgres(location, file, environment);
  });
  output.result({ backup: file }, () => `Backed up ${shown(location)} to ${file}.`);
}

/** `restore`: replaces the database with a backup and repeats the erasures since then. */
export async function restore(
  context: CommandContext,
  file: string,
  at: string | undefined,
  { tombstones, withoutTombstones = false }: { readonly tombstones?: string; readonly withoutTombstones?: boolean },
): Promise<void> {
  const { output } = context;
  const location = at ?? context.location;
  if (!isFile(location))
    throw new ThroughlineError("cli.usage", "A PostgreSQL backup is restored by `pg_restore`.", {
      hint: "Before: `throughline erasures export > list`. Then `pg_restore` into the database, and `throughline erasures replay list` before the service uses it.",
    });
  const lists = tombstones === undefined ? [] : [parseTombstones(readTextFile(tombstones))];
  const { restoreSqlite } = await import("throughline/sqlite");
  const options = { ...storeOptionsOf(context), tombstones: lists, withoutTombstones };
  const restored = await withProgress(context, { doing: "Restoring" }, () => restoreSqlite(file, location, options));
  output.result(
    restored,
    () => `Restored ${shown(location)} from ${file}; erased again: ${restored.owners} customers and ${restored.sessions} sessions.`,
  );
}

/** `sessions export`: prints a session as JSON lines. */
export async function printSession(context: CommandContext, session: string, { redacted = false }: { readonly redacted?: boolean }): Promise<void> {
  const { exportSession } = await import("throughline");
  await printLines(context, (store) => exportSession(store, parseSessionId(session), { redacted, clock: context.clock }));
}

/** `export`: prints a customer with all sessions as JSON lines. */
export async function printCustomer(
  context: CommandContext,
  { customer, redacted = false }: { readonly customer: string; readonly redacted?: boolean },
): Promise<void> {
  const { exportCustomer } = await import("throughline");
  await printLines(context, (store) => exportCustomer(store, customer, { redacted, clock: context.clock }));
}

const printLines = (context: CommandContext, linesOf: (store: Store) => AsyncIterable<string>): Promise<void> =>
  withStore(context, async (store) => {
    const { output, clock } = context;
    const { stream } = output.out;
    // A terminal that shows the lines needs no count of them.
    await withProgress(
      { output: stream.isTTY ? { ...output, json: true } : output, clock },
      { doing: "Exporting", counted: "lines" },
      async (done) => {
        for await (const line of linesOf(store)) {
          if (!stream.write(`${line}\n`)) await once(stream, "drain");
          done();
        }
      },
    );
  });

/** `sessions import`: imports a bundle from a file, or from standard input for `-`. */
export async function importLines(context: CommandContext, file: string, { keepIds = false }: { readonly keepIds?: boolean }): Promise<void> {
  const { output, clock, stdin } = context;
  // Checked first, because opening creates a missing database.
  if (file !== "-") assertReadable(file);
  const lines = linesOf(file, stdin);
  const { importBundle } = await import("throughline");
  const report = await withProgress(context, { doing: "Importing", counted: "lines" }, (done) =>
    withStore(context, (store) => importBundle(store, counting(lines, done), { keepIds, clock }), { create: true }),
  );
  if (output.json) return output.document(report);
  output.out.line(`Imported ${Object.keys(report.sessions).length} sessions with ${report.events} events.`);
  for (const [before, now] of Object.entries(report.sessions)) output.out.line(before === now ? now : `${before} is ${now}`);
}

/** The same items; calls `done` after each. */
async function* counting<Item>(items: AsyncIterable<Item>, done: () => void): AsyncGenerator<Item, void, undefined> {
  for await (const item of items) {
    yield item;
    done();
  }
}

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : "unknown");
const why: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EISDIR: "is a folder",
  EACCES: "may not be read",
  EPERM: "may not be read",
};

function unreadable(path: string, cause: unknown): ThroughlineError {
  const code = codeOf(cause);
  return new ThroughlineError("file.unreadable", `${path} ${why[code] ?? `cannot be read (${code})`}.`, { details: { path }, cause });
}

/** Reads a file. Throws `file.unreadable` if that fails. */
function readTextFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Throws `file.unreadable` if the path is not a readable file. */
function assertReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isDirectory()) throw Object.assign(new Error("a folder"), { code: "EISDIR" });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Reads the lines of a file, or of standard input for `-`. Rejects a line longer than the bundle limit before reading all of it. */
async function* linesOf(path: string, stdin: NodeJS.ReadableStream): AsyncGenerator<string, void, undefined> {
  const input = path === "-" ? stdin.setEncoding("utf8") : createReadStream(path, "utf8");
  let rest: string[] = [];
  let length = 0;
  try {
    for await (const chunk of input) {
      const [first = "", ...lines] = String(chunk).split("\n");
      rest.push(first);
      length += first.length;
      if (length > largestBundle) throw tooLarge(largestBundle);
      const last = lines.pop();
      if (last === undefined) continue;
      yield rest.join("").replace(/\r$/u, "");
      for (const line of lines) yield line.replace(/\r$/u, "");
      rest = [last];
      length = last.length;
    }
  } catch (cause) {
    throw ThroughlineError.is(cause) ? cause : unreadable(path === "-" ? "standard input" : path, cause);
  }
  if (length > 0) yield rest.join("");
}
