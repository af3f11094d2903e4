/** The manifests and the lock file: what each package names, and why. */
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTree } from "../scripts/architecture/tree.ts";
import { readManifest, readPackages, root } from "../scripts/root.ts";

interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const packages = readPackages();
const whole = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as LockEntry & {
  readonly allowScripts: Readonly<Record<string, boolean>>;
};
const lock = (JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { readonly packages: Readonly<Record<string, LockEntry>> })
  .packages;

/** What comes with an installation of each package, and what for: each is one more to trust, so another one has to be worth its line. */
const reasons: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  throughline: {
    "@cfworker/json-schema": "checks what tools are given by a JSON Schema, where no code may be made of it",
    "@standard-schema/spec": "types alone: schemas of whichever library an agent is written with",
    croner: "until when a variable is fresh that is refreshed by the calendar: time zones and summer time",
  },
  client: {},
  adapters: { throughline: "where it stores what the other libraries hand over" },
  inspector: {},
  companion: { throughline: "what it is made with", zod: "the fields of its state, and what its tools and models give" },
  server: {
    throughline: "what it serves",
    "@throughline/inspector": "the page that it serves at /inspector/",
    commander: "the command line",
    hono: "the service: routes, which any host of Hono serves",
    "@hono/node-server": "the same on Node's own HTTP server",
    "hono-openapi": "the description of the service",
    zod: "shapes of the wire and of the configuration, and their JSON Schema",
    jose: "tokens of customers and streams: nobody should write that themselves",
    yaml: "the configuration, with the line of each mistake",
  },
};

/** Packages whose names are computed or resolved, since they are optional, may lie elsewhere, or are read as files. */
const byName: Readonly<Record<string, readonly string[]>> = {
  throughline: ["@huggingface/transformers"],
  server: ["@throughline/inspector", "@throughline/companion"],
};

const files = readTree(root);
const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Packages whose source is bundled: what it imports comes with them. */
const bundled: ReadonlySet<string> = new Set(["inspector"]);

/** The packages that the source of a package imports. */
const importedBy = (folder: string): ReadonlySet<string> =>
  new Set([
    ...(byName[folder] ?? []),
    ...files
      .filter((file) => file.path.startsWith(`packages/${folder}/src/`) && !bundled.has(folder))
      .flatMap((file) => file.syntax.imports.flatMap(({ specifier = "." }) => (/^(\.|node:)/.test(specifier) ? [] : [packageName(specifier)]))),
  ]);

describe.each(packages.map(({ folder, manifest }) => ({ folder, manifest, home: join(root, "packages", folder) })))(
  "packages/$folder",
  ({ folder, manifest, home }) => {
    test("exports only files that exist, and a command that can be executed", () => {
      expect(Object.values(manifest.exports).filter((file) => !existsSync(join(home, file)))).toEqual([]);
      for (const file of Object.values(manifest.bin ?? {})) expect(() => accessSync(join(home, file), constants.X_OK)).not.toThrow();
    });
    test("names what its source imports, and nothing else, as dependencies, each for a reason", () => {
      const named = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
      expect([...importedBy(folder)].toSorted()).toEqual(named.toSorted());
      expect(Object.keys(manifest.dependencies ?? {}).toSorted()).toEqual(Object.keys(reasons[folder] ?? {}).toSorted());
    });
    test("has the version of all, and pins every dependency exactly", () => {
      expect(manifest.version).toBe(readManifest().version);
      const own = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(([name]) =>
        /^(@throughline\/|throughline$)/.test(name),
      );
      expect(own.filter(([, version]) => version !== manifest.version)).toEqual([]);
      expect(Object.entries(manifest.dependencies ?? {}).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    });
    test("depends only on packages before it", () => {
      const before = new Set(
        packages
          .slice(
            0,
            packages.findIndex((one) => one.folder === folder),
          )
          .map((one) => one.manifest.name),
      );
      const own = Object.keys(manifest.dependencies ?? {}).filter((name) => /^(@throughline\/|throughline$)/.test(name));
      expect(own.filter((name) => !before.has(name))).toEqual([]);
    });
  },
);

describe("package.json", () => {
  test("starts every script through the launcher, on a file that exists", () => {
    const { postinstall, ...scripts } = readManifest().scripts;
    expect(postinstall).toBe("node scripts/trim-node.mjs");
    const targets = Object.entries(scripts).map(([name, line]) => [name, /^node bin\/launch\.mjs (\S+)( |$)/.exec(line)?.[1]] as const);
    expect(targets.filter(([, target]) => target === undefined || !existsSync(join(root, target)))).toEqual([]);
  });
  test("pins every dependency exactly", () => {
    expect(Object.entries({ ...whole.devDependencies }).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
  test("allows the install scripts that there are, and no others", () => {
    const wanted = Object.entries(lock)
      .filter(([path, entry]) => entry.hasInstallScript === true && path.startsWith("node_modules/"))
      .map(([path]) => path.replace(/^.*node_modules\//, ""));
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
  test("is in step with every package.json", () => {
    expect(lock[""]).toMatchObject({ devDependencies: whole.devDependencies });
    for (const { folder, manifest } of packages) {
      const { name, version, dependencies = {} } = manifest;
      expect(lock[`packages/${folder}`]).toMatchObject({ version, ...(Object.keys(dependencies).length === 0 ? {} : { dependencies }) });
      expect(lock[`node_modules/${name}`]).toMatchObject({ resolved: `packages/${folder}` });
    }
  });
  test("knows every platform's packages, so that `npm ci` works on all of them", () => {
    const optional = Object.values(lock).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    const known = new Set(Object.keys(lock).map((path) => path.replace(/^.*node_modules\//, "")));
    expect(optional.filter((name) => !known.has(name))).toEqual([]);
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
  test("brings nothing into the installation of the repository", () => {
    // The adapters are checked and built with the types of their peers.
    const ours = readPackages().map(({ manifest }) => ({ ...manifest.dependencies, ...manifest.devDependencies }));
    const known = Object.assign({}, whole.devDependencies, ...ours) as Readonly<Record<string, string>>;
    const peers = Object.keys(devDependencies).filter((name) => !Object.hasOwn(known, name));
    expect(peers.length).toBeGreaterThan(5);
    // Another version of one may be there for a package of our own, and one comes with @langchain/core.
    expect(peers.filter((name) => name !== "js-tiktoken" && lock[`node_modules/${name}`]?.version === devDependencies[name])).toEqual([]);
  });
});
