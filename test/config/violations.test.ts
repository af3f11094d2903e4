/** Every way in which a configuration can be wrong, with its line. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../packages/server/src/config/load-settings.ts";
import { settingsOf } from "../../packages/server/src/config/config-settings.ts";
import { place } from "./place.ts";
import { cpuMs } from "../setup/cpu-time.ts";

/** What is written, and the lines that it is refused with, after the name of the file. */
const wrong: readonly (readonly [what: string, yaml: string, ...lines: string[]])[] = [
  ["a key that is misspelt", "server:\n  prot: 1\n", "2: server.prot: is not a key; did you mean port?"],
  ["a key with swapped letters", "sotre: memory\n", "1: sotre: is not a key; did you mean store?"],
  ["a key in another style", "server:\n  drainSeconds: 1\n", "2: server.drainSeconds: is not a key; did you mean drain_seconds?"],
  ["a port for metrics that are off", "telemetry:\n  worker_port: 9464\n", "2: telemetry.worker_port: needs metrics, which are off"],
  [
    "a block of a manifest",
    "agent_config:\n  runtime:\n    log_level: INFO\n",
    "2: agent_config.runtime: is not a key; in its place there is auth.token_secret, callbacks.secrets, log.level, agents",
  ],
  [
    "a key of a manifest that nothing stands for",
    "endpoint: true\n",
    "1: endpoint: is not a key: There is no platform. `server.host` decides who reaches the service.",
  ],
  ["a key in the wrong block", "\nport: 1\n", "2: port: is not a key; did you mean port, in the block agent_config.database or in the block server?"],
  [
    "a key of a block outside of it",
    "drain: 1\nkey_file: x\n",
    "1: drain: is not a key",
    "2: key_file: is not a key; did you mean key_file, in the block encryption?",
  ],
  ["a key of no block inside of one", "log:\n  agents: []\n", "2: log.agents: is not a key; did you mean agents, outside of all blocks?"],
  ["a path in the place of a key", "server.port: 1\n", "1: server.port: is not a key; did you mean port, in the block server?"],
  ["a key like nothing", "wibble: 1\n", "1: wibble: is not a key"],
  ["a key that objects have", "__proto__: {a: 1}\nconstructor: 1\n", "1: __proto__: is not a key", "2: constructor: is not a key"],
  ["a key twice", "server:\n  port: 1\n  host: a\n  port: 2\n", "4: server.port: is a duplicate key"],
  ["a number that is text", "server:\n  port: http\n", '2: server.port: must be a whole number, got "http"'],
  ["a number in quotes", 'server:\n  port: "80"\n', '2: server.port: must be a whole number, got "80"'],
  ["a broken number", "server:\n  port: 80.5\n", "2: server.port: must be a whole number, got 80.5"],
  ["a number that is too small", "server:\n  port: -1\n", "2: server.port: must be at least 0, got -1"],
  ["a number that is too large", "server:\n  port: 65536\n", "2: server.port: must be at most 65535, got 65536"],
  ["a truth in other words", "worker:\n  enabled: yes\n", '2: worker.enabled: must be true or false, got "yes"'],
  ["a text that is a number", "agents: [1]\n", "1: agents[0]: must be a text, in quotes, got 1"],
  ["a text in the place of a list", "server:\n  hosts: a\n", '2: server.hosts: must be a list, got "a"'],
  ["a list in the place of a block", "server: [a]\n", "1: server: must be a block of keys"],
  ["a block in the place of a text", "store: {a: 1}\n", "1: store: must be a text"],
  [
    "a word that is none of those",
    "log:\n  level: warning\n",
    '2: log.level: must be one of debug, info, warn, error, silent, got "warning"; did you mean warn?',
  ],
  ["a value that is left out", "server:\n  port:\n", "2: server.port: has no value: remove the key to use the default"],
  ["an empty text", 'store: ""\n', "1: store: must not be empty"],
  ["a host with a scheme", "server:\n  host: http://x\n", '2: server.host: is not a host name or address, got "http://x"'],
  [
    "any origin",
    'server:\n  cors:\n    origins: ["*"]\n',
    '3: server.cors.origins[0]: must be an origin such as https://app.example.com, without path, got "*"',
  ],
  [
    "an origin with a path",
    "server:\n  cors:\n    origins:\n      - https://a.b\n      - https://a.b/\n",
    '5: server.cors.origins[1]: must be an origin such as https://app.example.com, without path, got "https://a.b/"',
  ],
  ["an address of another kind", "server:\n  base_url: ftp://a\n", '2: server.base_url: must be an http(s) address without query, got "ftp://a"'],
  ["a secret that is too short, which is not shown", "auth:\n  token_secret: short\n", "2: auth.token_secret: must have at least 32 characters"],
  [
    "former secrets without one that signs",
    `auth:\n  former_token_secrets: [${"x".repeat(32)}, canary]\n`,
    "2: auth.former_token_secrets: needs token_secret, because former secrets only verify tokens",
    "2: auth.former_token_secrets[1]: must have at least 32 characters",
  ],
  ["an agent that is not there", "agents:\n  - ./none.ts\n", "2: agents[0]: names no file: there is no ./none.ts"],
  ["a key file that is not there", "encryption:\n  key_file: none\n", "2: encryption.key_file: names no file: there is no none"],
  ["L3: a database without host", "agent_config:\n  database:\n    password: p\n", "2: agent_config.database.hostname: is missing"],
  ["L3: a database without password", "agent_config:\n  database:\n    hostname: h\n", "2: agent_config.database.password: is missing"],
  [
    "L3: a database without anything",
    "agent_config:\n  database:\n",
    "2: agent_config.database.hostname: is missing",
    "2: agent_config.database.password: is missing",
  ],
  ["L3: an empty host", 'agent_config:\n  database: {hostname: "", password: p}\n', "2: agent_config.database.hostname: must not be empty"],
  [
    "a password that is a number, which is not shown",
    "agent_config:\n  database:\n    hostname: h\n    password: 0123\n",
    "4: agent_config.database.password: must be a text, in quotes",
  ],
  [
    "two databases",
    "store: memory\nagent_config:\n  database: {hostname: h, password: p}\n",
    "3: agent_config.database: names a database, and so does store: remove one of them",
  ],
  [
    "TLS that is no mode",
    "agent_config:\n  database: {hostname: h, password: p, sslmode: on}\n",
    '2: agent_config.database.sslmode: must be one of disable, require, verify-ca, verify-full, got "on"',
  ],
  [
    "TLS without what it checks with",
    "agent_config:\n  database: {hostname: h, password: p, sslmode: verify-ca}\n",
    "2: agent_config.database.sslmode: is verify-ca, which needs sslrootcert",
  ],
  ["a variable that is not set", "store: ${NO_SUCH}\n", "1: store: names the variable NO_SUCH, which is not set"],
  ["what is put in and is wrong, which is not shown", "server:\n  port: ${WORD}\n", "2: server.port: must be a whole number"],
  ["a reference that is not closed", 'store: "a ${B"\n', "1: store: has a ${ without a closing }; write $${ for a literal ${"],
  [
    "a reference of no known form",
    'store: "${A-B}"\n',
    "1: store: has a ${…} that is not ${NAME}, ${NAME:-default} or ${file:path}; write $${ for a literal ${",
  ],
  ["an anchor that is not there", "store: *none\n", '1: store: names the anchor "none", which is not above it'],
  ["a tag", "store: !secret memory\n", "1: unresolved tag: !secret"],
  ["a tabulator", "server:\n\tport: 1\n", "2: tabs are not allowed as indentation"],
  ["a file that is something else, which is not shown", "canary\n", "1: must be a block of keys"],
  ["no number at all", "server: {port: .inf}\n", "1: server.port: must be a whole number, got Infinity"],
  ["a location of two lines", 'store: "a\\nb"\n', "1: store: must be one line"],
  ["a merge of blocks", "server:\n  <<: {port: 1}\n", "2: server.<<: is not a key"],
  ["no key but something", ": x\n", "1: null: is not a key"],
  ["a list in the place of all", "- a\n", "1: must be a block of keys"],
  ["two documents", "store: memory\n---\nstore: memory\n", "2: source contains multiple documents; please use YAML.parseAllDocuments()"],
];

describe("what is wrong is named with its line", () => {
  test.each(wrong)("%s", (_what, yaml, ...lines) => {
    expect(place(yaml).refused({ WORD: "canary-word" })).toEqual(lines.map((line) => `throughline.yaml:${line}`));
  });

  test("all of it at once, in the order of the file, and that of the environment before it", () => {
    const { refused } = place("wibble: 1\nserver:\n  port: 70000\n  host: ${NO_SUCH}\nlog: {level: x, format: y}\n");
    expect(refused({ THROUGHLINE__SERVER__PROT: "1", THROUGHLINE__SERVER: "1", THROUGHLINE__WORKER__ENABLED: "maybe" })).toEqual([
      "$THROUGHLINE__SERVER: server: is a block: name one of its keys",
      "$THROUGHLINE__SERVER__PROT: is not a setting; did you mean $THROUGHLINE__SERVER__PORT?",
      "$THROUGHLINE__WORKER__ENABLED: worker.enabled: must be true or false",
      "throughline.yaml:1: wibble: is not a key",
      "throughline.yaml:3: server.port: must be at most 65535, got 70000",
      "throughline.yaml:4: server.host: names the variable NO_SUCH, which is not set",
      'throughline.yaml:5: log.level: must be one of debug, info, warn, error, silent, got "x"',
      'throughline.yaml:5: log.format: must be one of json, text, got "y"',
    ]);
  });

  test("as details too, for whoever shows them elsewhere", () => {
    const { load } = place("server:\n  port: 70000\n");
    expect(() => load()).toThrow(
      expect.objectContaining({
        code: "config.invalid",
        details: {
          violations: [{ where: "throughline.yaml", line: 2, column: 3, path: "server.port", message: "must be at most 65535, got 70000" }],
        },
      }) as Error,
    );
  });

  test("a file that is put in must be one, and is read whole or not at all", () => {
    const { write, refused, folder } = place("store: ${file:none}\nagents:\n  - ${file:folder}\n  - ${file:/dev/zero}\n  - ${file:large}\n");
    mkdirSync(join(folder, "folder"));
    write("large", "x".repeat(1_048_577));
    expect(refused()).toEqual([
      `throughline.yaml:1: store: names ${join(folder, "none")}, which cannot be read (ENOENT)`,
      `throughline.yaml:3: agents[0]: names ${join(folder, "folder")}, which is not a file`,
      "throughline.yaml:4: agents[1]: names /dev/zero, which is not a file",
      `throughline.yaml:5: agents[2]: names ${join(folder, "large")}, which is longer than 1048576 bytes`,
    ]);
  });

  test("what was put in, and what is secret, is in no message", () => {
    const canary = "canary-7b1";
    const { refused } = place(
      `server: {host: "\${A} b", port: "\${A}", hosts: ["\${A} c"]}\nauth: {token_secret: ${canary}}\nlog: {level: "\${A}"}\n` +
        `store: ["${canary}"]\nagents: "\${A}"\n"${canary}: x\n`,
    );
    const lines = refused({ A: canary, THROUGHLINE__WORKER__CONCURRENCY: canary, THROUGHLINE__ENCRYPTION__KEY_FILE: canary });
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.join("\n")).not.toContain(canary);
  });

  test("aliases of aliases do not make a billion values of ten lines", () => {
    const lines = [
      "a: &a [1,1,1,1,1,1,1,1,1,1]",
      ..."bcdefghi".split("").map((name, at) => `${name}: &${name} [${"*".concat("abcdefgh"[at] ?? "", ",").repeat(10)}]`),
    ];
    const begun = cpuMs();
    expect(place(`${lines.join("\n")}\n`).refused()).toContain("throughline.yaml:1: has more than 10000 values");
    expect(cpuMs() - begun).toBeLessThan(2_000);
  });

  test("settings that are given as values are checked by the same rules", () => {
    expect(() => settingsOf({ server: { port: 70_000 }, store: "memory", agent_config: { database: { hostname: "h", password: "p" } } })).toThrow(
      "settings: agent_config.database: names a database, and so does store: remove one of them\nsettings: server.port: must be at most 65535",
    );
  });

  test("a file that somebody names must be there", () => {
    const { folder } = place();
    const named = (file: string): unknown => loadSettings({ file, environment: {}, folder });
    expect(() => named("none.yaml")).toThrow(
      expect.objectContaining({ code: "file.unreadable", message: "The configuration none.yaml cannot be read (ENOENT)." }) as Error,
    );
    expect(() => named(".")).toThrow("The configuration . is not a file.");
    expect(() => loadSettings({ environment: { THROUGHLINE_CONFIG: "none.yaml" }, folder })).toThrow("none.yaml");
  });
});
