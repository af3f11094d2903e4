/** One process at a time: a file beside the journal that holds the number of the process. */
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { ThroughlineError } from "throughline";

let taken = 0;

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that we may not signal is there all the same.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Takes the lock; resolves with how to give it back. The lock of a process that has died is taken over. Two processes that take over one lock at
 * the very same moment are not told apart: start one after the other.
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const [file, own] = [`${path}.lock`, `${path}.lock-${process.pid}-${++taken}`];
  await mkdir(dirname(path), { recursive: true });
  // Written first and then given its name, so that nobody ever sees a lock without a number.
  await writeFile(own, String(process.pid));
  try {
    while (!(await given(own, file))) {
      const holder = Number(await readFile(file, "utf8").catch(() => "0"));
      if (holder > 0 && lives(holder))
        throw new ThroughlineError("store.busy", `${path} is open in process ${holder}.`, { details: { pid: holder } });
      await rm(file, { force: true });
    }
  } finally {
    await rm(own);
  }
  return () => rm(file, { force: true });
}

/** Gives a file a second name, unless another file has that. */
async function given(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
