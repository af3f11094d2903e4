import { open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ThroughlineError } from "../../kernel/error.ts";
import type { AssessmentRecord, AssessmentSpool } from "../assessment.ts";

/** Ends the name of a file that is being emptied. */
const draining = ".draining";

const failed = (what: string, path: string, cause: unknown): ThroughlineError =>
  new ThroughlineError("safety.spool_failed", `The spool ${basename(path)} could not be ${what}.`, { cause });

/** The records of a file. A line that a crash has cut off was never acknowledged, and is left out. */
function recordsOf(text: string): readonly AssessmentRecord[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as AssessmentRecord];
    } catch {
      return [];
    }
  });
}

const linesOf = (records: readonly AssessmentRecord[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("");

async function appendTo(path: string, record: AssessmentRecord): Promise<void> {
  const file = await open(path, "a");
  try {
    await file.write(linesOf([record]));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Files that wait: what a process left that died while it emptied one, and what has come since. */
async function waitingAt(path: string): Promise<readonly string[]> {
  const folder = dirname(path);
  const names = await readdir(folder).catch((): string[] => []);
  const left = names.filter((name) => name.startsWith(`${basename(path)}.`) && name.endsWith(draining)).toSorted();
  const files = left.map((name) => join(folder, name));
  if (!names.includes(basename(path))) return files;
  const mine = `${path}.${process.pid}-${left.length}${draining}`;
  await rename(path, mine);
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

async function drainAt(path: string, write: (record: AssessmentRecord) => Promise<void>): Promise<number> {
  let left = 0;
  for (const file of await waitingAt(path)) {
    const records = recordsOf(await readFile(file, "utf8").catch(() => ""));
    const done = left > 0 ? 0 : await writeAll(records, write);
    left += records.length - done;
    if (done === records.length) await rm(file, { force: true });
    else if (done > 0) await writeFile(file, linesOf(records.slice(done)), { flush: true });
  }
  return left;
}

/** Records that wait, in the file and in what was left of it. */
async function countAt(path: string): Promise<number> {
  const folder = dirname(path);
  const names = await readdir(folder).catch((): string[] => []);
  const files = names.filter((name) => name === basename(path) || (name.startsWith(`${basename(path)}.`) && name.endsWith(draining)));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8").catch(() => "")));
  return texts.reduce((count, text) => count + recordsOf(text).length, 0);
}

/**
 * A spool in a file: one line of JSON for each assessment, on the disk when `append` returns. Several processes may share it; what two of them drain at
 * once has one key and is kept once. `safety.spool_failed` when the disk fails.
 * @example createRuntime({ store, agents, safetySpool: openSpool("./throughline.safety.jsonl") })
 */
export function openSpool(path: string): AssessmentSpool {
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: a file is not emptied while it is written to by this process. */
  const inTurn = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    try {
      return await done;
    } catch (cause) {
      throw failed(what, path, cause);
    }
  };
  return Object.freeze({
    append: (record: AssessmentRecord) => inTurn("written", () => appendTo(path, record)),
    drain: (write: (record: AssessmentRecord) => Promise<void>) => inTurn("emptied", () => drainAt(path, write)),
    waiting: () => inTurn("read", () => countAt(path)),
  });
}
