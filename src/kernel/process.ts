import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The text that `read` gives; empty where the system has no such file, as outside Linux. */
function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/**
 * What a process id is unique within: the PID namespace and the boot of this machine. Containers that share a database file can have the same host name
 * and the same process ids; after a restart of the machine, ids are given out again.
 */
const namespace = orEmpty(() => /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "");
const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").slice(0, 8));

/** Names a process on this machine, by default this one, for file names: `pid-namespace-boot` on Linux, where the last two may be empty elsewhere. */
export const processId = (pid = process.pid): string => `${pid}-${namespace}-${boot}`;

/** Names this process among all processes that share a database: `host/pid-namespace-boot`. A lease is held under a name that begins with it. */
export const processName = (): string => `${hostname()}/${processId()}`;

/**
 * Whether a name that begins with {@link processName} was that of a process that is gone. False where this process cannot tell: for another host, another PID
 * namespace, an earlier boot (another machine may have the same host name), or a name in the form of an earlier version.
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

/** Whether the process that left a file named with {@link processId} in a folder of this machine is gone; a restart of the machine ends all. */
export const hasLeft = (id: string): boolean => isGone(`${hostname()}/${id}`) || (boot !== "" && !id.endsWith(`-${boot}`));
