/** Assessments in a file: what was acknowledged is there until a store has taken it, whatever happens to the file meanwhile. */
import { execFile } from "node:child_process";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openSpool, type AssessmentRecord } from "../../../packages/throughline/src/safety.ts";
import { recordOf } from "./record-of.ts";

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "throughline-spool-"));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Takes what is drained, up to so many. */
function taker(most = Number.POSITIVE_INFINITY): { readonly taken: string[]; readonly write: (record: AssessmentRecord) => Promise<void> } {
  const taken: string[] = [];
  const write = ({ audit_id }: AssessmentRecord): Promise<void> =>
    taken.length >= most ? Promise.reject(new Error("busy")) : Promise.resolve(void taken.push(audit_id));
  return { taken, write };
}

test("what is appended is drained once, in order, and then the folder is empty", async () => {
  const path = join(await folder(), "spool.jsonl");
  const spool = openSpool(path);
  for (const name of ["a", "b", "c"]) await spool.append(recordOf(name));
  expect(await spool.waiting?.()).toBe(3);
  expect((await stat(path)).mode & 0o077).toBe(0);
  const first = taker(2);
  expect(await spool.drain(first.write)).toBe(1);
  await spool.append(recordOf("d"));
  const second = taker();
  expect(await openSpool(path).drain(second.write)).toBe(0);
  expect([first.taken, second.taken]).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
  expect(await readdir(join(path, ".."))).toEqual([]);
  expect(await spool.drain(taker().write)).toBe(0);
});

test("files that a drain has left behind are never written over, however many fail in between", async () => {
  const path = join(await folder(), "spool.jsonl");
  const spool = openSpool(path);
  const names = Array.from({ length: 24 }, (_, index) => `r${index}`);
  const taken: string[] = [];
  for (const [at, name] of names.entries()) {
    await spool.append(recordOf(name));
    const { taken: now, write } = taker(at % 3);
    await spool.drain(write);
    taken.push(...now);
  }
  const rest = taker();
  expect(await spool.drain(rest.write)).toBe(0);
  expect([...taken, ...rest.taken]).toEqual(names);
});

test("a last line that a crash has cut off takes nothing with it", async () => {
  const path = join(await folder(), "spool.jsonl");
  await openSpool(path).append(recordOf("whole"));
  await openSpool(path).append(recordOf("torn"));
  await truncate(path, (await stat(path)).size - 20);
  await openSpool(path).append(recordOf("next"));
  await appendFile(path, '\nnull\n{"at":"x"}\n[]\n');
  const { taken, write } = taker();
  expect(await openSpool(path).drain(write)).toBe(0);
  expect(taken).toEqual(["whole", "next"]);
});

test.each<readonly [string, (path: string) => Promise<string>]>([
  ["no folder", async (path) => join(path, "missing", "spool.jsonl")],
  [
    "a folder in the place of the file",
    async (path) => {
      await mkdir(path);
      return path;
    },
  ],
  // Always full; where a system has no such device, there is no folder of that name either.
  ["a full disk", async () => "/dev/full"],
])("%s is an error of the spool", async (_what, spoil) => {
  const spool = openSpool(await spoil(join(await folder(), "spool.jsonl")));
  await expect(spool.append(recordOf("a"))).rejects.toMatchObject({ code: "safety.spool_failed" });
});

test("a file that cannot be read is not taken for one that is empty", async () => {
  const path = join(await folder(), "spool.jsonl");
  await mkdir(`${path}.000000000001-x.draining`);
  const spool = openSpool(path);
  await spool.append(recordOf("a"));
  await expect(spool.drain(taker().write)).rejects.toMatchObject({ code: "safety.spool_failed" });
  await rm(`${path}.000000000001-x.draining`, { recursive: true });
  const { taken, write } = taker();
  expect([await spool.drain(write), taken]).toEqual([0, ["a"]]);
});

test("a store that never answers a drain keeps nothing from being appended", async () => {
  const path = join(await folder(), "spool.jsonl");
  const spool = openSpool(path);
  await spool.append(recordOf("a"));
  void spool.drain(() => new Promise(() => {}));
  await spool.append(recordOf("b"));
  const { taken, write } = taker();
  await openSpool(path).drain(write);
  // Whatever one drain and the other have both taken has one key.
  expect(new Set(taken)).toEqual(new Set(["a", "b"]));
});

test("two processes on one spool lose nothing, and what both take has one name", async () => {
  const made = await folder();
  const path = join(made, "spool.jsonl");
  const child = (name: string): Promise<unknown> =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, "spool-child.ts"), path, join(made, `${name}.taken`), name, "60"]);
  await Promise.all([child("left"), child("right")]);
  const rest = taker();
  expect(await openSpool(path).drain(rest.write)).toBe(0);
  const drained = await Promise.all(["left", "right"].map((name) => readFile(join(made, `${name}.taken`), "utf8").catch(() => "")));
  const names = new Set([...drained.flatMap((text) => text.split("\n")).filter((name) => name !== ""), ...rest.taken]);
  const expected = ["left", "right"].flatMap((name) => Array.from({ length: 60 }, (_, index) => `${name}-${index}`));
  expect([...names].toSorted()).toEqual(expected.toSorted());
});
