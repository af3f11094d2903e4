/** This process: its name and whether others have ended, the version of Node, its database by default, and folders that survive a crash. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, readlinkSync, renameSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { ThroughlineError } from "./error.ts";

/** Returns the result of `read`, or an empty string if it throws. Other systems than Linux have no such files. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/**
 * The scope in which a process id is unique: the PID namespace and the boot of this machine. Containers that share a database file can have the same
 * host name and the same process ids. After a restart, the machine reuses process ids.
 */
const namespace = orEmpty(() => /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "");
const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8));

/**
 * Returns a name for a process on this machine, for use in file names: `pid-namespace-boot`. Default: this process. Outside Linux, the last two parts
 * are empty.
 */
export const processId = (pid = process.pid): string => `${pid}-${namespace}-${boot}`;

/**
 * Returns a name for this process that is unique among all processes that share a database: `host/pid-namespace-boot`. The names of lease holders
 * start with it.
 */
export const processName = (): string => `${hostname()}/${processId()}`;

/**
 * Whether a name that starts with {@link processName} belongs to a process that has ended. Returns false if this process cannot tell. It cannot tell
 * for another host, another PID namespace or an earlier boot, because another machine may have the same host name. It also cannot tell for the name
 * format of earlier versions.
 */
export function isGone(name: string): boolean {
  const [host, id = ""] = name.split("/");
  const [pid = "", ...rest] = id.split("-");
  if (host !== hostname() || rest.join("-") !== `${namespace}-${boot}` || !/^[1-9][0-9]{0,9}$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}

/** Whether the process that left a file named with {@link processId} on this machine has ended. A restart of the machine ends all processes. */
export const hasLeft = (id: string): boolean => isGone(`${hostname()}/${id}`) || (boot !== "" && !id.endsWith(`-${boot}`));

/**
 * The oldest supported version of each line of Node. The last one also supports every later line. `npm run runtimes` tests these versions; older ones
 * of both lines refuse statements whose placeholders have numbers.
 */
export const oldestNodes = ["22.20.0", "24.7.0"] as const;

/** The supported versions of Node as a range, which `engines` of every package.json repeats. */
export const supportedNodes: string = oldestNodes.map((oldest, index) => `${index < oldestNodes.length - 1 ? "^" : ">="}${oldest}`).join(" || ");

/** Whether a version of Node, such as `24.8.1`, is in {@link supportedNodes}. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return oldestNodes.some((oldest, index) => {
    const [oldestMajor = 0, oldestMinor = 0, oldestPatch = 0] = oldest.split(".").map(Number);
    if (major !== oldestMajor) return index === oldestNodes.length - 1 && major > oldestMajor;
    return minor > oldestMinor || (minor === oldestMinor && patch >= oldestPatch);
  });
}

/**
 * Throws `node.too_old` if this process runs on a version of Node that is not supported. Bun and Deno name a version of Node that they imitate, which
 * says nothing about them, so they always pass. Default: the versions of this process.
 */
export function assertNodeVersion(versions: Readonly<Record<string, string | undefined>> = process.versions): void {
  const { node = "", bun, deno } = versions;
  if (bun !== undefined || deno !== undefined || isSupportedNode(node)) return;
  throw new ThroughlineError("node.too_old", `Throughline needs Node ${supportedNodes}; this is Node ${node}.`);
}

/**
 * Syncs the folder that contains `path`. A file that was created, renamed or removed survives a power failure only after its folder is synced. Does
 * nothing on Windows, which cannot open folders and keeps file names in its journal.
 */
export function syncFolderOf(path: string): void {
  if (process.platform === "win32") return;
  const folder = openSync(dirname(resolve(path)), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Writes a backup into a new file that only its owner can read. The file gets its name once `write` has completed it, so that the remains of a killed
 * process are never taken for a backup. Throws `backup.exists` if the file is there already, and `backup.failed` if it cannot be created.
 */
export function writeBackup(file: string, write: (fresh: string) => void): void {
  const assertNew = (): void => {
    if (existsSync(file)) throw new ThroughlineError("backup.exists", `${file} is there already.`);
  };
  assertNew();
  const fresh = `${file}.partial-${processId()}`;
  try {
    closeSync(openSync(fresh, "wx", 0o600));
  } catch (cause) {
    throw new ThroughlineError("backup.failed", `${file} cannot be created.`, { cause });
  }
  try {
    write(fresh);
    assertNew();
    renameSync(fresh, file);
    syncFolderOf(file);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The location of the database where neither the program nor the environment names one. */
export const defaultLocation = "./.throughline/throughline.db";

/** The database of programs and commands that name none: `THROUGHLINE_DB`, or else `./.throughline/throughline.db`. */
export const databaseLocation = (environment: Readonly<Record<string, string | undefined>>): string =>
  environment["THROUGHLINE_DB"]?.trim() || defaultLocation;
