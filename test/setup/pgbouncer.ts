/** A PgBouncer of the machine, in front of a PostgreSQL for tests. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { freePort } from "./start-postgres.ts";

// Debian puts it where only administrators look.
const path = `${process.env["PATH"] ?? ""}:/usr/sbin`;
const version = spawnSync("pgbouncer", ["--version"], { env: { PATH: path }, encoding: "utf8" });

/** Why tests with PgBouncer are skipped; undefined if they run. */
export const noPgBouncer: string | undefined = version.error === undefined ? undefined : "There is no pgbouncer on this machine.";

const settings = (target: URL, mode: "transaction" | "session", port: number, folder: string): string => `[databases]
* = host=${target.hostname} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users
pool_mode = ${mode}
default_pool_size = ${mode === "session" ? 30 : 3}
max_client_conn = 200
server_round_robin = 1
`;

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Starts PgBouncer with three server connections, used in turn; it ends with the test. Returns the URL of the database through it. */
export async function pgBouncer(target: string, { mode = "transaction" }: { readonly mode?: "transaction" | "session" } = {}): Promise<string> {
  const url = new URL(target);
  const folder = mkdtempSync(join(tmpdir(), "throughline-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  writeFileSync(join(folder, "users"), `"${url.username}" "${url.password}"\n`);
  writeFileSync(join(folder, "pgbouncer.ini"), settings(url, mode, port, folder));
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("pgbouncer", [...user, join(folder, "pgbouncer.ini")], { env: { PATH: path }, stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  child.stderr.on("data", (text) => said.push(String(text)));
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  for (let tries = 0; !(await accepts(port)); tries++) {
    if (child.exitCode !== null || tries === 300)
      throw new Error(`PgBouncer did not start: ${said.join("")}${readFileSync(join(folder, "pgbouncer.ini"), "utf8")}`);
    await delay(100);
  }
  url.port = String(port);
  return url.href;
}
