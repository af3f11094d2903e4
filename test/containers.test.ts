/** The container files, read as data: what matters of them, without an engine. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Script } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { root } from "../scripts/root.ts";
import { loadSettings } from "../packages/server/src/config/load-settings.ts";

const read = (name: string): string => readFileSync(join(root, name), "utf8");

/** The instructions of the Dockerfile, with their continuations on one line. */
const instructions = read("Dockerfile")
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1, 3) ?? ["", line]);

const last = (name: string): string => instructions.findLast(([word]) => word === name)?.[1] ?? "";
const wordsOf = (text: string): readonly string[] => z.array(z.string()).parse(JSON.parse(text));

describe("the Dockerfile", () => {
  test("has three stages on the Node that the package asks for, and only instructions that there are", () => {
    const known = new Set(["FROM", "WORKDIR", "COPY", "RUN", "ENV", "VOLUME", "USER", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK", "ENTRYPOINT", "CMD"]);
    expect(instructions.filter(([word = ""]) => !known.has(word))).toEqual([]);
    expect(instructions.filter(([word]) => word === "FROM").map(([, image]) => image)).toEqual([
      "node:24-slim AS dependencies",
      "node:24-slim AS page",
      "node:24-slim",
    ]);
    expect(last("RUN")).not.toMatch(/apt|gcc|make|python/);
  });

  test("runs as nobody in particular, by commands that get signals themselves", () => {
    expect(last("USER")).toBe("node");
    const entry = wordsOf(last("ENTRYPOINT"));
    expect(entry[0]).toBe("node");
    expect(existsSync(join(root, entry[1]?.replace("/app/", "") ?? ""))).toBe(true);
    expect(wordsOf(last("CMD"))).toEqual(["serve"]);
    expect(instructions.findIndex(([word]) => word === "USER")).toBeGreaterThan(instructions.findLastIndex(([word]) => word === "RUN"));
  });

  test("asks whether it is ready with Node's own fetch", () => {
    const [, command = ""] = /CMD (\[.*\])$/.exec(last("HEALTHCHECK")) ?? [];
    const [program, flag, code = ""] = wordsOf(command);
    expect([program, flag]).toEqual(["node", "-e"]);
    expect(code).toContain("/readyz");
    expect(() => new Script(code)).not.toThrow();
  });

  test("copies what there is, and what .dockerignore lets through", () => {
    const let_through = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = instructions.flatMap(([word, rest = ""]) => (word === "COPY" && !rest.startsWith("--from") ? rest.split(" ").slice(0, -1) : []));
    expect([...new Set(copied)].toSorted()).toEqual(let_through.toSorted());
    expect(copied.filter((name) => !existsSync(join(root, name)))).toEqual([]);
    expect(read(".dockerignore")).toMatch(/^\*$/m);
  });
});

const service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  secrets: z.array(z.string()),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  healthcheck: z.looseObject({}).optional(),
  stop_grace_period: z.string(),
  read_only: z.boolean().optional(),
});
const composeFile = z.object({
  services: z.object({ database: service, server: service, worker: service }),
  volumes: z.record(z.string(), z.null()),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});
const { services, secrets, volumes } = composeFile.parse(parse(read("compose.yaml"), { merge: true }));

describe("compose.yaml", () => {
  test("starts a database that is well, then a server that runs no turns and a worker that does", () => {
    const { database, server, worker } = services;
    expect([server.command, worker.command]).toEqual([["serve", "--no-work"], ["worker"]]);
    for (const { depends_on } of [server, worker]) expect(depends_on).toEqual({ database: { condition: "service_healthy" } });
    expect(database.healthcheck).toMatchObject({ test: ["CMD", "pg_isready", "--username=throughline", "--dbname=throughline"] });
    expect(worker.healthcheck).toEqual({ disable: true });
  });

  test("keeps secrets in files, its ports to this machine, and data in volumes that there are", () => {
    for (const { secrets: used, environment } of Object.values(services)) {
      expect(used.filter((name) => secrets[name] === undefined)).toEqual([]);
      expect(Object.keys(environment).filter((name) => /PASSWORD$|SECRET$|KEY$/.test(name))).toEqual([]);
    }
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual(["127.0.0.1:8420:8420"]);
    const named = Object.values(services).flatMap((one) => one.volumes.map((volume) => volume.split(":")[0] ?? ""));
    for (const name of named) expect(name.startsWith("./") ? existsSync(join(root, name)) : name in volumes).toBe(true);
    expect(read(".gitignore")).toMatch(/^secrets\/$/m);
    for (const { read_only } of [services.server, services.worker]) expect(read_only).toBe(true);
  });

  test("configures both by a file that is right, and lets them end in peace", () => {
    const folder = mkdtempSync(join(tmpdir(), "throughline-compose-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of Object.keys(secrets)) writeFileSync(join(folder, name), `${"s".repeat(40)}\n`);
    const [file = "", inside] = services.server.volumes[0]?.split(":") ?? [];
    expect(inside).toBe(services.server.environment["THROUGHLINE_CONFIG"]);
    writeFileSync(join(folder, "throughline.yaml"), read(file).replaceAll("/run/secrets/", "./"));
    const { settings } = loadSettings({ environment: {}, folder });
    expect(settings.store?.toString()).toBe("postgres://throughline:***@database:5432/throughline?sslmode=disable&uselibpqcompat=true");
    const seconds = ({ stop_grace_period }: z.infer<typeof service>): number => Number.parseInt(stop_grace_period, 10);
    expect(seconds(services.server)).toBeGreaterThan(settings.server.drain_seconds);
    expect(seconds(services.worker)).toBeGreaterThan(settings.worker.drain_seconds);
  });
});
