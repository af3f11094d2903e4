import { type FileHandle, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ThroughlineError } from "../../kernel/error.ts";
import { isPlainObject } from "../../kernel/json.ts";
import { systemRandom } from "../../kernel/random.ts";
import { syncFolderOf } from "../../kernel/process.ts";
import type { AssessmentRecord, AssessmentSpool } from "../assessment.ts";

/** Ends the name of a file that is being emptied. */
const draining = ".draining";

const failed = (what: string, path: string, cause: unknown): ThroughlineError =>
  new ThroughlineError("safety.spool_failed", `The spool ${basename(path)} could not be ${what}.`, { cause });

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "ENOENT";

/** A text, or nothing where there is no such file: one that cannot be read is not one that is empty. */
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

/** What a store can be given: it is found by its time and its name. */
const isRecord = (value: unknown): value is AssessmentRecord =>
  isPlainObject(value) && typeof value["audit_id"] === "string" && Number.isSafeInteger(value["at"]);

/** The records of a file. A line that a crash has cut off was never acknowledged, and is left out. */
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

/** Each line begins anew: the one before it may have been cut off. */
const linesOf = (records: readonly AssessmentRecord[]): string => records.map((record) => `\n${JSON.stringify(record)}\n`).join("");

/** Only whom the process runs as reads it. */
const mode = 0o600;

/** Whether a file is still the one of its name: another process takes it away by another name. */
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
      // Who has taken the file meanwhile may have read it before: what is written twice has one key.
      written = await isStill(file, path);
    } finally {
      await file.close();
    }
  }
}

/** A part of a name that no other process takes. */
const ownName = (): string => Buffer.from(systemRandom.bytes(12)).toString("hex");

/** Files that wait: what a process left that died while it emptied one, and what has come since, in the order of their numbers. */
async function waitingAt(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const names = await namesIn(folder);
  const prefix = `${basename(path)}.`;
  const left = names.filter((name) => name.startsWith(prefix) && name.endsWith(draining)).toSorted();
  const files = left.map((name) => join(folder, name));
  if (!names.includes(basename(path))) return files;
  const last = Number.parseInt(left.at(-1)?.slice(prefix.length) ?? "0", 10) || 0;
  // Of two processes neither takes the other's name.
  const mine = `${path}.${String(last + 1).padStart(12, "0")}-${ownName()}${draining}`;
  try {
    await rename(path, mine);
  } catch (error) {
    if (isMissing(error)) return files;
    throw error;
  }
  return [...files, mine];
}

/** Writes the records in order up to the first that is not taken; how many were. */
async function writeAll(records: readonly AssessmentRecord[], write: (record: AssessmentRecord) => Promise<void>): Promise<number> {
  let done = 0;
  try {
    for (const record of records) {
      await write(record);
      done += 1;
    }
  } catch {
    // Whoever drains learns of it by what is left.
  }
  return done;
}

/** Leaves a file with these records alone, whole at any time. */
async function keepOnly(file: string, records: readonly AssessmentRecord[]): Promise<void> {
  const beside = `${file}.${ownName()}.new`;
  try {
    await writeFile(beside, linesOf(records), { flush: true, mode });
    await rename(beside, file);
    syncFolderOf(file);
  } catch {
    // All of it is written again then, under the same keys.
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

/** Records that wait, in the file and in what was left of it. */
async function countAt(path: string): Promise<number> {
  const folder = dirname(path);
  const names = await namesIn(folder);
  const files = names.filter((name) => name === basename(path) || (name.startsWith(`${basename(path)}.`) && name.endsWith(draining)));
  const texts = await Promise.all(files.map((name) => textOf(join(folder, name))));
  return texts.reduce((count, text) => count + recordsOf(text).length, 0);
}

/**
 * A spool in a file: one line of JSON for each assessment, on the disk when `append` returns. Several processes may share it; what two of them drain at
 * once has one key and is kept once. `safety.spool_failed` when the disk fails.
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
  // A store that takes its time over what is drained keeps nothing from being appended.
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

/** Runs what it is given one after the other. */
function oneByOne(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}
