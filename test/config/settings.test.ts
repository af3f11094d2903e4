/** What a configuration means: defaults, what is put in, what goes before what, and what is hidden. */
import { inspect } from "node:util";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { serverOptions } from "../../packages/server/src/cli/commands/service-commands.ts";
import { loadSettings } from "../../packages/server/src/config/load-settings.ts";
import { plainSettings, printedSettings, settingsOf } from "../../packages/server/src/config/config-settings.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Store } from "../../packages/throughline/src/store/port.ts";
import { defaultLimits, defaultTokenTtl } from "../../packages/server/src/server/create-server.ts";
import { parseLocation } from "../../packages/throughline/src/store/postgres/location.ts";
import { newPostgresDatabase, noPostgres, serverUrl } from "../setup/database.ts";
import { place } from "./place.ts";

/** A port that is read from a file as this text. */
const hostOf = (text: string, environment: Readonly<Record<string, string>> = {}): string =>
  place(`server:\n  host: ${text}\n`).load(environment).settings.server.host;

describe("settings", () => {
  test("are complete without a file, and frozen to the leaves", () => {
    const { settings, file } = place().load();
    expect(file).toBeUndefined();
    expect(settings).toMatchObject({ server: { host: "127.0.0.1", port: 8420, drain_seconds: 25 }, agents: [], worker: { enabled: true } });
    expect(settings.store).toBeUndefined();
    expect(Object.isFrozen(settings.server.limits)).toBe(true);
    expect(settings).toEqual(settingsOf());
  });

  test.each(["", "# nothing\n", "server:\n", "server:\n  cors:\n", "---\n", "null\n", "\uFEFFserver:\n"])(
    "are the defaults for a file that says nothing: %j",
    (yaml) => {
      expect(place(yaml).load()).toEqual({ settings: settingsOf(), file: "throughline.yaml" });
    },
  );

  test("are by default what the service does by itself", () => {
    expect(serverOptions(settingsOf())).toMatchObject({ limits: defaultLimits, tokenTtl: defaultTokenTtl });
  });

  test("name files from the folder of the file that names them", () => {
    const { folder, write } = place();
    write("etc/app/throughline.yaml", "store: data/app.db\nagents: [../agent.ts]\nencryption: {key_file: keys}\n");
    write("etc/agent.ts", "");
    write("etc/app/keys", "");
    const { settings } = loadSettings({ file: "etc/app/throughline.yaml", environment: {}, folder });
    expect(settings.store?.reveal()).toBe(join(folder, "etc/app/data/app.db"));
    expect(settings.agents).toEqual([join(folder, "etc/agent.ts")]);
    expect(settings.encryption.key_file).toBe(join(folder, "etc/app/keys"));
  });

  test("L1: keep nothing only where the file says so", () => {
    expect(place("store: memory\n").load().settings.store?.reveal()).toBe(":memory:");
    expect(place().load({ THROUGHLINE__STORE: "memory" }).settings.store?.reveal()).toBe(":memory:");
    expect(place().load({ THROUGHLINE_DB: "memory" }).settings.store?.reveal()).toBe("./memory");
  });
});

describe("what is put in", () => {
  test.each([
    ["${HOST}", "a"],
    ["x-${HOST}.${HOST}", "x-a.a"],
    ["${NONE:-b}", "b"],
    ["${EMPTY:-b}", "b"],
    ["${HOST:-${NONE}}", "a"],
    ["${NONE:-${EMPTY:-${HOST}}}", "a"],
    ["${NONE:-x}${NONE:-y}", "xy"],
    ["${file:name}", "from-a-file"],
    ["x${file:name}", "xfrom-a-file"],
  ])("%s", (text, host) => {
    const { write, load } = place(`server:\n  host: ${text}\n`);
    write("name", "from-a-file\r\n\n");
    expect(load({ HOST: "a", EMPTY: "" }).settings.server.host).toBe(host);
  });

  test("is not looked through again, and a $${ is meant as it is", () => {
    expect(hostOf("${HOST}", { HOST: "${OTHER}" })).toBe("${OTHER}");
    expect(hostOf("$${HOST}", { HOST: "a" })).toBe("${HOST}");
    expect(hostOf("$$${HOST}", { HOST: "a" })).toBe("$${HOST}");
    expect(hostOf("$HOST", { HOST: "a" })).toBe("$HOST");
  });

  test("has the type that its key takes", () => {
    const { load } = place(
      'server:\n  port: ${PORT}\n  demo: "${DEMO}"\n  hosts: ${HOSTS}\nagent_config:\n  database:\n    hostname: h\n    password: ${NUMBER}\n',
    );
    const { settings } = load({ PORT: " 80", DEMO: "true", HOSTS: "a, b.c", NUMBER: "0123" });
    expect(settings.server).toMatchObject({ port: 80, demo: true, hosts: ["a", "b.c"] });
    expect(settings.store?.reveal()).toContain("postgres:0123@h");
  });
});

describe("the environment", () => {
  test("goes before the file, and a flag before the environment", () => {
    const { load, folder } = place("server: {port: 1, host: a, hosts: [x]}\nlog: {level: warn}\n");
    const environment = { THROUGHLINE__SERVER__PORT: "2", THROUGHLINE__SERVER__HOSTS: "y,z", THROUGHLINE__SERVER__CORS__ORIGINS: "https://a.b" };
    expect(load(environment).settings).toMatchObject({
      server: { port: 2, host: "a", hosts: ["y", "z"], cors: { origins: ["https://a.b"] } },
      log: { level: "warn" },
    });
    const flags = [{ path: ["server", "port"], value: 3, origin: { where: "--port", secret: true } }];
    expect(loadSettings({ environment, folder }, flags).settings.server.port).toBe(3);
  });

  test("takes out a fault of the file that it replaces", () => {
    const { load } = place("server: {port: http}\nagent_config:\n  database: {}\n");
    expect(load({ THROUGHLINE__SERVER__PORT: "2", THROUGHLINE_DB: "./other.db" }).settings).toMatchObject({ server: { port: 2 } });
  });

  test("adds to the file's database what the file leaves out", () => {
    const { load } = place("agent_config:\n  database:\n    hostname: h\n");
    expect(load({ THROUGHLINE__AGENT_CONFIG__DATABASE__PASSWORD: "p" }).settings.store?.reveal()).toContain("postgres:p@h:5432/postgres");
  });

  test("says nothing with an empty variable, and one thing with two names once", () => {
    const { load, refused } = place("server: {port: 1}\n");
    expect(load({ THROUGHLINE__SERVER__PORT: " ", THROUGHLINE_DB: "" }).settings.server.port).toBe(1);
    expect(load({ THROUGHLINE__STORE: "a.db", THROUGHLINE_DB: "a.db" }).settings.store?.reveal()).toBe("a.db");
    expect(refused({ THROUGHLINE__STORE: "a.db", THROUGHLINE_DB: "b.db" })).toEqual(["$THROUGHLINE_DB: store: differs from $THROUGHLINE__STORE"]);
  });
});

describe("the database block", () => {
  const urlOf = (block: string): string => place(`agent_config:\n  database: {${block}}\n`).load().settings.store?.reveal() ?? "";

  test("L3: has the port, the user, the database and the TLS of its description by default", () => {
    expect(urlOf("hostname: db.example.com, password: p")).toBe(
      "postgres://postgres:p@db.example.com:5432/postgres?sslmode=require&uselibpqcompat=true",
    );
  });

  test("is a location that the store understands, whatever its characters", () => {
    const password = 'p@ss:/?#[]%& +"ü';
    const url = urlOf(`hostname: "::1", password: ${JSON.stringify(password)}, user: "a b@c", dbname: "my db/ü", sslmode: disable`);
    const [parsed = ""] = parseLocation(url, { durability: "full", environment: {} }).urls;
    const { username, password: read, hostname, pathname, searchParams } = new URL(parsed);
    expect([username, read, pathname].map(decodeURIComponent)).toEqual(["a b@c", password, "/my db/ü"]);
    expect([hostname, searchParams.get("sslmode")]).toEqual(["[::1]", "disable"]);
  });
});

describe("the database block of a database with several servers", () => {
  const locationOf = (block: Readonly<Record<string, unknown>>) => {
    const { settings } = place(JSON.stringify({ agent_config: { database: { password: "p", ...block } } })).load();
    return parseLocation(settings.store?.reveal() ?? "", { durability: "full", environment: {} });
  };
  const placesOf = (urls: readonly string[]): readonly string[] => urls.map((url) => new URL(url).host);

  test("names each with a port of its own or that of the block", () => {
    const { urls, listenUrls, shown } = locationOf({ hostname: "db-1,db-2:5433,::1,[::2],[::3]:5434", port: 6432 });
    expect(placesOf(urls)).toEqual(["db-1:6432", "db-2:5433", "[::1]:6432", "[::2]:6432", "[::3]:5434"]);
    expect(listenUrls).toEqual(urls);
    expect(shown).not.toContain("p@");
  });

  test("says where to listen, in which schema the tables are, and whether statements are prepared", () => {
    const location = locationOf({ hostname: "pooler", port: 6432, schema: "chat", listen_host: "db-1,db-2:5433", prepared_statements: "off" });
    expect(placesOf(location.urls)).toEqual(["pooler:6432"]);
    expect(placesOf(location.listenUrls)).toEqual(["db-1:5432", "db-2:5433"]);
    expect(location).toMatchObject({ schema: "chat", preparedStatements: "off" });
    expect(locationOf({ hostname: "db" })).toMatchObject({ schema: "throughline", preparedStatements: "auto" });
  });

  test.each([
    [{ hostname: "db-1,,db-2" }, "hostname: is not a host name, nor several with commas"],
    [{ hostname: "db", listen_host: "a b" }, "listen_host: is not a host name, nor several with commas"],
    [{ hostname: "db", schema: "pg_chat" }, "schema: must not begin with pg_"],
    [{ hostname: "db", schema: "ü".repeat(32) }, "schema: must have at most 63 bytes"],
    [{ hostname: "db", prepared_statements: "on" }, 'prepared_statements: must be one of auto, off, got "on"'],
  ])("refuses %j", (block, why) => {
    expect(() => locationOf(block)).toThrow(expect.objectContaining({ message: expect.stringContaining(`agent_config.database.${why}`) as string }));
  });
});

describe.skipIf(noPostgres !== undefined)("the database block on PostgreSQL", () => {
  /** Opens the tests' own database as a configuration describes it. */
  const opened = async (sslmode: string, more: Readonly<Record<string, unknown>> = {}): Promise<Store> => {
    const { hostname, port, username, password, pathname } = new URL(await newPostgresDatabase());
    const block = { hostname, port: Number(port), user: username, password, dbname: pathname.slice(1), sslmode, ...more };
    const { settings } = place(JSON.stringify({ agent_config: { database: block } })).load();
    return openStore(settings.store?.reveal() ?? "");
  };

  test("L3: opens it", async () => {
    const store = await opened("disable");
    expect(await store.list({ of: "sessions" })).toMatchObject({ total: 0 });
    await store.close();
  });

  test("opens the primary of several servers, in a schema of its own, over another server to listen", async () => {
    const { hostname, port } = new URL(serverUrl());
    // Nobody listens at the first one.
    const store = await opened("disable", {
      hostname: `127.0.0.1:1,${hostname}`,
      schema: "chat",
      listen_host: `${hostname}:${port}`,
      prepared_statements: "off",
    });
    expect(await store.list({ of: "sessions" })).toMatchObject({ total: 0 });
    await store.close();
  });

  test.each(["require", "verify-full"])("L3: speaks with no server in the clear where %s is asked for", async (sslmode) => {
    await expect(opened(sslmode)).rejects.toMatchObject({ code: "store.unreachable", message: expect.stringContaining("SSL") as string });
  });
});

describe("a secret", () => {
  const settings = settingsOf({
    agent_config: { database: { hostname: "h", password: "canary-1" } },
    auth: { token_secret: "canary-2-which-is-32-characters-long" },
  });

  test("is not shown by whatever prints it", () => {
    const shown = [
      JSON.stringify(settings),
      inspect(settings, { depth: 9, showHidden: true }),
      String(settings.store) + String(settings.auth.token_secret),
    ];
    expect(shown.join()).not.toContain("canary");
    expect(structuredCloneFails(settings)).toBe(true);
    expect(String(settings.store)).toBe("postgres://postgres:***@h:5432/postgres?sslmode=require&uselibpqcompat=true");
    expect(String(settingsOf({ store: "postgres://u:canary@h/d?password=canary" }).store)).toBe("postgres://u:***@h/d?password=***");
    expect(String(settingsOf({ store: "postgres://u:can:a@ry@h/d" }).store)).toBe("postgres://u:***@h/d");
  });

  test("is in what is printed only if it is not redacted, and what is printed can be read again", () => {
    expect(printedSettings(settings, { redacted: true })).not.toContain("canary");
    const text = printedSettings(settings, { redacted: false });
    expect(plainSettings(place(text).load().settings, { redacted: false })).toEqual(plainSettings(settings, { redacted: false }));
    const odd = settingsOf({ store: "memory", server: { host: "${HOST}" } });
    expect(place(printedSettings(odd, { redacted: false })).load().settings).toMatchObject({ server: { host: "${HOST}" } });
  });
});

function structuredCloneFails(value: unknown): boolean {
  try {
    structuredClone(value);
    return false;
  } catch {
    return true;
  }
}
