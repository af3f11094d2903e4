/** The configurations of the page about deployment: each starts a service, and those of a cluster survive the loss of its primary. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configurationOf, replaced } from "../scripts/ha/page.ts";
import { findPrograms, reasonOf } from "../scripts/ha/programs.ts";
import { faults, runFault } from "../scripts/ha/run-fault.ts";
import { diary, newFolder, start } from "./cli/run-cli.ts";
import { newPostgresDatabase, noPostgres, runSql } from "./setup/database.ts";
import { transactionPooler } from "./setup/transaction-pooler.ts";

/** The place of a database of the tests, as it stands in a configuration. */
function placeOf(url: string): { readonly host: string; readonly user: string; readonly password: string; readonly name: string } {
  const { host, username, password, pathname } = new URL(url);
  return { host, user: username, password, name: pathname.slice(1) };
}

const configurations: Readonly<Record<string, (url: string) => Promise<Readonly<Record<string, string>>>>> = {
  "sqlite.yaml": async () => ({}),
  "postgres.yaml": async (url) => {
    const { host, user, name } = placeOf(url);
    const [hostname = "", port = ""] = host.split(":");
    return {
      "db.internal": `${hostname}\n    port: ${port}`,
      "user: throughline": `user: ${user}`,
      "dbname: app": `dbname: ${name}`,
      "verify-full": "disable",
    };
  },
  "pooled.yaml": async (url) => {
    const { host, user, name } = placeOf(url);
    const pooler = await transactionPooler(url);
    return { throughline: user, "pooler.internal:6432": new URL(pooler.url).host, "haproxy.internal:5000": host, "/app": `/${name}` };
  },
  "hosts.yaml": async (url) => {
    const { host, user, name } = placeOf(url);
    const standby = await transactionPooler(url, { readOnly: true });
    return { throughline: user, "db-a.internal:5432": new URL(standby.url).host, "db-b.internal:5432": host, "/app": `/${name}` };
  },
};

describe("a service is started by the page's", () => {
  test.for(Object.entries(configurations))("%s", async ([file, changesOf], { skip }) => {
    if (noPostgres !== undefined) skip(noPostgres);
    const url = await newPostgresDatabase();
    const cwd = newFolder();
    mkdirSync(join(cwd, "data"));
    writeFileSync(join(cwd, "throughline.yaml"), replaced(configurationOf(file), await changesOf(url)));
    const live = start(["serve", ...diary, "--port", "0"], { cwd, env: { DB_PASSWORD: placeOf(url).password } });
    await live.until("Ready: ");
    live.child.kill("SIGTERM");
    expect(await live.ended).toEqual({ code: 0, signal: null });
    const made = await runSql(url, "SELECT to_regclass('throughline.events') IS NOT NULL AS made");
    expect(made).toEqual([{ made: file !== "sqlite.yaml" }]);
  });
});

describe("a cluster", () => {
  const programs = findPrograms();

  test("of the page's configurations loses its primary, and no message", { timeout: 400_000 }, async ({ skip }) => {
    if ("missing" in programs) return skip(reasonOf(programs));
    const report = await runFault(programs, faults["kill"]!, { seconds: 2 });
    expect(report).toMatchObject({ lost: 0, twice: 0, answered: report.acknowledged });
    expect(report.acknowledged).toBeGreaterThan(0);
    expect(report.failed).toBeGreaterThan(0);
  });

  test("is not started without its programs, and the reason says what to install", () => {
    const found = findPrograms(["/nowhere"]);
    expect("missing" in found && reasonOf(found)).toMatch(
      /no etcd, haproxy, patroni, pgbouncer.* apt-get install etcd-server haproxy patroni pgbouncer/u,
    );
  });
});
