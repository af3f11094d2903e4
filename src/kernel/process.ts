import { hostname } from "node:os";

/** Names this process on this machine, as `host/pid`: what a lease is held by, and how a dead holder is recognised. */
export const processName = (): string => `${hostname()}/${process.pid}`;

/** Whether a name that begins with {@link processName} was that of a process of this machine that is gone. */
export function isGone(name: string): boolean {
  const [host, pid] = name.split("/");
  if (host !== hostname() || pid === undefined || !/^[1-9][0-9]{0,9}$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH";
  }
}
