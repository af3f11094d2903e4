/** Two PostgreSQL servers under Patroni, with etcd, HAProxy and PgBouncer, on one machine. Every way to a server is a link that can be cut. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { parseDocument } from "yaml";
import { freePort } from "../../test/setup/start-postgres.ts";
import { type Link, openLink } from "./link.ts";
import { configurationOf, replaced } from "./page.ts";
import type { Programs } from "./programs.ts";

const password = "throughline";
const patienceMs = 120_000;
/** Milliseconds after which HAProxy has checked both servers. */
const checksMs = 4_000;

/** A PostgreSQL server with its Patroni. */
interface Member {
  readonly name: string;
  readonly data: string;
  readonly postgres: number;
  readonly rest: number;
  /** The ways to it: of clients and HAProxy, of the other server, of health checks, and its own way to etcd. */
  readonly links: { readonly clients: Link; readonly peers: Link; readonly health: Link; readonly etcd: Link };
  patroni: ChildProcess | undefined;
}

export interface Cluster {
  /** The URL through PgBouncer, in transaction mode, and HAProxy. */
  readonly pooled: string;
  /** The URL of HAProxy, which leads to the primary. */
  readonly primary: string;
  /** The URL of both servers. */
  readonly hosts: string;
  /** Kills the primary with its Patroni, as if its machine had lost power. */
  killPrimary(): Promise<void>;
  /** Asks Patroni to make the other server the primary. */
  switchOver(): Promise<void>;
  /** Cuts the primary off from everybody until it is healed. */
  cutPrimary(): Promise<() => void>;
  /** Cuts the other server off from the primary alone. */
  cutReplication(): Promise<void>;
  stop(): Promise<void>;
}

async function until<Found>(what: string, look: () => Promise<Found | undefined>): Promise<Found> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`Timeout while waiting for ${what}.`);
    await delay(200);
  }
}

/** Starts the cluster and waits until both servers replicate. */
export async function startCluster(programs: Programs, { synchronous }: { readonly synchronous: boolean }): Promise<Cluster> {
  const { owner } = programs;
  const folder = mkdtempSync(join(tmpdir(), "throughline-ha-"));
  chmodSync(folder, 0o755);
  const started: ChildProcess[] = [];
  const links: Link[] = [];
  const members: Member[] = [];

  const owned = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o700 });
    if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
    return path;
  };
  const start = (program: string, args: readonly string[], { as }: { readonly as?: Programs["owner"] } = {}): ChildProcess => {
    const log = createWriteStream(join(folder, "log"), { flags: "a" });
    const child = spawn(program, [...args], { stdio: ["ignore", "pipe", "pipe"], cwd: folder, ...as });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    started.push(child);
    return child;
  };
  const link = async (target: number): Promise<Link> => {
    const opened = await openLink(target);
    links.push(opened);
    return opened;
  };
  const postmasterOf = ({ data }: Member): number => Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  const kill = (pid: number | undefined): void => {
    try {
      if (pid !== undefined && pid > 1) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  const killMember = (member: Member): void => {
    kill(member.patroni?.pid);
    try {
      kill(postmasterOf(member));
    } catch {
      // It does not run.
    }
  };
  const killAll = (): void => {
    for (const member of members) killMember(member);
    for (const child of started) child.kill("SIGKILL");
  };
  // A process that ends early leaves no server behind.
  process.once("exit", killAll);
  const stop = async (): Promise<void> => {
    process.off("exit", killAll);
    killAll();
    await Promise.all(started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null).map((child) => once(child, "exit")));
    for (const opened of links) opened.close();
    // The last processes of a killed server write until they notice.
    await delay(1_000);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    const [etcd, etcdPeer] = [await freePort(), await freePort()];
    const at = (port: number): string => `http://127.0.0.1:${port}`;
    start(programs.etcd, [
      ...["--data-dir", join(folder, "etcd"), "--listen-client-urls", at(etcd), "--advertise-client-urls", at(etcd)],
      ...["--listen-peer-urls", at(etcdPeer), "--initial-advertise-peer-urls", at(etcdPeer), "--initial-cluster", `default=${at(etcdPeer)}`],
    ]);
    await until("etcd", async () => ((await fetch(`${at(etcd)}/health`)).ok ? true : undefined));

    for (const name of ["a", "b"]) {
      const [postgres, rest] = [await freePort(), await freePort()];
      const data = join(owned(name), "data");
      const ways = { clients: await link(postgres), peers: await link(postgres), health: await link(rest), etcd: await link(etcd) };
      const member: Member = { name, data, postgres, rest, links: ways, patroni: undefined };
      members.push(member);
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, patroniFile(member, { synchronous, bin: programs.postgresFolder, folder: join(folder, name) }));
      member.patroni = start(programs.patroni, [file], owner === undefined ? {} : { as: owner });
      // The first one becomes the primary.
      if (name === "a") await until("the primary", async () => ((await fetch(`${at(rest)}/primary`)).ok ? true : undefined));
    }
    const [first] = members;
    if (first === undefined) throw new Error("There is no server.");
    const standby = synchronous ? "synchronous" : "replica";
    await until("the standby", async () => ((await fetch(`${at(members[1]?.rest ?? 0)}/${standby}`)).ok ? true : undefined));
    await onServer(first, "CREATE DATABASE app OWNER throughline");

    const [proxy, pooler] = [await freePort(), await freePort()];
    writeFileSync(join(folder, "haproxy.cfg"), haproxyFile(proxy, members));
    start(programs.haproxy, ["-db", "-f", join(folder, "haproxy.cfg")]);
    writeFileSync(join(folder, "users"), `"throughline" "${password}"\n`);
    writeFileSync(join(folder, "pgbouncer.ini"), pgbouncerFile(pooler, proxy, folder));
    start(programs.pgbouncer, [...(owner === undefined ? [] : ["-u", "nobody"]), join(folder, "pgbouncer.ini")]);

    await delay(checksMs);
    const urlOf = (place: string): string => `postgres://throughline:${password}@${place}/app`;
    const pooled = urlOf(`127.0.0.1:${pooler}`);
    await until("the way through PgBouncer", async () => {
      const client = new Client({ connectionString: pooled });
      client.on("error", () => {});
      try {
        await client.connect();
        // Until its first checks HAProxy takes every server for the primary.
        const { rows } = await client.query<{ transaction_read_only: string }>("SHOW transaction_read_only");
        return rows[0]?.transaction_read_only === "off" ? true : undefined;
      } finally {
        await client.end();
      }
    });
    const primary = async (): Promise<Member> =>
      until("a primary", async () => {
        for (const member of members) if ((await fetch(`${at(member.rest)}/primary`)).ok) return member;
        return undefined;
      });
    return {
      pooled,
      primary: urlOf(`127.0.0.1:${proxy}`),
      hosts: `${urlOf(members.map(({ links: { clients } }) => `127.0.0.1:${clients.port}`).join(","))}?target_session_attrs=read-write`,
      stop,
      async killPrimary() {
        killMember(await primary());
      },
      async switchOver() {
        const leader = await primary();
        const candidate = members.find((member) => member !== leader)?.name;
        const body = JSON.stringify({ leader: leader.name, candidate });
        const answer = await fetch(`${at(leader.rest)}/switchover`, { method: "POST", body });
        if (!answer.ok) throw new Error(`Patroni refused the switchover: ${await answer.text()}`);
      },
      async cutPrimary() {
        const { links: ways } = await primary();
        for (const way of Object.values(ways)) way.cut(true);
        return () => {
          for (const way of Object.values(ways)) way.cut(false);
        };
      },
      async cutReplication() {
        (await primary()).links.peers.cut(true);
      },
    };
  } catch (error) {
    const log = readFileSync(join(folder, "log"), "utf8").split("\n").slice(-30).join("\n");
    await stop();
    throw new Error(`The cluster did not start:\n${log}`, { cause: error });
  }
}

async function onServer({ postgres }: Member, sql: string): Promise<void> {
  const client = new Client({ connectionString: `postgres://postgres:${password}@127.0.0.1:${postgres}/postgres` });
  await client.connect();
  try {
    await client.query(`CREATE ROLE throughline LOGIN PASSWORD '${password}'`);
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The configuration of the page, for the ports and folders of a member. */
function patroniFile(
  { name, data, postgres, rest, links }: Member,
  { synchronous, bin, folder }: { readonly synchronous: boolean; readonly bin: string; readonly folder: string },
): string {
  const file = parseDocument(configurationOf("patroni.yaml"));
  const set = (path: string, value: unknown): void => {
    if (!file.hasIn(path.split("."))) throw new Error(`patroni.yaml of the page has no ${path}.`);
    file.setIn(path.split("."), value);
  };
  set("name", name);
  set("restapi.listen", `127.0.0.1:${rest}`);
  set("restapi.connect_address", `127.0.0.1:${links.health.port}`);
  set("etcd3.host", `127.0.0.1:${links.etcd.port}`);
  // Patroni would ask etcd for its address, and go around the link.
  file.setIn(["etcd3", "use_proxies"], true);
  set("bootstrap.dcs.synchronous_mode", synchronous);
  // An asynchronous standby takes over however far behind it is.
  if (!synchronous) file.setIn(["bootstrap", "dcs", "maximum_lag_on_failover"], 104_857_600);
  set("postgresql.listen", `127.0.0.1:${postgres}`);
  set("postgresql.connect_address", `127.0.0.1:${links.peers.port}`);
  set("postgresql.data_dir", data);
  set("postgresql.bin_dir", bin);
  set("postgresql.authentication.superuser.password", password);
  set("postgresql.authentication.replication.password", password);
  file.setIn(["postgresql", "pgpass"], join(folder, "pgpass"));
  file.setIn(["postgresql", "parameters"], { unix_socket_directories: folder });
  return String(file);
}

const haproxyFile = (port: number, members: readonly Member[]): string =>
  replaced(configurationOf("haproxy.cfg"), {
    "bind :5000": `bind 127.0.0.1:${port}`,
    ...Object.fromEntries(
      members.map(({ name, links }) => [`db-${name}:5432 check port 8008`, `127.0.0.1:${links.clients.port} check port ${links.health.port}`]),
    ),
  });

const pgbouncerFile = (port: number, proxy: number, folder: string): string =>
  replaced(configurationOf("pgbouncer.ini"), {
    "host=haproxy.internal port=5000": `host=127.0.0.1 port=${proxy}`,
    "listen_addr = *": "listen_addr = 127.0.0.1\nunix_socket_dir =",
    "listen_port = 6432": `listen_port = ${port}`,
    "/etc/pgbouncer/users": join(folder, "users"),
  });
