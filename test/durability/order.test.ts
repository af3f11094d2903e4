/** No acknowledgement before the database's log of writes is on disk, as the kernel saw it. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { newSqliteFile } from "../setup/database.ts";

/** Why system calls cannot be watched here; undefined if they can. */
const noStrace = ((): string | undefined => {
  const probe = spawnSync("strace", ["-f", "-e", "trace=fdatasync", process.execPath, "-e", "0"], { stdio: "ignore" });
  if (probe.error !== undefined) return "strace is not installed";
  return probe.status === 0 ? undefined : "strace may not watch processes here";
})();

/** One thing that the kernel was asked: to write to the log of writes, to bring it to disk, or to show a mark. */
type Call = { readonly type: "write" | "sync" } | { readonly type: "begin" | "ack"; readonly number: number };

/** What one line of a trace says that is of interest. A call that was interrupted by another thread counts where it returned. */
function callOf(line: string, unfinished: Map<string, string>): Call | undefined {
  const [, pid = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
  if (rest.endsWith("<unfinished ...>")) return void unfinished.set(pid, rest);
  const resumed = rest.startsWith("<...");
  const text = resumed ? `${unfinished.get(pid) ?? ""} ${rest}` : rest;
  const mark = /write\(1<[^>]*>, "<(begin|ack) (\d+)>/.exec(text);
  if (mark !== null) return { type: mark[1] === "ack" ? "ack" : "begin", number: Number(mark[2]) };
  if (/^pwrite64\(\d+<[^>]*-wal>/.test(text)) return { type: "write" };
  if (/^f(data)?sync\(\d+<[^>]*-wal>/.test(text) && text.endsWith(" = 0")) return { type: "sync" };
  return undefined;
}

function callsOf(durability: "full" | "relaxed"): readonly Call[] {
  const path = newSqliteFile();
  const trace = join(dirname(path), "trace.txt");
  const script = fileURLToPath(new URL("ack-writer.ts", import.meta.url));
  execFileSync(
    "strace",
    ["-f", "-y", "-qq", "-s", "40", "-e", "trace=fdatasync,fsync,write,pwrite64", "-o", trace, process.execPath, script, path, durability],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const unfinished = new Map<string, string>();
  return readFileSync(trace, "utf8")
    .split("\n")
    .flatMap((line) => callOf(line, unfinished) ?? []);
}

/** For each acknowledged message: whether something was written, and whether a sync returned after the last write and before the mark. */
function acknowledgements(calls: readonly Call[]): readonly { readonly wrote: boolean; readonly synced: boolean }[] {
  return calls.flatMap((call, index) => {
    if (call.type !== "ack") return [];
    const begin = calls.findLastIndex((other, at) => at < index && other.type === "begin");
    const between = calls.slice(begin, index);
    const lastWrite = between.findLastIndex((other) => other.type === "write");
    return [{ wrote: lastWrite >= 0, synced: lastWrite >= 0 && between.slice(lastWrite).some((other) => other.type === "sync") }];
  });
}

const every = (flags: { readonly wrote: boolean; readonly synced: boolean }): unknown => Array.from({ length: 20 }, () => flags);

test("full: a message is acknowledged only after its write was brought to disk", ({ skip }) => {
  if (noStrace !== undefined) skip(noStrace);
  expect(acknowledgements(callsOf("full"))).toEqual(every({ wrote: true, synced: true }));
});

test("relaxed: it is acknowledged before, so the test above can fail", ({ skip }) => {
  if (noStrace !== undefined) skip(noStrace);
  expect(acknowledgements(callsOf("relaxed"))).toEqual(every({ wrote: true, synced: false }));
});
