/** An append-only file of JSON lines, each with a checksum. */
import { type FileHandle, mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { ThroughlineError } from "throughline";

const version = 1;

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, "0");

function lineOf(entry: unknown): string {
  const text = JSON.stringify(entry);
  return `${checksum(text)} ${text}\n`;
}

/** The first line says what wrote the file. */
const begin = lineOf({ journal: version });

/** The file's lines: what they hold, and how many bytes of the file are whole. */
function parse(bytes: Buffer, path: string): { readonly entries: readonly unknown[]; readonly whole: number } {
  const entries: unknown[] = [];
  let whole = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, whole)) {
    const line = bytes.toString("utf8", whole, end);
    const text = line.slice(9);
    if (line !== `${checksum(text)} ${text}`) {
      // Of what was being written when the power went, only the last line can be damaged: whatever follows it was never acknowledged.
      if (bytes.indexOf(10, end + 1) === -1) break;
      throw new ThroughlineError("store.corrupt", `Line ${entries.length + 1} of ${path} is damaged.`, { details: { line: entries.length + 1 } });
    }
    entries.push(JSON.parse(text));
    whole = end + 1;
  }
  return { entries, whole };
}

/** What was written is in the folder, too, only when the folder has been synced. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A journal that is open for writing. What `append` has resolved for is on disk. */
export class Journal<Entry> {
  readonly #path: string;
  #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Opens a journal, or begins one, and reads what it holds. A last line that was not written to its end is cut off. */
  static async open<Entry>(path: string): Promise<{ readonly journal: Journal<Entry>; readonly entries: readonly Entry[] }> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "a+", 0o600);
    try {
      const bytes = await file.readFile();
      // Before anything is cut off: a file that something else wrote is left alone.
      if (!bytes.toString("latin1", 0, begin.length).startsWith(begin.slice(0, bytes.length)))
        throw new ThroughlineError("store.corrupt", `${path} is no journal of version ${version}.`);
      const { entries, whole } = parse(bytes, path);
      await file.truncate(whole);
      if (whole === 0) await file.appendFile(begin);
      await file.sync();
      await syncFolder(path);
      return { journal: new Journal<Entry>(path, file), entries: entries.slice(1) as Entry[] };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** What the file holds now. */
  async read(): Promise<readonly Entry[]> {
    return parse(await readFile(this.#path), this.#path).entries.slice(1) as Entry[];
  }

  /** Writes one entry behind the others. After a failure the end of the file is unknown, and it must be opened anew. */
  async append(entry: Entry): Promise<void> {
    await this.#file.appendFile(lineOf(entry));
    await this.#file.datasync();
  }

  /** Replaces all entries at once: whoever opens the journal finds the old ones or the new ones, never a mixture. */
  async rewrite(entries: readonly Entry[]): Promise<void> {
    const path = `${this.#path}.new`;
    const file = await open(path, "w", 0o600);
    try {
      await file.appendFile(begin);
      for (const entry of entries) await file.appendFile(lineOf(entry));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(path, this.#path);
    await syncFolder(this.#path);
    await this.#file.close();
    this.#file = await open(this.#path, "a", 0o600);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
