import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../scripts/root.ts";

/** Makes Node believe that it is an old one: the launcher must speak, not crash. */
const oldNode = ["--import", `data:text/javascript,Object.defineProperty(process,"version",{value:"v20.20.2"})`];
let home = "";
const place = (name: string): string => join(home, name);

beforeAll(() => {
  // A package without a nested Node, as a user installs it.
  home = mkdtempSync(join(tmpdir(), "throughline-launcher-"));
  cpSync(join(root, "bin"), place("bin"), { recursive: true });
  cpSync(join(root, "packages/throughline/bin"), place("packages/throughline/bin"), { recursive: true });
  writeFileSync(place("package.json"), `{ "type": "module", "engines": { "node": ">=24.16" } }`);
  writeFileSync(
    place("echo.ts"),
    `let text: string = ""; for await (const chunk of process.stdin) text += chunk; console.log(process.argv.slice(2).join("|"), text); console.error("aside"); process.exit(7);`,
  );
  writeFileSync(
    place("signals.ts"),
    `let seen = 0; const name: NodeJS.Signals = process.argv[2] as NodeJS.Signals;
     process.on(name, () => { seen++; console.log("got", seen); setTimeout(() => process.exit(40 + seen), 150); });
     setInterval(() => {}, 1000); console.log("ready");`,
  );
  writeFileSync(place("dies.ts"), `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);`);
  writeFileSync(place("path.ts"), `console.log(process.env.PATH?.split(":")[0]);`);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const run = (args: readonly string[], input = ""): { status: number | null; signal: string | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, args, { cwd: home, input, encoding: "utf8" });

describe("the launcher", () => {
  test("passes arguments, streams and the exit code on", () => {
    const { status, stdout, stderr } = run([place("bin/launch.mjs"), "echo.ts", "a", "b c", "--help"], "typed");
    expect({ status, stdout, stderr }).toEqual({ status: 7, stdout: "a|b c|--help typed\n", stderr: "aside\n" });
  });

  test("puts the Node that it found first on the PATH", () => {
    expect(run([place("bin/launch.mjs"), "path.ts"]).stdout.trim()).toBe(join(process.execPath, ".."));
  });

  test("dies of the signal that its child died of", () => {
    expect(run([place("bin/launch.mjs"), "dies.ts"]).signal).toBe("SIGKILL");
  });

  const started = async (signal: string): Promise<{ child: ChildProcess; output: () => string }> => {
    const child = spawn(process.execPath, [place("bin/launch.mjs"), "signals.ts", signal], { cwd: home, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    while (!text.includes("ready")) await once(child.stdout, "data");
    return { child, output: () => text };
  };

  test.each(["SIGTERM", "SIGINT"] as const)("hands %s on once and waits for the child to finish", async (signal) => {
    const { child, output } = await started(signal);
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([41, null]);
    expect(output()).toBe("ready\ngot 1\n");
  });

  test("says in one sentence what is wrong with an old Node, and ends with 1", () => {
    const { status, stdout, stderr } = run([...oldNode, place("bin/launch.mjs"), "echo.ts"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^Throughline needs Node >=24\.16, and \S+ is v20\.20\.2: install a newer Node\.\n$/);
  });

  test("in a checkout without its packages the sentence names npm ci", () => {
    writeFileSync(place("package-lock.json"), "{}");
    expect(run([...oldNode, place("bin/launch.mjs"), "echo.ts"]).stderr).toContain("run `npm ci`");
    rmSync(place("package-lock.json"));
  });

  test("where the packages are not linked it names npm ci, and runs once they are", () => {
    writeFileSync(place("packages/throughline/package.json"), "{}");
    const before = run([place("bin/launch.mjs"), "path.ts"]);
    expect({ status: before.status, stderr: before.stderr }).toEqual({
      status: 1,
      stderr: "The packages of this checkout are not installed, or not linked: run `npm ci`.\n",
    });
    mkdirSync(place("node_modules/throughline"), { recursive: true });
    writeFileSync(place("node_modules/throughline/package.json"), "{}");
    expect(run([place("bin/launch.mjs"), "path.ts"]).status).toBe(0);
    for (const name of ["packages/throughline/package.json", "node_modules"]) rmSync(place(name), { recursive: true });
  });

  test("on an old Node it runs the nested one, if that is new enough", () => {
    const { stdout } = run([...oldNode, join(root, "bin/launch.mjs"), place("path.ts")]);
    expect(stdout.trim()).toBe(join(root, "node_modules/node/bin"));
    mkdirSync(place("node_modules/node/bin"), { recursive: true });
    writeFileSync(place("node_modules/node/bin/node"), "");
    writeFileSync(place("node_modules/node/package.json"), `{ "version": "24.2.0" }`);
    expect(run([...oldNode, place("bin/launch.mjs"), "path.ts"]).stderr).toContain("needs Node");
    rmSync(place("node_modules"), { recursive: true });
  });

  test("without a file to run it says so", () => {
    const { status, stderr } = run([place("bin/launch.mjs")]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "Name the file to run: node bin/launch.mjs <file> [arguments].\n" });
  });
});

describe("the command", () => {
  const command = (): string => place("installed/node_modules/throughline/bin/throughline.mjs");
  beforeAll(() => {
    const server = "installed/node_modules/@throughline/server";
    mkdirSync(place(server), { recursive: true });
    for (const folder of ["installed", "alone"]) {
      cpSync(join(root, "packages/throughline/bin"), place(`${folder}/node_modules/throughline/bin`), { recursive: true });
      cpSync(join(root, "packages/throughline/package.json"), place(`${folder}/node_modules/throughline/package.json`));
    }
    writeFileSync(place(`${server}/package.json`), `{ "type": "module", "exports": { "./cli": "./main.js" } }`);
    writeFileSync(place(`${server}/main.js`), `console.log("cli", ...process.argv.slice(2)); process.exitCode = 5;`);
  });

  test("runs the command line of the server in the same process, with its arguments and exit code", () => {
    const { status, stdout } = run([command(), "sessions", "list"]);
    expect({ status, stdout }).toEqual({ status: 5, stdout: "cli sessions list\n" });
  });

  test("without the server it says what to install", () => {
    const { status, stdout, stderr } = run([place("alone/node_modules/throughline/bin/throughline.mjs"), "chat"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("npm install @throughline/server @throughline/companion");
  });

  test("finds the server of the folder where it is called", () => {
    const { status } = spawnSync(process.execPath, [place("alone/node_modules/throughline/bin/throughline.mjs")], { cwd: place("installed") });
    expect(status).toBe(5);
  });

  test("on an old Node it says the sentence", () => {
    const { status, stderr } = run([...oldNode, command(), "chat"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^Throughline needs Node \^22\.20\.0 \|\| >=24\.7\.0, and .* is v20\.20\.2: install a newer Node\.\n$/);
  });
});
