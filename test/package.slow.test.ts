import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTree } from "../scripts/architecture/tree.ts";
import { buildPackage } from "../scripts/build/package.ts";
import { entryFiles, readManifest, root, runCompiler } from "../scripts/root.ts";

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifest = readManifest();
const whole = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as LockEntry & {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const lock = (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { readonly packages: Readonly<Record<string, LockEntry>> })
  .packages;

/** What comes with an installation, and what for: each is one more to trust, so another one has to be worth its line. */
const reasons: Readonly<Record<string, string>> = {
  "@cfworker/json-schema": "checks what tools are given by a JSON Schema, where no code may be made of it",
  "@standard-schema/spec": "types alone: schemas of whichever library an agent is written with",
  commander: "the command line",
  croner: "until when a variable is fresh that is refreshed by the calendar: time zones and summer time",
  hono: "the service: routes, which any host of Hono serves",
  "@hono/node-server": "the same on Node's own HTTP server",
  "hono-openapi": "the description of the service",
  zod: "shapes of the wire and of the configuration, and their JSON Schema",
  jose: "tokens of customers and streams: nobody should write that themselves",
  yaml: "the configuration, with the line of each mistake",
};
/** Those that only the service and the command line need. */
const ofService = ["commander", "hono", "@hono/node-server", "hono-openapi", "zod", "jose", "yaml"];

/** Packages that are imported by a name that an option has, since they are optional and may lie elsewhere. */
const importedByOption = ["@huggingface/transformers"];

/** The third-party packages that `src` imports. */
const imported = new Set(
  readTree(root)
    .filter((file) => file.path.startsWith("src/"))
    .flatMap((file) =>
      file.syntax.imports.flatMap(({ specifier = "." }) =>
        /^(\.|node:)/.test(specifier)
          ? []
          : [
              specifier
                .split("/")
                .slice(0, specifier.startsWith("@") ? 2 : 1)
                .join("/"),
            ],
      ),
    ),
);

describe("package.json", () => {
  test("exports only files that exist", () => {
    expect(Object.values(manifest.exports).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
  test("has a command that can be executed", () => {
    for (const file of Object.values(manifest.bin)) expect(() => accessSync(join(root, file), constants.X_OK)).not.toThrow();
  });
  test("starts every script through the launcher, on a file that exists", () => {
    const { postinstall, ...scripts } = manifest.scripts;
    expect(postinstall).toBe("node scripts/trim-node.mjs");
    const targets = Object.entries(scripts).map(([name, line]) => [name, /^node bin\/launch\.mjs (\S+)( |$)/.exec(line)?.[1]] as const);
    expect(targets.filter(([, target]) => target === undefined || !existsSync(join(root, target)))).toEqual([]);
  });
  test("pins every dependency exactly", () => {
    const ranges = Object.entries({ ...whole.dependencies, ...whole.devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
    );
    expect(ranges).toEqual([]);
  });
  test("names what the source imports, and nothing else, as dependencies, each for a reason", () => {
    expect([...imported, ...importedByOption].toSorted()).toEqual(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).toSorted());
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual(Object.keys(reasons).toSorted());
  });
  test("allows the install scripts that there are, and no others", () => {
    const wanted = Object.entries(lock)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path.replace("node_modules/", ""))
      .filter((name) => name !== "");
    expect(Object.keys(whole.allowScripts).toSorted()).toEqual(wanted.toSorted());
  });
});

test("the changelog has a place for what is pending", () => {
  expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toMatch(/^## Pending$/m);
});

describe("package-lock.json", () => {
  test("names no host to download from", () => {
    expect(Object.entries(lock).filter(([, entry]) => entry.resolved?.includes("://"))).toEqual([]);
  });
  test("is in step with package.json", () => {
    expect(lock[""]).toMatchObject({ dependencies: whole.dependencies, devDependencies: whole.devDependencies });
  });
  test("knows every platform's packages, so that `npm ci` works on all of them", () => {
    const optional = Object.values(lock).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    expect(optional.filter((name) => lock[`node_modules/${name}`]?.version === undefined)).toEqual([]);
  });
});

describe("test/interop", () => {
  const read = (name: string): LockEntry & { readonly packages: Readonly<Record<string, LockEntry>> } =>
    JSON.parse(readFileSync(join(root, "test/interop", name), "utf8")) as LockEntry & { readonly packages: Readonly<Record<string, LockEntry>> };
  const { devDependencies = {} } = read("package.json");
  const { packages } = read("package-lock.json");
  test("is pinned, in step with its lock file, and names no host to download from", () => {
    expect(Object.values(devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(packages[""]?.devDependencies).toEqual(devDependencies);
    expect(Object.entries(packages).filter(([, entry]) => entry.resolved?.includes("://"))).toEqual([]);
  });
  test("brings nothing into the package's own installation", () => {
    const peers = Object.keys(devDependencies).filter((name) => !Object.hasOwn({ ...whole.devDependencies, ...whole.dependencies }, name));
    expect(peers.length).toBeGreaterThan(5);
    // Another version of one may be there for a package of our own.
    expect(peers.filter((name) => lock[`node_modules/${name}`]?.version === devDependencies[name])).toEqual([]);
  });
});

describe("the published package", () => {
  let home = "";
  const installed = (): string => join(home, "node_modules/throughline");
  const node = (args: readonly string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, args, { cwd: home, encoding: "utf8", env: { ...process.env, FORCE_COLOR: "0" } });

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "throughline-consumer-"));
    buildPackage(installed());
    for (const name of [
      ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
      "@types/node",
      "@types/pg",
      "pg-types",
      "pg-protocol",
    ]) {
      mkdirSync(dirname(join(home, "node_modules", name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(home, "node_modules", name));
    }
    writeFileSync(join(home, "package.json"), `{ "type": "module" }`);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const specifiers = entryFiles(manifest).map(([subpath]) => `${manifest.name}${subpath.slice(1)}`);

  test.each(specifiers)("%s can be imported and exports something", (specifier) => {
    const { status, stderr, stdout } = node(["--input-type=module", "-e", `console.log(Object.keys(await import("${specifier}")).length)`]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(Number(stdout)).toBeGreaterThan(0);
  });
  test("importing it loads no database", () => {
    const program = `await import("throughline"); console.log(process.moduleLoadList.filter((name) => /sqlite/.test(name)).join());`;
    expect(node(["--input-type=module", "-e", program])).toMatchObject({ status: 0, stdout: "\n" });
    rmSync(join(home, "node_modules/pg"));
    expect(
      node(["--input-type=module", "-e", `await import("throughline"); await import("throughline/sqlite"); await import("throughline/testing");`])
        .stderr,
    ).toBe("");
    symlinkSync(join(root, "node_modules/pg"), join(home, "node_modules/pg"));
  });
  test("without the service's packages, all but the service can be imported", () => {
    const place = (name: string): string => join(home, "node_modules", name);
    for (const name of ofService) rmSync(place(name));
    const names = specifiers.filter((specifier) => specifier !== "throughline/server");
    const { status, stderr } = node(["--input-type=module", "-e", names.map((name) => `await import("${name}");`).join("")]);
    for (const name of ofService) symlinkSync(join(root, "node_modules", name), place(name));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
  test("without the client of the Model Context Protocol, all but connecting works, and that says what to install", () => {
    const client = join(home, "node_modules/@modelcontextprotocol/client");
    rmSync(client);
    const program = `
      await Promise.all(["throughline", "throughline/ai"].map((name) => import(name)));
      const { connectMcp } = await import("throughline/mcp");
      await connectMcp({ command: "node" }).catch(({ code, hint }) => console.log(code, hint));`;
    const { stdout, stderr } = node(["--input-type=module", "-e", program]);
    symlinkSync(join(root, "node_modules/@modelcontextprotocol/client"), client);
    expect({ stdout, stderr }).toEqual({
      stdout: "package.missing Install it beside throughline: npm install @modelcontextprotocol/client\n",
      stderr: "",
    });
  });
  test("its types hold for a strict consumer, without a look at our source", () => {
    const uses = specifiers.map(
      (specifier, index) => `import * as entry${index} from "${specifier}";\nexport const names${index}: object = entry${index};`,
    );
    writeFileSync(join(home, "consumer.ts"), uses.join("\n"));
    const options = {
      module: "NodeNext",
      target: "ES2024",
      lib: ["ES2024", "ESNext.Disposable"],
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
    };
    writeFileSync(join(home, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["consumer.ts"] }));
    expect(runCompiler(["-p", home])).toEqual({ code: 0, output: "" });
  });
  test("its command runs", () => {
    const { status, stdout, stderr } = node([join(installed(), "bin/throughline.mjs"), "--version"]);
    expect({ status, stdout: stdout.trim(), stderr }).toEqual({ status: 0, stdout: manifest.version, stderr: "" });
  });
  test("holds no TypeScript source, no tests and no development dependencies", () => {
    const published = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8")) as Readonly<Record<string, unknown>>;
    expect(Object.keys(published)).not.toEqual(expect.arrayContaining(["devDependencies"]));
    expect(published).not.toHaveProperty("private");
    const files = readdirSync(installed(), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file))).toEqual([]);
    expect(JSON.stringify(published)).not.toMatch(/(?<!\.d)\.ts"/);
    expect(existsSync(join(installed(), "LICENSE"))).toBe(true);
  });
  test("is what can be packed; the repository is not", () => {
    const refused = node([join(root, "scripts/refuse-pack.ts")]);
    expect(refused).toMatchObject({ status: 1, stderr: "Pack the built package instead: `npm run build`, then `npm pack ./dist`.\n" });
  });
});
