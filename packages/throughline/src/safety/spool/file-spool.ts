import { type FileHandle, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { systemRandom } from "../../kernel/random.ts";
import { syncFolderOf } from "../../kernel/process.ts";
import type { AssessmentRecord, AssessmentSpool } from "../assessment.ts";

/** Name suffix of a file that is being drained. */
const draining = ".draining";

const failed = (what: string, path: string, cause: unknown): ThroughlineError =>
  new ThroughlineError("safety.spool_failed", `The spool ${basename(path)} could not be ${what}.`, { cause });

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** Returns the text of a file, or "" if the file does not exist. Throws if it cannot be read: an unreadable file is not empty. */
async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Tells whether a value can be stored as a record. A store finds it by time and id. */
const isRecord = (value: unknown): value is AssessmentRecord =>
  isPlainObject(value) && typeof value["audit_id"] === "string" && Number.isSafeInteger(value["at"]);

/** Returns the records of a file. A line that a crash cut off was never acknowledged and is skipped. */
function recordsOf(text: string): readonly AssessmentRecord[] {
  return text.split("\n").flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return isRecord(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

/** Starts each record on a new line, because the line before it can be cut off. */
const linesOf = (records: readonly AssessmentRecord[]): string => records.map((record) => `\n${JSON.stringify(record)}\n`).join("");

/** Readable only by the user of the process. */
const mode = 0o600;

/** Tells whether an open file still has its name. A draining process renames the file. */
async function isStill(file: FileHandle, path: string): Promise<boolean> {
  const own = await file.stat();
  const there = await stat(path).catch(() => undefined);
  return there !== undefined && there.ino === own.ino && there.dev === own.dev;
}

async function appendTo(path: string, record: AssessmentRecord): Promise<void> {
  for (let written = false; !written;) {
    const file = await open(path, "a", mode);
    try {
      const isNew = (await file.stat()).size === 0;
      await file.appendFile(linesOf([record]));
      await file.sync();
      if (isNew) syncFolderOf(path);
      // A process that renamed the file can have read it before this write. A record that is written twice has one key.
      written = await isStill(file, path);
    } finally {
      await file.close();
    }
  }
}

/** Returns a unique part of a file name. */
const ownName = (): string => Buffer.from(systemRandom.bytes(12)).toString("hex");

/** Renames the current file and returns the files to drain, in the order of their numbers. They include files of processes that died while draining. */
async function waitingAt(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const names = await namesIn(folder);
  const prefix = `${basename(path)}.`;
  const left = names.filter((name) => name.startsWith(prefix) && name.endsWith(draining)).toSorted();
  const files = left.map((name) => join(folder, name));
  if (!names.includes(basename(path))) return files;
  const last = Number.parseInt(left.at(-1)?.slice(prefix.length) ?? "0", 10) || 0;
  // The unique name keeps two processes apart.
  const mine = `${path}.${String(last + 1).padStart(12, "0")}-${ownName()}${draining}`;
  try {
    await rename(path, mine);
  } catch (error) {
    if (isMissing(error)) return files;
    throw error;
  }
  return [...files, mine];
}

/** Writes the records in order until one fails. Returns the number written. */
async function writeAll(records: readonly AssessmentRecord[], write: (record: AssessmentRecord) => Promise<void>): Promise<number> {
  let done = 0;
  try {
    for (const record of records) {
      await write(record);
      done += 1;
    }
  } catch {
    // The caller learns of the failure from the number of records left.
  }
  return done;
}

/** Replaces a file's content with these records, atomically. */
async function keepOnly(file: string, records: readonly AssessmentRecord[]): Promise<void> {
  const beside = `${file}.${ownName()}.new`;
  try {
    await writeFile(beside, linesOf(records), { flush: true, mode });
    await rename(beside, file);
    syncFolderOf(file);
  } catch {
    // The next drain then writes all records again, under the same keys.
    await rm(beside, { force: true }).catch(() => {});
  }
}

async function drainAt(path: string, write: (record: AssessmentRecord) => Promise<void>): Promise<number> {
  let left = 0;
  for (const file of await waitingAt(path)) {
    const records = recordsOf(await textOf(file));
    const done = left > 0 ? 0 : await writeAll(records, write);
    left += records.length - done;
    if (done === records.length) await rm(file, { force: true });
    else if (done > 0) await keepOnly(file, records.slice(done));
  }
  return left;
}

/** Counts the waiting records, including those in files being drained. */
async function countAt(path: string): Promise<number> {
  const folder = dirname(path);
  const names = await namesIn(folder);
  const files = names.filter((name) => name === basename(path) || (name.startsWith(`${basename(path)}.`) && name.endsWith(draining)));
  const texts = await Promise.all(files.map((name) => textOf(join(folder, name))));
  return texts.reduce((count, text) => count + recordsOf(text).length, 0);
}

/**
 * Opens a fallback log in a file, with one line of JSON per assessment. A record is durable when `append` resolves. Several processes can share the
 * file. A record that two of them drain concurrently has one key and is stored once. Throws `safety.spool_failed` if the disk fails.
 * @example createRuntime({ store, agents, safetySpool: openSpool("./throughline.safety.jsonl") })
 */
export function openSpool(path: string): AssessmentSpool {
  const told = async <Result>(what: string, work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (cause) {
      throw failed(what, path, cause);
    }
  };
  // Separate queues, so that a slow store during a drain does not block appends.
  const [appends, drains] = [oneByOne(), oneByOne()];
  return Object.freeze({
    append: (record: AssessmentRecord) =>
      told(
        "written",
        appends(() => appendTo(path, record)),
      ),
    drain: (write: (record: AssessmentRecord) => Promise<void>) =>
      told(
        "emptied",
        drains(() => drainAt(path, write)),
      ),
    waiting: () => told("read", countAt(path)),
  });
}

/** Returns a function that runs tasks one after another. */
function oneByOne(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
