/** The packages as people get them: built, packed, and installed from the tarballs in an empty folder. */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Manifest, entryFiles, readManifest, readPackages, root, runCompiler } from "../scripts/root.ts";
import { printsAsPromised, snippetsOf } from "../scripts/snippets/extract.ts";
import { Consumer, type Outcome, type Packed, minutes, packPackages } from "../scripts/build/packed.ts";

const packages = readPackages();
const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")) as { readonly version: string }).version;

/** Bytes of a folder and everything below it. */
const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

let packed: Packed;
const tarball = (name: string): string => packed.tarballs.get(name) ?? "";

beforeAll(() => {
  packed = packPackages();
}, 5 * minutes);
afterAll(() => packed.remove());

const offline = `
  import { createRuntime, defineAgent, defineState, input, loop, openStore, scripted } from "throughline";
  const text = { "~standard": { version: 1, vendor: "own", validate: (value) => ({ value }) } };
  const agent = defineAgent({ name: "a", version: 1, state: defineState({ message: input(text) }), reply: loop({ model: scripted(["hello"]) }) });
  const runtime = await createRuntime({ store: await openStore("./app.db"), agents: [agent] });
  const session = await runtime.sessions.open({ agent: "a", customer: "ada" });
  const turn = await session.send("hi");
  await runtime.close();
  console.log(JSON.stringify([turn.status, turn.reply]));`;
const answered = `${JSON.stringify(["completed", "hello"])}\n`;

/** A program that exports what it makes, without types of its own. */
const exported = `
  import { z } from "zod";
  import { append, counter, createRuntime, defineAgent, defineState, defineTool, historyOf, hook, input, loaded, loop, openStore, persona, recentMessages, reduced, scripted, section, stage, stateFields, stopWhen, turn, withControl } from "throughline";
  export const state = defineState({
    message: input(z.string()), place: input(z.enum(["web", "store"])), name: reduced(z.string()), count: reduced(z.number(), { show: "public", reduce: counter() }),
    list: reduced(z.array(z.string()), { reduce: append() }), live: loaded(z.object({ a: z.number() })), note: turn(z.string()),
  });
  export const fields = { name: reduced(z.string()), live: loaded(z.number()) };
  export const model = scripted([]);
  export const tool = defineTool({ name: "t", description: "A tool.", state, outputsToState: { count: { source: "n" } }, execute: () => ({ n: 1 }) });
  export const stages = [stage("s", { state, writes: ["count"] }, () => ({ count: 1 })), stage("c", { state, writes: ["count"] }, () => withControl({ mode: "manual" }, { count: 1 }))];
  export const sections = [persona("x"), stateFields("f", ["name"]), section("x", (given) => given.state.name ?? "", { state })];
  export const window = recentMessages;
  export const hooks = [hook("h", { state, writes: ["count"], beforeStep: () => ({ delta: { count: 1 } }) }), stopWhen("d", (given) => given.state.count === 1, { state })];
  export const agent = defineAgent({ name: "a", state, reply: loop({ model, tools: [tool], hooks }), stages, sections });
  export const variant = agent.with({ budget: { steps: 1 } });
  export const small = defineAgent({ name: "b", model });
  export const store = await openStore(":memory:");
  export const runtime = await createRuntime({ store, agents: [agent, small] });
  export const session = await runtime.sessions.open({ agent, customer: "c" });
  export const stream = session.stream("x", { input: { place: "web" } });
  export const turned = await session.send("x", { input: { place: "web" } });
  export const stored = await session.state();
  export const pending = await session.pending();
  export const list = await runtime.sessions.list();
  export const { prompt, events, info } = session;
  export const { customers } = runtime;
  export const history = historyOf;`;

describe("the library alone", () => {
  let consumer: Consumer;
  const library = packages[0]!.manifest;
  const specifiers = entryFiles(library).map(([subpath]) => `${library.name}${subpath.slice(1)}`);
  beforeAll(() => {
    consumer = new Consumer();
    consumer.write("package.json", `{ "name": "consumer", "private": true, "type": "module" }`);
    consumer.install(tarball("throughline"));
  }, 5 * minutes);
  afterAll(() => consumer.remove());

  test("brings three packages along, and takes at most 9 MB with them", () => {
    const names = readdirSync(consumer.place("node_modules"))
      .filter((name) => !name.startsWith("."))
      .flatMap((name) => (name.startsWith("@") ? readdirSync(consumer.place("node_modules", name)).map((child) => `${name}/${child}`) : [name]));
    expect(names.toSorted()).toEqual([...Object.keys(library.dependencies ?? {}), "throughline"].toSorted());
    expect(bytesOf(consumer.place("node_modules"))).toBeLessThan(9_000_000);
  });
  test("runs a turn with a model that needs no network", () => {
    expect(consumer.program(offline)).toEqual({ status: 0, stdout: answered, stderr: "" });
  });
  test.each(specifiers)("%s can be imported and exports something", (specifier) => {
    const { status, stderr, stdout } = consumer.program(`console.log(Object.keys(await import("${specifier}")).length)`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    // Two entries have only types.
    expect(Number(stdout)).toBeGreaterThan(["throughline/agent", "throughline/model"].includes(specifier) ? -1 : 0);
  });
  test("can be required", () => {
    consumer.write("required.cjs", `const { openStore, defineAgent } = require("throughline"); console.log(typeof openStore, typeof defineAgent);`);
    expect(consumer.run(process.execPath, ["required.cjs"])).toEqual({ status: 0, stdout: "function function\n", stderr: "" });
  });
  test("loads no database when it is imported", () => {
    const program = `await import("throughline"); console.log(process.moduleLoadList.filter((name) => /sqlite/.test(name)).join());`;
    expect(consumer.program(program)).toMatchObject({ status: 0, stdout: "\n" });
  });
  test("without the client of the Model Context Protocol, all but connecting works, and that says what to install", () => {
    const { stdout, stderr } = consumer.program(`
      const { connectMcp } = await import("throughline/mcp");
      await connectMcp({ command: "node" }).catch(({ code, hint }) => console.log(code, hint));`);
    expect({ stdout, stderr }).toEqual({
      stdout: "package.missing Install it beside throughline: npm install @modelcontextprotocol/client\n",
      stderr: "",
    });
  });
  test("its command says what to install", () => {
    const { status, stdout, stderr } = consumer.npm("exec", "--offline", "--", "throughline", "chat");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("npm install @throughline/server @throughline/companion");
  });

  describe("for TypeScript without the types of Node", () => {
    test("its types hold in every declaration", () => {
      const uses = specifiers.map((name, index) => `import * as entry${index} from "${name}";\nexport const names${index}: object = entry${index};`);
      consumer.write("plain.ts", uses.join("\n"));
      const options = { module: "NodeNext", target: "ESNext", types: [], strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
      consumer.write("tsconfig.json", JSON.stringify({ compilerOptions: { ...options, noEmit: true }, files: ["plain.ts"] }));
      expect(runCompiler(["-p", consumer.home])).toEqual({ code: 0, output: "" });
    });
    test(
      "a program that exports what it makes can write its declarations, with names of public entries",
      () => {
        consumer.install(`zod@${versionOf("zod")}`);
        consumer.write("exports.ts", exported);
        const options = { module: "NodeNext", target: "ESNext", types: [], strict: true, declaration: true, emitDeclarationOnly: true };
        consumer.write("tsconfig.json", JSON.stringify({ compilerOptions: options, files: ["exports.ts"] }));
        expect(runCompiler(["-p", consumer.home])).toEqual({ code: 0, output: "" });
        const named = [...readFileSync(consumer.place("exports.d.ts"), "utf8").matchAll(/import\("([^"]+)"\)/g)].map(([, name]) => name);
        expect(named).toContain("throughline/state");
        expect(named.filter((name) => !specifiers.includes(name!))).toEqual([]);
      },
      5 * minutes,
    );
  });

  describe("for TypeScript", () => {
    beforeAll(() => consumer.install(`@types/node@${versionOf("@types/node")}`), 5 * minutes);
    test.each([
      ["NodeNext", "NodeNext"],
      ["ESNext", "Bundler"],
    ])("its types hold with module %s and resolution %s, in every declaration", (module, moduleResolution) => {
      const uses = specifiers.map((name, index) => `import * as entry${index} from "${name}";\nexport const names${index}: object = entry${index};`);
      consumer.write("consumer.ts", uses.join("\n"));
      const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false, noEmit: true };
      const options = { module, moduleResolution, target: "ES2024", lib: ["ES2024", "ESNext.Disposable"], types: ["node"], ...strict };
      consumer.write("tsconfig.json", JSON.stringify({ compilerOptions: options, files: ["consumer.ts"] }));
      expect(runCompiler(["-p", consumer.home])).toEqual({ code: 0, output: "" });
    });
  });

  describe("in one file that a bundler makes", () => {
    const program = `${offline.replaceAll("./app.db", "./bundled.db")}
      const refused = await openStore("postgres://user:word@127.0.0.1:1/db").catch(({ code }) => code);
      console.log(refused);`;
    /** Bundles the program and runs it in a folder without packages. */
    async function bundled(external: readonly string[]): Promise<Outcome> {
      const bundle = await rolldown({
        input: consumer.write("main.js", program),
        platform: "node",
        external: [/^node:/, ...external],
        logLevel: "silent",
      });
      const { output } = await bundle.generate({ format: "es", codeSplitting: false });
      const folder = mkdtempSync(join(tmpdir(), "throughline-bundled-"));
      writeFileSync(join(folder, "main.mjs"), output[0].code);
      const { status, stdout, stderr } = spawnSync(process.execPath, ["main.mjs"], { cwd: folder, encoding: "utf8" });
      rmSync(folder, { recursive: true });
      return { status, stdout, stderr };
    }
    test("it runs without `pg`, and says so where it is needed", async () => {
      expect(existsSync(consumer.place("node_modules/pg"))).toBe(false);
      expect(await bundled(["pg"])).toEqual({ status: 0, stdout: `${answered}package.missing\n`, stderr: "" });
    });
    test(
      "it holds `pg` where that is installed",
      async () => {
        consumer.install(`pg@${versionOf("pg")}`);
        expect(await bundled(["pg-native"])).toEqual({ status: 0, stdout: `${answered}store.unreachable\n`, stderr: "" });
      },
      5 * minutes,
    );
  });
});

describe("the adapters with the libraries that they are for", () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = new Consumer();
    consumer.write("package.json", `{ "name": "consumer", "private": true, "type": "module" }`);
    const { devDependencies = {} } = packages.find(({ folder }) => folder === "adapters")!.manifest;
    const peers = Object.entries(devDependencies).map(([name, version]) => `${name}@${version}`);
    consumer.install(tarball("throughline"), tarball("@throughline/adapters"), ...peers, `zod@${versionOf("zod")}`);
  }, 5 * minutes);
  afterAll(() => rmSync(consumer.home, { recursive: true, force: true }));

  test("a checkpoint of LangGraph is there after a restart", () => {
    const program = (what: string): string => `
      import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
      import { ThroughlineSaver } from "@throughline/adapters/langgraph";
      const { saver, close } = await ThroughlineSaver.open("./threads.db");
      const config = { configurable: { thread_id: "t" } };
      ${what}
      await close();`;
    const put = `await saver.put(config, { ...emptyCheckpoint(), channel_values: { a: [1] }, channel_versions: { a: 1 } }, { source: "input", step: -1, parents: {} }, { a: 1 });`;
    expect(consumer.program(program(put))).toEqual({ status: 0, stdout: "", stderr: "" });
    const read = `console.log(JSON.stringify((await saver.getTuple(config)).checkpoint.channel_values));`;
    expect(consumer.program(program(read))).toEqual({ status: 0, stdout: `{"a":[1]}\n`, stderr: "" });
  });
  test("a session of the OpenAI Agents SDK returns what was added", () => {
    const program = `
      import { historyAgent, ThroughlineSession } from "@throughline/adapters/openai-agents";
      import { createRuntime, openStore } from "throughline";
      const store = await openStore("./history.db");
      const runtime = await createRuntime({ store, agents: [historyAgent] });
      const session = new ThroughlineSession(runtime, { sessionId: "s" });
      await session.addItems([{ role: "user", content: "hello" }]);
      console.log(JSON.stringify(await session.getItems()));
      await runtime.close();
      await store.close();`;
    expect(consumer.program(program)).toEqual({ status: 0, stdout: `[{"role":"user","content":"hello"}]\n`, stderr: "" });
  });
});

describe("the tutorial, with nothing but the packages", () => {
  let consumer: Consumer;
  const markdown = readFileSync(join(root, "docs/tutorial/index.md"), "utf8");
  beforeAll(() => {
    consumer = new Consumer();
    consumer.write("package.json", `{ "name": "desk", "private": true, "type": "module" }`);
    consumer.write("tsconfig.json", /^```json\n([\s\S]*?)^```/m.exec(markdown)?.[1] ?? "");
    const own = ["throughline", "@throughline/client", "@throughline/inspector", "@throughline/server"].map((name) => tarball(name));
    consumer.install(...own, `zod@${versionOf("zod")}`, `@types/node@${versionOf("@types/node")}`);
  }, 5 * minutes);
  afterAll(() => consumer.remove());

  test(
    "compiles at each step, survives the kill, and prints what the page says",
    () => {
      const { snippets } = snippetsOf(markdown);
      expect(snippets.filter(({ language }) => language === "sh").length).toBeGreaterThan(5);
      const path = [consumer.place("node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
      for (const { file, code, line, expected } of snippets) {
        if (file !== undefined) {
          consumer.write(file, code);
          continue;
        }
        // `npx` finds what is installed here.
        const script = `export PATH=${JSON.stringify(path)}; npx() { "$@"; }; ${code}`;
        const { stdout, stderr } = consumer.run("bash", ["-euo", "pipefail", "-c", script]);
        expect(printsAsPromised(stdout, expected ?? ""), `line ${line} printed\n${stdout}${stderr}`).toBe(true);
        expect(runCompiler(["-p", consumer.home])).toEqual({ code: 0, output: "" });
      }
    },
    5 * minutes,
  );
  test("says what the page says of a field that does not exist", () => {
    consumer.write("agent.ts", readFileSync(consumer.place("agent.ts"), "utf8").replace("{ refunds: {} }", "{ refund: {} }"));
    const { code, output } = runCompiler(["-p", consumer.home]);
    expect(code).not.toBe(0);
    for (const text of ["'refund' does not exist", "Did you mean to write 'refunds'?"])
      expect([output, markdown].filter((one) => one.includes(text))).toHaveLength(2);
  });
});

describe("all packages together", () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = new Consumer();
    consumer.write("package.json", `{ "name": "consumer", "private": true, "type": "module" }`);
    consumer.install(...packed.tarballs.values());
  }, 5 * minutes);
  afterAll(() => consumer.remove());

  const specifiers = packages.flatMap(({ manifest }) => entryFiles(manifest).map(([subpath]) => `${manifest.name}${subpath.slice(1)}`));
  // `@throughline/adapters/ai-sdk` imports types of its peer, and no code.
  const needsPeer = (specifier: string): boolean => /^@throughline\/(adapters\/(?!ai-sdk$)|client\/react$)/.test(specifier);
  test.each(specifiers.filter((specifier) => !needsPeer(specifier)))("%s is found, and can be imported if it is no program", (specifier) => {
    const program = specifier.endsWith("/cli") ? `import.meta.resolve("${specifier}")` : `await import("${specifier}")`;
    expect(consumer.program(program)).toEqual({ status: 0, stdout: "", stderr: "" });
  });
  test.each(specifiers.filter(needsPeer))("%s names its peer where that is not installed", (specifier) => {
    const { status, stderr } = consumer.program(`await import("${specifier}")`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/Cannot find package '(@langchain\/langgraph-checkpoint|@openai\/agents|react)'/);
  });
  test("`npx throughline chat` talks with the companion", () => {
    const { status, stdout, stderr } = consumer.run(consumer.place("node_modules/.bin/throughline"), ["chat"], "hello\n");
    expect({ status, lines: stdout.trim().split("\n").length }).toEqual({ status: 0, lines: 1 });
    expect(stderr).toMatch(/^The companion is an AI, not a person/);
    expect(consumer.npm("exec", "--offline", "--", "throughline", "--version").stdout.trim()).toBe(readManifest().version);
  });
  test("without the companion, `throughline chat` says what to install", () => {
    renameSync(consumer.place("node_modules/@throughline/companion"), consumer.place("companion"));
    const { status, stderr } = consumer.run(consumer.place("node_modules/.bin/throughline"), ["chat"], "hello\n");
    renameSync(consumer.place("companion"), consumer.place("node_modules/@throughline/companion"));
    expect(status).not.toBe(0);
    expect(stderr).toContain("npm install @throughline/companion");
  });
  test("the gate of docs/reference/safety.md replies where the model is down", () => {
    const gate = snippetsOf(readFileSync(join(root, "docs/reference/safety.md"), "utf8")).snippets.find(({ code }) =>
      code.includes("safety({ packs"),
    );
    const file = consumer.write("gate.ts", gate?.code ?? "");
    const { status, stdout, stderr } = consumer.run(process.execPath, [file]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/\b112\b/);
  });
  test("the client is a browser's, in one file without packages", async () => {
    const input = consumer.write(
      "page.js",
      `import { createClient } from "@throughline/client"; globalThis.client = createClient({ baseUrl: "/" });`,
    );
    const bundle = await rolldown({ input, platform: "browser", logLevel: "silent" });
    const { output } = await bundle.generate({ format: "es", codeSplitting: false });
    const [{ code, imports, dynamicImports, moduleIds }] = output;
    expect([...imports, ...dynamicImports]).toEqual([]);
    expect(moduleIds.filter((id) => id.includes("node_modules") && !id.includes("/@throughline/client/"))).toEqual([]);
    expect(code).not.toMatch(/node:|\brequire\b/);
  });
  describe.each(packages)("the package $manifest.name", ({ folder, manifest }) => {
    const place = (...names: readonly string[]): string => consumer.place("node_modules", manifest.name, ...names);
    const files = (pattern: string): readonly string[] => globSync(pattern, { cwd: place(), exclude: ["node_modules/**"] });

    test("holds what was compiled, its source, the pages, and nothing else", () => {
      const known =
        /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/.+(?:\.js|\.d\.ts|\.d\.ts\.map|\/[\w.-]+(?<!\.schema)\.json)|src\/.+\.ts|bin\/[\w-]+\.mjs|bin\.js|templates\/.+|page\/(?:(?:index|chat)\.html|license-[\w-]+\.txt|assets\/[\w-]+\.(?:css|js))|etc\/throughline\.schema\.json)$/;
      const there = globSync("**", { cwd: place(), exclude: ["node_modules/**"] }).filter((name) => statSync(place(name)).isFile());
      expect(there.filter((name) => !known.test(name) || (/\.test\./.test(name) && !name.startsWith("templates/")))).toEqual([]);
      expect(there).toEqual(expect.arrayContaining(["package.json", "README.md", "LICENSE"]));
    });
    test("says what it is, who may have it, where its source is and on which Node it runs", () => {
      const published = JSON.parse(readFileSync(place("package.json"), "utf8")) as Manifest & Readonly<Record<string, unknown>>;
      for (const name of ["devDependencies", "scripts", "private"]) expect(published).not.toHaveProperty(name);
      const { version, repository } = readManifest();
      const { name, description, engines, keywords, license } = manifest;
      expect(published).toMatchObject({ name, version, description, keywords, license, engines, publishConfig: { access: "public" } });
      expect(published["repository"]).toEqual({ ...repository, directory: `packages/${folder}` });
      expect(keywords.length).toBeGreaterThan(2);
    });
    test("exports every entry of the source, with its declarations", () => {
      const { exports } = JSON.parse(readFileSync(place("package.json"), "utf8")) as {
        readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
      };
      expect(Object.keys(exports)).toEqual(Object.keys(manifest.exports));
      for (const [subpath] of entryFiles(manifest)) expect(Object.keys(exports[subpath] ?? {}), subpath).toEqual(["types", "default"]);
      const targets = Object.values(exports).flatMap((target) => (typeof target === "string" ? [target] : Object.values(target)));
      expect(targets.filter((target) => !existsSync(place(target)) || /(?<!\.d)\.ts$/.test(target))).toEqual([]);
    });
    test("leads from every declaration to its source, which is the repository's", () => {
      const declarations = files("dist/**/*.d.ts");
      const sources = declarations.flatMap((name) => {
        const mapName = /^\/\/# sourceMappingURL=(.+)$/m.exec(readFileSync(place(name), "utf8"))?.[1] ?? "";
        const map = JSON.parse(readFileSync(place(dirname(name), mapName), "utf8")) as { readonly sources: readonly string[] };
        return map.sources.map((source) => join(dirname(name), source));
      });
      expect(sources).toEqual(declarations.map((name) => name.replace(/^dist/, "src").replace(/\.d\.ts$/, ".ts")));
      const other = sources.filter((name) => readFileSync(place(name), "utf8") !== readFileSync(join(root, "packages", folder, name), "utf8"));
      expect(other).toEqual([]);
      if (Object.keys(manifest.exports).length > 1) expect(declarations.length).toBeGreaterThan(0);
      expect(files("src/**/*.ts").toSorted()).toEqual(sources.toSorted());
    });
    test("names no folder of the machine that built it, and no registry", () => {
      const { stdout: registry } = consumer.npm("config", "get", "registry");
      const traces = [root, `${homedir()}/`, dirname(packed.folders[0] ?? ""), new URL(registry.trim()).host];
      const found = files("**/*").filter((name) => {
        if (!statSync(place(name)).isFile()) return false;
        const text = readFileSync(place(name), "utf8");
        return traces.some((trace) => text.includes(trace));
      });
      expect(found).toEqual([]);
    });
    test("has pages whose links lead somewhere from there", () => {
      const links = files("*.md").flatMap((name) =>
        [...readFileSync(place(name), "utf8").matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? ""),
      );
      const { version, repository } = readManifest();
      const own = `${repository.url.replace(/^git\+|\.git$/g, "")}/blob/v${version}/`;
      expect(links.filter((link) => !/^(?:https:\/\/|#)/.test(link))).toEqual([]);
      const ours = links.filter((link) => link.startsWith(own)).map((link) => link.slice(own.length).replace(/#.*/, ""));
      expect(ours.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    });
  });
  test.each(packages)("$manifest.name would be published as it is, for everyone, under this version", ({ folder, manifest }) => {
    const place = packed.folders.find((built) => basename(built) === folder) ?? "";
    // Nothing listens there: what is only tried must not need a registry.
    const { status, stdout, stderr } = consumer.npm(
      "publish",
      "--dry-run",
      "--json",
      "--loglevel",
      "warn",
      "--registry",
      "http://127.0.0.1:9/",
      "--fetch-retries",
      "0",
      place,
    );
    expect(status, stderr).toBe(0);
    const answer = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    const published = answer[manifest.name] ?? answer;
    expect(published).toMatchObject({ id: `${manifest.name}@${readManifest().version}`, name: manifest.name });
    expect(stderr).not.toMatch(/auto-corrected|invalid/i);
  });
  test("are what can be packed; the repository is not", () => {
    const refused = consumer.run(process.execPath, [join(root, "scripts/refuse-pack.ts")]);
    expect(refused).toMatchObject({ status: 1, stderr: "Pack a built package instead: `npm run build`, then `npm pack ./dist/throughline`.\n" });
  });
});
