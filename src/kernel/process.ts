import { hostname } from "node:os";

/** Names this process on this machine, as `host/pid`: what a lease is held by, and how a dead holder is recognised. */
export const processName = (): string => `${hostname()}/${process.pid}`;
