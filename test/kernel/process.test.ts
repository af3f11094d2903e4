/** Names of processes: who is gone is recognized, and who cannot be judged is not. */
import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { expect, test } from "vitest";
import { hasLeft, isGone, processId, processName } from "../../packages/throughline/src/kernel/process.ts";

const module = new URL("../../packages/throughline/src/kernel/process.ts", import.meta.url).href;
const print = `import { isGone, processName } from ${JSON.stringify(module)}; console.log(JSON.stringify([processName(), isGone(process.argv[1] ?? "")]));`;
const args = ["--input-type=module", "-e", print];

/** The name of a process that has ended, and whether it took `other` for gone. */
function ended(other = ""): readonly [name: string, gone: boolean] {
  const { stdout } = spawnSync(process.execPath, [...args, other], { encoding: "utf8" });
  return JSON.parse(stdout) as [string, boolean];
}

test("a process that has ended is gone, for others that share its namespace; one that runs is not", () => {
  const [name, tookForGone] = ended(processName());
  expect(tookForGone).toBe(false);
  expect([isGone(name), isGone(`${name}/worker`), isGone(processName()), isGone(`${processName()}/worker`)]).toEqual([true, true, false, false]);
});

test("a process of another host, PID namespace or boot, or named by an earlier version, is never taken for gone", () => {
  const [name] = ended();
  const [host, id = ""] = name.split("/");
  const [pid, namespace, boot] = id.split("-");
  const others = [
    `elsewhere/${id}`,
    `${host}/${pid}-1${namespace}-${boot}`,
    `${host}/${pid}-${namespace}-0${boot}`,
    `${host}/${pid}`,
    `${host}/`,
    "",
  ];
  expect(others.filter(isGone)).toEqual([]);
});

test("a file of an earlier boot was left; one of another namespace may still be in use", () => {
  const [pid, namespace, boot] = processId().split("-");
  expect(hasLeft(`${pid}-${namespace}-${boot}`)).toBe(false);
  if (boot !== "") expect([hasLeft(`${pid}-${namespace}-0${boot}`), hasLeft(`${pid}-1${namespace}-${boot}`)]).toEqual([true, false]);
});

test("on Linux, a process in a PID namespace of its own has another name and takes nobody outside for gone", (context) => {
  const inside = (name: string) => spawnSync("unshare", ["--pid", "--fork", "--kill-child", process.execPath, ...args, name], { encoding: "utf8" });
  const [outer] = ended();
  const { status, stdout } = inside(outer);
  if (status !== 0) return context.skip("unshare is missing or not permitted here");
  const [name, tookForGone] = JSON.parse(stdout) as [string, boolean];
  expect([tookForGone, isGone(name), name.startsWith(`${hostname()}/`)]).toEqual([false, false, true]);
});
