/** What `create-throughline` creates, from the packed packages in an empty folder: it starts, its tests pass, its types hold. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { supportedNodes } from "../packages/throughline/src/kernel/process.ts";
import { readManifest, readPackages, root } from "../scripts/root.ts";
import { Consumer, type Outcome, type Packed, minutes, packPackages } from "../scripts/build/packed.ts";

interface ProjectManifest {
  readonly name: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** A message for whose answer every template asks its language model. */
const killedIn = "My order A-17 arrived broken.";

const templates = join(root, "packages/create-throughline/templates");
const names = readdirSync(templates).filter((name) => name !== "base");
const read = (path: string): ProjectManifest => JSON.parse(readFileSync(path, "utf8")) as ProjectManifest;

let packed: Packed;
let place: Consumer;
beforeAll(() => {
  packed = packPackages();
  place = new Consumer();
  // Installed by a path, as npm does for `npm create throughline@latest`, in a folder that is not the project's.
  place.write("package.json", `{ "name": "creator", "private": true }`);
  place.install(packed.tarballs.get("create-throughline") ?? "");
}, 5 * minutes);
afterAll(() => {
  packed.remove();
  place.remove();
});

const create = (...args: readonly string[]): Outcome => place.run(process.execPath, [place.place("node_modules/create-throughline/bin.js"), ...args]);

/** What a person types, and what the program says. */
interface Talk {
  readonly typed: string;
  readonly said: readonly RegExp[];
}
/** A conversation with each template, and what follows after a restart. */
const talks: Readonly<Record<string, Talk & { readonly again: Talk; readonly database: string }>> = {
  chat: {
    typed: "Hello, I'm Ada\nWhat is my name?\n",
    said: [/^chat rules \(offline, no language model\) replies/, /agent › I am listening, Ada\./, /agent › Your name is Ada\./],
    again: { typed: "What is my name?\n", said: [/agent › Your name is Ada\./] },
    database: "chat.db",
  },
  support: {
    typed: "Order A-17 arrived broken.\nI want a refund for A-17.\nn\nA refund for A-17, please.\n",
    said: [
      /^support rules \(offline, no language model\) replies/,
      / {2}\(calls open_ticket\)\nagent › Ticket T-1 is open\./,
      /approve › refund \{"order":"A-17","euros":40\} \(y\/n\) agent › I am sorry, that was not approved\./,
      /approve › refund \{"order":"A-17","euros":40\} \(y\/n\) you › $/,
    ],
    // The refund waits across the restart.
    again: {
      typed: "y\nThank you\n",
      said: [/\(calls refund\)\nagent › 40 euros for order A-17 have been refunded\./, /agent › Which order is it about\?/],
    },
    database: "support.db",
  },
  companion: {
    typed: "can we do the floating exercise?\ndone\n",
    said: [/^The companion is an AI, not a person/, /agent › .*calm water/, /agent › .*Name two things/],
    // The exercise goes on where it was.
    again: { typed: "a stone and a leaf\n", said: [/agent › That was the last step of Floating/] },
    database: "companion.db",
  },
};

test("every template is tested", () => expect(Object.keys(talks).toSorted()).toEqual(names.toSorted()));

describe.each(names)("the template %s", (name) => {
  const { typed, said, again, database } = talks[name]!;
  const outside = new Consumer();
  const project = new Consumer(outside.place("My Agent"));
  afterAll(() => outside.remove());

  test("is created in a new folder, and says which two commands come next", () => {
    const { status, stdout, stderr } = create(project.home, "--template", name);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`Created ${project.home} from the template ${name}. Next:\n\n  cd '${project.home}' && npm install\n  npm start\n`);
    expect(readdirSync(project.home).toSorted()).toEqual([".gitignore", "README.md", "package.json", "src", "test", "tsconfig.json"]);
  });
  test("installs", { timeout: 5 * minutes }, () => {
    const manifest = read(project.place("package.json"));
    expect(manifest.name).toBe("my-agent");
    // This version is not published: the tarballs stand for it.
    const own = Object.keys(manifest.dependencies).filter((dependency) => packed.tarballs.has(dependency));
    expect(own).toContain("throughline");
    const dependencies = { ...manifest.dependencies, ...Object.fromEntries(own.map((one) => [one, `file:${packed.tarballs.get(one)}`])) };
    project.write("package.json", JSON.stringify({ ...manifest, dependencies }));
    const { status, stderr } = project.npm("install", "--prefer-offline", "--ignore-scripts", "--no-fund");
    expect(status, stderr).toBe(0);
  });
  test("starts without a key, and continues after a restart", { timeout: minutes }, () => {
    const first = project.npmWith(typed, ["start", "--silent"]);
    expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: "" });
    for (const line of said) expect(first.stdout).toMatch(line);
    expect(existsSync(project.place(database))).toBe(true);
    expect(readFileSync(project.place("README.md"), "utf8")).toContain(`npx throughline --db ${database} sessions show\n`);
    const second = project.npmWith(again.typed, ["start", "--silent"]);
    expect({ status: second.status, stderr: second.stderr }).toEqual({ status: 0, stderr: "" });
    for (const line of again.said) expect(second.stdout).toMatch(line);
  });
  test("finishes a turn whose process was killed", { timeout: minutes }, async () => {
    // A language model that never answers.
    const model = createServer().listen(0, "127.0.0.1");
    await once(model, "listening");
    const { port } = model.address() as AddressInfo;
    const env = { ...process.env, THROUGHLINE_MODEL: "silent", THROUGHLINE_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const killed = spawn(process.execPath, ["src/main.ts"], { cwd: project.home, env, stdio: ["pipe", "ignore", "ignore"] });
    killed.stdin.write(`${killedIn}\n`);
    await once(model, "request");
    killed.kill("SIGKILL");
    await once(killed, "close");
    model.closeAllConnections();
    model.close();
    // The rules answer now, and nobody typed anything.
    const { status, stdout, stderr } = project.npm("start", "--silent");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/\nagent › .+\nyou › $/);
  });
  test("has tests that pass", { timeout: minutes }, () => {
    const { status, stdout, stderr } = project.npm("test");
    expect(status, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/^. pass [1-9]\d*$/m);
    expect(stdout).toMatch(/^. fail 0$/m);
  });
  test("has tests that notice a fault, and end even if a runtime stays open", { timeout: minutes }, () => {
    const file = project.place("test/agent.test.ts");
    const text = readFileSync(file, "utf8");
    const left = text.replace(/ *context\.after\(.*\n/, "");
    expect(left).not.toBe(text);
    writeFileSync(file, left.replace(/assert\.(?:deepEqual|equal|match)\(/, "assert.notStrictEqual(1, 1) ?? $&"));
    const { status, stdout } = project.npm("test");
    expect(status).toBe(1);
    expect(stdout).toMatch(/^. fail 1$/m);
    writeFileSync(file, text);
  });
  test("has types that hold", { timeout: minutes }, () => {
    const { status, stdout, stderr } = project.npm("run", "types", "--silent");
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
  });
});

describe("the command", () => {
  test("takes the defaults with --yes, and never asks without a terminal", () => {
    const folder = new Consumer();
    const creator = place.place("node_modules/create-throughline/bin.js");
    const { status, stdout } = folder.run(process.execPath, [creator, "--yes"]);
    expect({ status, manifest: read(folder.place("my-agent/package.json")).name }).toEqual({ status: 0, manifest: "my-agent" });
    expect(stdout).toContain("Created my-agent from the template chat. Next:\n\n  cd my-agent && npm install\n  npm start\n");
    expect(folder.run(process.execPath, [creator])).toEqual({
      status: 1,
      stdout: "",
      stderr: "Name the folder of the project.\nnpx create-throughline --help lists the options.\n",
    });
    expect(folder.run(process.execPath, [creator, "second"]).stdout).toContain("Created second from the template chat.");
    folder.remove();
  });
  test("fills an empty folder, and refuses any other and a file", () => {
    const folder = new Consumer();
    mkdirSync(folder.place("empty"));
    expect(create(folder.place("empty"))).toMatchObject({ status: 0 });
    const before = readdirSync(folder.place("empty"), { recursive: true });
    const again = create(folder.place("empty"));
    expect(again).toMatchObject({ status: 1, stdout: "" });
    expect(again.stderr).toContain("is not empty. Name a new or empty folder.");
    expect(readdirSync(folder.place("empty"), { recursive: true })).toEqual(before);
    folder.write("taken", "text");
    expect(create(folder.place("taken")).stderr).toContain("is a file. Name a new or empty folder.");
    folder.remove();
  });
  test("fills the folder where it is called, also one with a repository of Git, and names no other", () => {
    const folder = new Consumer();
    mkdirSync(folder.place(".git"));
    const { status, stdout } = folder.run(process.execPath, [place.place("node_modules/create-throughline/bin.js"), "."]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "Created . from the template chat. Next:\n\n  npm install\n  npm start\n" });
    folder.remove();
  });
  test.each([
    ["20.20.2", true],
    ["22.19.9", true],
    ["22.20.0", false],
    ["23.11.0", true],
    ["24.7.0", false],
    ["26.0.0", false],
  ])("on Node %s it says whether the project needs a newer one: %s", (version, older) => {
    const folder = new Consumer();
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"});Object.defineProperty(process,"version",{value:"v${version}"})`;
    const creator = place.place("node_modules/create-throughline/bin.js");
    const { status, stderr } = folder.run(process.execPath, ["--import", pretend, creator, "project"]);
    const sentence = `\nThe project needs Node ${supportedNodes}, and this is v${version}. Install a newer Node first.\n`;
    expect({ status, stderr }).toEqual({ status: 0, stderr: older ? sentence : "" });
    folder.remove();
  });
  test.each([
    [["x", "--template", "diary"], "There is no template diary; there are chat, support, companion."],
    [["x", "--template"], "--template needs a name: chat, support, companion."],
    [["x", "--force"], "There is no option --force."],
    [["x", "y"], "Name one folder, got x and y."],
  ])("refuses %j", (args, sentence) => {
    expect(create(...args)).toEqual({ status: 1, stdout: "", stderr: `${sentence}\nnpx create-throughline --help lists the options.\n` });
    expect(existsSync(place.place("x"))).toBe(false);
  });
  test("prints its help and its version", () => {
    const { status, stdout } = create("--help");
    expect(status).toBe(0);
    for (const name of names) expect(stdout).toContain(`  ${name}`);
    expect(create("--version").stdout).toBe(`${readManifest().version}\n`);
  });
  test("runs through `npm create`, which hands the options on behind --", () => {
    const { status, stdout } = place.npm("exec", "--offline", "--", "create-throughline", "by-npm", "--template=support");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Created by-npm from the template support\./);
    expect(existsSync(place.place("by-npm/src/shop.ts"))).toBe(true);
  });
});

describe("the templates", () => {
  const manifests = names.map((name) => read(join(templates, name, "package.json")));
  test("name the packages of this version, and others in the versions that are tested here", () => {
    const own = new Map(readPackages().map(({ manifest }) => [manifest.name, manifest.version]));
    const tested = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as ProjectManifest).devDependencies;
    for (const { dependencies, devDependencies } of manifests) {
      const all = Object.entries({ ...dependencies, ...devDependencies });
      expect(all).toEqual(all.map(([name]) => [name, own.get(name) ?? tested[name]]));
    }
  });
  test("have one set of scripts, one way to choose a model, and one terminal", () => {
    const facts = manifests.map(({ scripts, engines, devDependencies }) => ({ scripts, engines, devDependencies }));
    expect(new Set(facts.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(facts[0]?.engines).toEqual({ node: supportedNodes });
    for (const file of ["src/model.ts", "src/terminal.ts"])
      expect(new Set(names.map((name) => readFileSync(join(templates, name, file), "utf8"))).size).toBe(1);
  });
});
