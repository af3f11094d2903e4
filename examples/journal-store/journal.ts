/** A file of JSON lines, each with a checksum. */
import { type FileHandle, mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { ThroughlineError } from "throughline";

const checked = (json: string): string => `${crc32(json).toString(16).padStart(8, "0")} ${json}`;

/** Keeps everybody else out until it is closed. The operating system takes a database's lock from a process that dies, however it dies. */
export async function lock(path: string): Promise<DatabaseSync> {
  await mkdir(dirname(path), { recursive: true });
  const database = new DatabaseSync(`${path}.lock`);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (cause) {
    database.close();
    throw new ThroughlineError("store.busy", `${path} is open already, in this process or in another.`, { cause });
  }
}

/** What the lines hold; nothing if there is no file. A damaged last line is left out: it was being written when the power went, and nobody was told of it. */
export async function read(path: string): Promise<readonly unknown[]> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").slice(0, -1);
  const damaged = lines.findIndex((line) => line !== checked(line.slice(9)));
  const whole = damaged === -1 ? lines.length : damaged;
  // The first line was on disk before the file got its name.
  if ((whole === 0 && text !== "") || whole < lines.length - 1)
    throw new ThroughlineError("store.corrupt", `Line ${whole + 1} of ${path} is damaged.`, { details: { line: whole + 1 } });
  return lines.slice(0, whole).map((line): unknown => JSON.parse(line.slice(9)));
}

/** Puts a file of one line where the file was: whoever looks finds the old one or the new one, never a mixture. */
export async function begin(path: string, line: unknown): Promise<FileHandle> {
  const file = await open(`${path}.new`, "w", 0o600);
  try {
    await append(file, line);
    await rename(`${path}.new`, path);
    // A name is on disk only when its folder is.
    await using folder = await open(dirname(path), "r");
    await folder.sync();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Writes a line behind the others: it is on disk when this resolves. */
export async function append(file: FileHandle, line: unknown): Promise<void> {
  await file.appendFile(`${checked(JSON.stringify(line))}\n`);
  await file.datasync();
}
