/** The configuration at the command line. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { openStore } from "../../packages/throughline/src/index.ts";
import { command, type Done } from "./in-process.ts";
import { newFolder, run } from "./run-cli.ts";

const folderWith = (yaml: string): string => {
  const folder = newFolder();
  writeFileSync(join(folder, "throughline.yaml"), yaml);
  return folder;
};

describe("throughline config", () => {
  test("check names all that is wrong, by line, and ends with 2", () => {
    const cwd = folderWith("server:\n  prot: 1\nwibble: 1\n");
    const { code, err, out } = run(["config", "check"], { cwd });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("throughline.yaml:2: server.prot: is not a key; did you mean port?\nthroughline.yaml:3: wibble: is not a key\n");
    expect(JSON.parse(run(["serve", "--json"], { cwd }).out)).toMatchObject({
      error: {
        code: "config.invalid",
        details: {
          violations: [
            { line: 2, path: "server.prot" },
            { line: 3, path: "wibble" },
          ],
        },
      },
    });
  });

  test("check refuses what serve refuses: an address that nothing reaches, an agent and a routine that are none", async () => {
    const target = folderWith('webhooks:\n  targets:\n    - {name: crm, url: "http://127.0.0.1:1/"}\n');
    const { code, err } = run(["config", "check"], { cwd: target });
    expect(code).toBe(2);
    expect(err).toContain("webhooks.targets[0].url: 127.0.0.1 is not the address of a public server.");
    const allowed = folderWith('webhooks:\n  targets:\n    - {name: crm, url: "http://127.0.0.1:1/"}\n  allow_hosts: ["127.0.0.1:1"]\n');
    expect(await command(["config", "check"], { folder: allowed })).not.toHaveProperty("error");
    const source = (rule: string): string =>
      folderWith(`webhooks:\n  sources:\n    - {name: gh, scheme: github, secrets: [aaaaaaaaaa], rules: [${rule}]}\n`);
    const agent = source("{agent: no_such_agent, customer: {from: body.c}, message: hi}");
    expect(await command(["config", "check"], { folder: agent })).toMatchObject({ error: "agent.not_found" });
    expect(await command(["config", "check"], { folder: source("{run: no_such_routine}") })).toMatchObject({ error: "routine.not_found" });
  });

  test("stops whatever needs a setting, and nothing else", async () => {
    const folder = folderWith("wibble: 1\n");
    const commands = [["serve"], ["worker"], ["sessions", "list"], ["keys", "list"], ["config", "print", "--redacted"]];
    for (const words of commands) expect(await command(words, { folder })).toMatchObject({ error: "config.invalid", out: "" });
    expect(await command(["keys", "generate"], { folder })).not.toHaveProperty("error");
    expect((await command(["doctor"], { folder })).out).toMatch(/^fail {2}config +1 violations: `throughline config check` names them$/m);
  });

  test("print shows every setting, and a secret only where it is asked for", async () => {
    const folder = folderWith("agent_config:\n  database: {hostname: h, password: canary}\nserver: {port: 1}\n");
    const redacted = (await command(["config", "print", "--redacted"], { folder, environment: { THROUGHLINE__LOG__LEVEL: "debug" } })).out;
    expect(redacted).toMatch(/^store: postgres:\/\/postgres:\*\*\*@h:5432/m);
    expect(redacted).toMatch(/^ {2}port: 1$/m);
    expect(redacted).toMatch(/^ {2}level: debug$/m);
    expect((await command(["config", "print"], { folder })).out).toContain("postgres:canary@h");
    const document = JSON.parse((await command(["config", "print", "--redacted", "--json"], { folder })).out) as unknown;
    expect(document).toMatchObject({ server: { port: 1 }, log: { level: "info" } });
  });

  test("schema is the one that editors are told of", async () => {
    const published = readFileSync(join(root, "etc/throughline.schema.json"), "utf8");
    expect(JSON.parse((await command(["config", "schema"], { folder: newFolder() })).out)).toEqual(JSON.parse(published));
  });
});

describe("every command", () => {
  test("looks for its database where the configuration says, unless somebody says otherwise", async () => {
    const folder = folderWith("store: ./data/app.db\n");
    mkdirSync(join(folder, "data"));
    await (await openStore(join(folder, "data/app.db"))).close();
    const list = (words: readonly string[] = [], environment = {}): Promise<Done> => command(["sessions", "list", ...words], { folder, environment });
    const missing = { error: "store.not_found" };
    expect(await list()).not.toHaveProperty("error");
    expect(await list(["--db", join(folder, "data/app.db")])).not.toHaveProperty("error");
    expect(await list(["--db", join(folder, "none.db")])).toMatchObject(missing);
    expect(await list([], { THROUGHLINE_DB: join(folder, "none.db") })).toMatchObject(missing);
    expect(await list([], { THROUGHLINE__STORE: join(folder, "none.db") })).toMatchObject(missing);
    writeFileSync(join(folder, "other.yaml"), "store: none.db\n");
    expect(await list(["--config", "other.yaml"])).toMatchObject(missing);
    expect(await list([], { THROUGHLINE_CONFIG: "other.yaml" })).toMatchObject(missing);
    expect(await list(["--config", "none.yaml"])).toMatchObject({
      error: "file.unreadable",
      message: expect.stringContaining("none.yaml") as string,
    });
  });

  test("is not stopped by a configuration that it does not need", async () => {
    const folder = folderWith("store: ${NOT_FOR_YOU}\n");
    await (await openStore(join(folder, "own.db"))).close();
    expect(await command(["sessions", "list", "--db", join(folder, "own.db")], { folder })).not.toHaveProperty("error");
    expect(await command(["sessions", "list"], { folder })).toMatchObject({ error: "config.invalid" });
  });
});

describe("throughline keys", () => {
  const keys = (folder: string, ...words: readonly string[]): Promise<Done> =>
    command(["--db", join(folder, "app.db"), "keys", ...words], { folder });

  test("create shows an API key once, list what it may, revoke takes it back", async () => {
    const folder = newFolder();
    const words = ["--name", "shop", "--scope", "sessions:read,usage:read", "--scope", "tokens", "--expires-days", "30"];
    const { out: key, err } = await keys(folder, "create", ...words);
    expect(key).toMatch(/^tl_live_[0-9a-z]{16}_[A-Za-z0-9_-]{43}\n$/);
    expect(err).toContain("only this once");
    const id = key.split("_")[2] ?? "";
    const { out: listed } = await keys(folder, "list");
    expect(listed).toMatch(new RegExp(`^${id} +active +never +\\d{4}-\\d\\d-\\d\\d +shop +sessions:read,usage:read,tokens$`, "m"));
    expect(listed).not.toContain(key.trim().slice(-43));
    expect((await keys(folder, "revoke", key.trim())).out).toContain(`The API key ${id} (shop) is revoked`);
    expect(JSON.parse((await keys(folder, "list", "--json")).out)).toMatchObject({ items: [{ id, status: "revoked", name: "shop" }] });
    expect(await keys(folder, "revoke", "0123456789abcdef")).toMatchObject({ error: "key.not_found" });
    expect(await keys(folder, "revoke-tokens", "nobody")).toMatchObject({ error: "customer.not_found" });
  });

  test("refuse a scope that there is not, and a key without name, scope or end", async () => {
    const folder = newFolder();
    const refused = async (...words: readonly string[]): Promise<string> => {
      const { error, message, out } = await keys(folder, "create", ...words);
      expect(out).toBe("");
      return `${error}: ${message}`;
    };
    expect(await refused("--name", "x", "--scope", "session:read")).toMatch(
      /^cli\.usage: There is no scope "session:read".*sessions:read, sessions:write/,
    );
    expect(await refused("--name", "x")).toMatch(/^cli\.usage: .*--scope/);
    expect(await refused("--scope", "admin")).toMatch(/^cli\.usage: .*--name/);
    expect(await refused("--name", " ", "--scope", "admin")).toMatch(/^input\.invalid: .*1 to 100 characters/);
    expect(await refused("--name", "x", "--scope", "admin", "--expires-days", "0")).toMatch(/^cli\.usage: .*from 1 to 3650/);
    expect((await keys(folder, "list")).err).toContain("no API keys yet");
  });

  test("tell the two kinds apart", async () => {
    const { out } = await command(["keys", "--help"], { folder: newFolder() });
    for (const word of ["create", "list", "revoke"]) expect(out).toMatch(new RegExp(`^  ${word}[^\\n]* API keys:`, "m"));
    for (const word of ["generate", "rotate"]) expect(out).toMatch(new RegExp(`^  ${word}[^\\n]* operator keys:`, "m"));
  });
});
