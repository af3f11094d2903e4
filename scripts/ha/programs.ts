/** The programs of a highly available PostgreSQL, as Debian installs them. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface Programs {
  readonly etcd: string;
  readonly haproxy: string;
  readonly patroni: string;
  readonly pgbouncer: string;
  /** The folder of PostgreSQL's own programs. */
  readonly postgresFolder: string;
  /** The user that runs PostgreSQL, which refuses to run as root. Undefined if the present user does. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

const packages: Readonly<Record<string, string>> = {
  etcd: "etcd-server",
  haproxy: "haproxy",
  patroni: "patroni",
  pgbouncer: "pgbouncer",
  postgres: "postgresql",
};

/** Debian keeps some of them where only administrators look. */
const usualFolders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The newest PostgreSQL. */
function postgresFolder(): string | undefined {
  const root = "/usr/lib/postgresql";
  let versions: readonly string[];
  try {
    versions = readdirSync(root);
  } catch {
    return undefined;
  }
  return versions
    .toSorted((left, right) => Number(right) - Number(left))
    .map((version) => join(root, version, "bin"))
    .find((folder) => isRunnable(join(folder, "pg_rewind")));
}

function idOf(user: string, of: "-u" | "-g"): number {
  return Number(spawnSync("id", [of, user], { encoding: "utf8" }).stdout);
}

/** Programs that are not there, with the packages that have them. */
interface Missing {
  readonly missing: readonly string[];
  readonly packages: readonly string[];
}

/** Why a cluster cannot be started. */
export const reasonOf = ({ missing, packages: from }: Missing): string =>
  `there is no ${missing.join(", ")} on this machine. On Debian: apt-get install ${from.join(" ")}`;

/** Finds the programs, or says which are missing, and which packages have them. */
export function findPrograms(folders: readonly string[] = usualFolders): Programs | Missing {
  const find = (name: string): string | undefined => folders.map((folder) => join(folder, name)).find(isRunnable);
  const [etcd, haproxy, patroni, pgbouncer] = [find("etcd"), find("haproxy"), find("patroni"), find("pgbouncer")];
  const folder = postgresFolder();
  if (etcd !== undefined && haproxy !== undefined && patroni !== undefined && pgbouncer !== undefined && folder !== undefined) {
    const owner = process.getuid?.() === 0 ? { uid: idOf("postgres", "-u"), gid: idOf("postgres", "-g") } : undefined;
    return { etcd, haproxy, patroni, pgbouncer, postgresFolder: folder, owner };
  }
  const found: Readonly<Record<string, string | undefined>> = { etcd, haproxy, patroni, pgbouncer, postgres: folder };
  const missing = Object.keys(packages).filter((name) => found[name] === undefined);
  return { missing, packages: missing.map((name) => packages[name] ?? name) };
}
