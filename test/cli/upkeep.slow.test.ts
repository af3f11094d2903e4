import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { diary, documentOf, newFolder, run, say } from "./run-cli.ts";

const idIn = (text: string): string => /ses_[0-9a-z]{26}/.exec(text)?.[0] ?? "none";
const done = (words: readonly string[], cwd: string): string => {
  const { code, out, err } = run(words, { cwd });
  expect({ words, code, err: code === 0 ? "" : err }).toEqual({ words, code: 0, err: "" });
  return out;
};

/** Each command line is a process of its own. */
const patience = 90_000;

test("a session is exported, backed up, erased, purged, restored without it, and imported again", { timeout: patience }, () => {
  const cwd = newFolder();
  const [doomed, kept] = [idIn(say(cwd, ["I'm Zebrafinch"]).err), idIn(say(cwd, ["I'm Woodpecker"]).err)];
  writeFileSync(join(cwd, "bundle.jsonl"), done(["sessions", "export", doomed], cwd));
  expect(done(["sessions", "export", doomed, "--redacted"], cwd)).not.toContain("Zebrafinch");
  done(["backup", "backup.db"], cwd);
  expect(run(["backup", "backup.db"], { cwd }).code).toBe(4);
  expect(done(["erase", "--session", doomed], cwd)).toMatch(/^Erased 1 sessions with \d+ events \(era_/);
  expect(run(["erase", "--session", doomed], { cwd }).code).toBe(3);
  expect(documentOf(["erasures", "list"], { cwd })).toMatchObject({ total: 1, erasures: [{ sessions: 1 }] });
  const list = done(["erasures", "export"], cwd);
  expect(list).not.toContain(doomed);
  done(["purge"], cwd);
  for (const file of readdirSync(join(cwd, ".throughline")))
    expect(readFileSync(join(cwd, ".throughline", file)).includes("Zebrafinch"), file).toBe(false);
  expect(done(["restore", "backup.db"], cwd)).toContain("erased again: 1 customers and 0 sessions");
  expect(documentOf(["sessions", "list"], { cwd })).toMatchObject({ total: 1, sessions: [{ id: kept }] });
  expect(run(["restore", "backup.db", "elsewhere.db"], { cwd }).code).toBe(2);
  writeFileSync(join(cwd, "list"), list);
  done(["restore", "backup.db", "elsewhere.db", "--tombstones", "list"], cwd);
  expect(done(["sessions", "import", "bundle.jsonl", "--keep-ids"], cwd)).toContain(doomed);
  expect(documentOf(["state", "get", "--session", doomed], { cwd })).toMatchObject({ state: { user_name: "Zebrafinch" } });
});

test("retention says what it would do, does it, and reads below are refused", { timeout: patience }, () => {
  const cwd = newFolder();
  const id = idIn(say(cwd, ["I'm Ada", "thanks", "thanks", "thanks"]).err);
  expect(run(["retention", "--older-than", "soon"], { cwd }).code).toBe(2);
  const dry = documentOf(["retention", "--keep-events", "12", "--dry-run"], { cwd }) as { events: number };
  expect(dry).toMatchObject({ sessions: 1, cut: 1, dry_run: true });
  expect(documentOf(["retention", "--keep-events", "12"], { cwd })).toEqual({ ...dry, dry_run: false });
  expect(documentOf(["state", "get", "--session", id], { cwd })).toMatchObject({ state: { user_name: "Ada" } });
  expect(run(["state", "get", "--session", id, "--at", "3"], { cwd }).err).toContain("log.retained_from");
  expect(done(["events", "list", "--session", id], cwd)).toContain(`${dry.events}  `);
  done(["sessions", "show", id], cwd);
  done(["doctor", ...diary], cwd);
  expect(documentOf(["retention", "--older-than", "1d"], { cwd })).toMatchObject({ cut: 0, deleted: 0 });
});
