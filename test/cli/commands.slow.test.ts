import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "../../scripts/root.ts";
import { diary, documentOf, main, newFolder, run, runBeside, say } from "./run-cli.ts";

/** One conversation that the tests only look at. */
let cwd = "";
let id = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "throughline-cli-"));
  id = /ses_[0-9a-z]{26}/.exec(say(cwd, ["I'm Ada", "I went to bed at 23:40", "thanks"]).err)?.[0] ?? "none";
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe("looking at a database", () => {
  test("sessions list", () => {
    const { code, out, err } = run(["sessions", "list"], { cwd });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [head, row] = out.split("\n").map((line) => line.trim().split(/ {2,}/));
    expect(head).toEqual(["ID", "AGENT", "CUSTOMER", "ANSWERS", "WAITS FOR", "TURNS", "HEAD", "UPDATED", "TITLE", "LAST MESSAGE"]);
    expect(row?.slice(0, 6)).toEqual([id, "diary", "-", "agent", "-", "3"]);
    expect(row?.at(-1)).toBe("You are welcome, Ada.");
    expect(documentOf(["sessions", "list"], { cwd })).toMatchObject({
      total: 1,
      next_cursor: null,
      sessions: [{ id, agent: "diary", definition: 1, mode: "auto", title: null }],
    });
  });

  test("sessions show, by default the session that was used last", () => {
    const { out } = run(["sessions", "show"], { cwd });
    expect(out).toContain(`session   ${id}`);
    expect(out).toContain("1  user\n  I'm Ada\n");
    expect(documentOf(["sessions", "show", id, "--messages", "1"], { cwd })).toMatchObject({
      session: { id },
      open_turns: [],
      messages: [{ role: "assistant", text: "You are welcome, Ada." }],
    });
  });

  test("sessions show --visible is what a model would be told: state and messages, and no metadata", () => {
    const document = documentOf(["sessions", "show", "--visible", ...diary], { cwd }) as {
      sections: readonly { name: string; text: string }[];
      messages: readonly unknown[];
    };
    expect(document.sections.map((section) => section.name)).toEqual(["persona", "diary"]);
    expect(JSON.parse(document.sections[1]?.text ?? "")).toMatchObject({ user_name: "Ada", nights: [{ bed: "23:40" }], streak: 1 });
    expect(document.messages).toHaveLength(6);
    expect(JSON.stringify(document)).not.toContain("metadata");
    const { out } = run(["sessions", "show", "--visible", ...diary], { cwd });
    expect(out).toMatch(/^\[persona\]\n {2}You keep a sleep diary/);
    expect(out).toContain("\n[messages]\n  user: I'm Ada\n");
  });

  test("a session is an argument or an option, and the chosen one is named on stderr, except with --json", () => {
    const shown = (words: readonly string[]) => {
      const { code, out, err } = run(words, { cwd });
      return { code, out: out.replaceAll(/\d+ s ago/g, "just now"), err };
    };
    for (const words of [
      ["events", "list"],
      ["state", "get"],
      ["sessions", "show"],
      ["sessions", "tree"],
      ["sessions", "pending"],
    ]) {
      const chosen = shown(words);
      expect(chosen).toMatchObject({ code: 0, err: `The most recent session: ${id} of agent diary, no customer\n` });
      for (const named of [[id], ["--session", id]]) expect(shown([...words, ...named])).toEqual({ ...chosen, err: "" });
      expect(run([...words, "--json"], { cwd }).err).toBe("");
    }
    expect(run(["state", "get", id, "--session", "ses_other"], { cwd })).toMatchObject({ code: 2, out: "" });
    const diffed = run(["state", "diff", "0", "5"], { cwd });
    expect(diffed.err.match(/The most recent session/g)).toHaveLength(1);
  });

  test("events list pages by offset and filters by kind", () => {
    const all = documentOf(["events", "list"], { cwd }) as { events: readonly { offset: number }[]; head: number };
    expect(all.events.map((event) => event.offset)).toEqual(Array.from({ length: all.head + 1 }, (_, offset) => offset));
    expect(documentOf(["events", "list", "--min-offset", "1", "--limit", "2"], { cwd })).toMatchObject({
      events: [{ offset: 1 }, { offset: 2 }],
      next_offset: 3,
      head: all.head,
    });
    const { events } = documentOf(["events", "list", "--kinds", "state, message"], { cwd }) as { events: readonly { kind: string }[] };
    expect(new Set(events.map((event) => event.kind))).toEqual(new Set(["message", "state"]));
    const text = run(["events", "list", "--limit", "2"], { cwd });
    expect(text.out).toMatch(
      /^0 {2}\d{4}-\S+Z {2}session {2}system {4}created for agent diary, definition 1\n1 {2}\S+ {2}message {2}customer {2}user: I'm Ada\n$/,
    );
    expect(text.err).toContain("--min-offset 2");
  });

  test("state get and state diff", () => {
    expect(documentOf(["state", "get"], { cwd })).toMatchObject({ session_id: id, state: { user_name: "Ada", streak: 1 } });
    expect(documentOf(["state", "get", "--at", "0"], { cwd })).toEqual({ session_id: id, offset: 0, state: { nights: [], goals: [] } });
    expect(JSON.parse(run(["state", "get", "--session", id], { cwd }).out)).toMatchObject({ user_name: "Ada" });
    const diff = documentOf(["state", "diff", "0", "12"], { cwd });
    expect(diff).toEqual({
      session_id: id,
      from: 0,
      to: 12,
      changes: [{ field: "user_name", after: "Ada" }],
      patch: [{ op: "add", path: "/user_name", value: "Ada" }],
    });
    expect(run(["state", "diff", "0", "12"], { cwd }).out).toBe("user_name: (none) → Ada\n");
    expect(run(["state", "diff", "12", "0"], { cwd }).out).toBe("user_name: Ada → (none)\n");
    expect(run(["state", "diff", "3", "3"], { cwd })).toMatchObject({ code: 0, out: "" });
  });

  test("doctor says what it checked, and changes nothing", () => {
    const before = run(["events", "list", "--json"], { cwd }).out;
    const { code, out } = run(["doctor", ...diary], { cwd });
    expect(code).toBe(0);
    expect(out.split("\n").map((line) => line.slice(0, 17).trim())).toEqual([
      "ok    node",
      "ok    config",
      "ok    agent",
      "ok    database",
      "ok    schema",
      "ok    state",
      "ok    open turns",
      "ok    memory",
      "ok    API keys",
      "ok    service",
      "",
    ]);
    expect(out).toContain("1 of 1 sessions fold, 1 of them decode as agent diary");
    expect(documentOf(["doctor", ...diary], { cwd })).toMatchObject({ ok: true });
    expect(run(["events", "list", "--json"], { cwd }).out).toBe(before);
  });

  test("looking does not create a database", () => {
    const empty = newFolder();
    expect(run(["sessions", "list"], { cwd: empty }).code).toBe(3);
    expect(run(["doctor"], { cwd: empty }).code).toBe(0);
    expect(run(["doctor", "--db", "other.db"], { cwd: empty }).code).toBe(1);
    expect(spawnSync("ls", ["-A", empty], { encoding: "utf8" }).stdout).toBe("");
  });

  test("whoever reads the output may leave early", () => {
    const { stdout, stderr, status } = spawnSync(
      "sh",
      ["-c", `"$0" "$1" events list "$2" --limit 1000 | head -n 1; exit 0`, process.execPath, main, id],
      {
        cwd,
        encoding: "utf8",
      },
    );
    expect({ status, stderr, lines: stdout.split("\n").length }).toEqual({ status: 0, stderr: "", lines: 2 });
  });

  test("no colours where there is no terminal", () => {
    for (const words of [["sessions", "list"], ["doctor"], ["state", "diff", "0", "12"], ["state", "get", "--at", "9999"]]) {
      const { out, err } = run(words, { cwd, env: { FORCE_COLOR: "1" } });
      expect(out + err).not.toContain("\u001b");
    }
  });
});

describe("doctor finds", () => {
  test("a state that does not fold", () => {
    const folder = newFolder();
    say(folder, ["I'm Ada"]);
    const database = new DatabaseSync(join(folder, ".throughline", "throughline.db"));
    database.exec(`UPDATE events SET data = json_set(data, '$.patch[0].path', '/missing/field') WHERE kind = 4`);
    database.close();
    const { code, out, err } = run(["doctor"], { cwd: folder });
    expect(code).toBe(1);
    expect(out).toMatch(/^fail {2}state +.*does not fold/m);
    expect(err).toContain("Checks failed");
  });
  test("a checkpoint that is not the fold", () => {
    const folder = newFolder();
    const module = (path: string): string => JSON.stringify(join(root, path));
    writeFileSync(
      join(folder, "heavy.ts"),
      `import { defineAgent, defineState, input, loop, reduced, scripted, stage } from ${module("packages/throughline/src/index.ts")};
       import { z } from ${module("node_modules/zod/index.js")};
       const State = defineState({ message: input(z.string()), notes: reduced(z.array(z.string()), { initial: [] }) });
       const keep = stage("keep", { state: State, writes: ["notes"] }, ({ state }) => ({ notes: state.message.repeat(9000) }));
       export const agent = defineAgent({ name: "heavy", version: 1, state: State, stages: [keep], reply: loop({ model: scripted(() => "kept") }) });`,
    );
    expect(say(folder, ["a", "b", "c", "d", "e", "f", "g", "h"], ["--agent", "heavy.ts"]).code).toBe(0);
    const checked = /(\d+) checkpoints equal their fold/.exec(run(["doctor", "--agent", "heavy.ts"], { cwd: folder }).out)?.[1];
    expect(Number(checked)).toBeGreaterThan(1);
    const database = new DatabaseSync(join(folder, ".throughline", "throughline.db"));
    database.exec(`UPDATE checkpoints SET state = replace(state, 'aaa', 'xxx') WHERE "offset" = (SELECT min("offset") FROM checkpoints)`);
    database.close();
    const { code, out } = run(["doctor", "--agent", "heavy.ts"], { cwd: folder });
    expect(code).toBe(1);
    expect(out).toMatch(/^fail {2}state +.*the checkpoint at \d+ is not the fold/m);
  });
  test("a file that is no database", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "not.db"), "no database at all, only text".repeat(100));
    expect(run(["doctor", "--db", "not.db"], { cwd: folder })).toMatchObject({ code: 1, out: expect.stringMatching(/^fail {2}database/m) as string });
  });
});

describe("exit codes and errors", () => {
  const noSession = `ses_${"0".repeat(26)}`;
  test.concurrent.each([
    [["--help"], 0, undefined],
    [["--version"], 0, undefined],
    [["state", "diff", "--help"], 0, undefined],
    [[], 2, "cli.usage"],
    [["sessions"], 2, "cli.usage"],
    [["nonsense"], 2, "cli.usage"],
    [["sessions", "lst"], 2, "cli.usage"],
    [["sessions", "list", "--nonsense"], 2, "cli.usage"],
    [["sessions", "list", "--limit", "0"], 2, "cli.usage"],
    [["sessions", "list", "--limit", "1e2"], 2, "cli.usage"],
    [["sessions", "list", "extra"], 2, "cli.usage"],
    [["sessions", "list", "--cursor", "nonsense"], 2, "cursor.invalid"],
    [["sessions", "list", "--db", ""], 2, "cli.usage"],
    [["sessions", "list", "--db", "mysql://host/db"], 2, "store.location_invalid"],
    [["sessions", "list", "--db", "/"], 2, "store.location_invalid"],
    [["sessions", "list", "--db", "missing.db"], 3, "store.not_found"],
    [["sessions", "show", noSession], 3, "session.not_found"],
    [["sessions", "show", "nonsense"], 3, "session.not_found"],
    [["sessions", "show", "--visible", "--agent", "missing.ts"], 3, "agent.not_found"],
    [["events", "list", "--session", noSession], 3, "session.not_found"],
    [["events", "list", "--kinds", "message,nonsense"], 2, "cli.usage"],
    [["events", "list", "--min-offset", "-1"], 2, "cli.usage"],
    [["state", "get", "--at", "999999"], 2, "log.offset_invalid"],
    [["state", "get", "--session", noSession], 3, "session.not_found"],
    [["state", "diff", "0"], 2, "cli.usage"],
    [["state", "diff", "0", "x"], 2, "cli.usage"],
    [["chat", "--new", "--session", noSession], 2, "cli.usage"],
    [["chat", "--session", noSession], 3, "session.not_found"],
    [["chat", "--agent", "missing.ts"], 3, "agent.not_found"],
    [["sessions", "list", "--db", "postgres://someone:pa55w0rd@127.0.0.1:1/db"], 1, "store.unreachable"],
  ] as const)("%j is %i (%s)", async (words, expected, code) => {
    const [plain, json] = await Promise.all([runBeside(words, { cwd }), runBeside([...words, "--json"], { cwd })]);
    expect(plain.code).toBe(expected);
    expect(plain.out + plain.err).not.toMatch(/^\s+at .*\d+:\d+/m);
    expect(plain.out + plain.err).not.toContain("pa55w0rd");
    if (code === undefined) return;
    expect(plain.out).toBe("");
    expect(plain.err).toMatch(new RegExp(`^Error: .+\\n.+\\n\\(${code.replace(".", "\\.")}\\)\\n$`, "m"));
    expect(json.code).toBe(expected);
    expect(JSON.parse(json.out)).toEqual({
      error: { code, message: expect.any(String) as string, hint: expect.any(String) as string, details: expect.any(Object) as object },
    });
  });

  test("a database of a newer version is a conflict", () => {
    const folder = newFolder();
    say(folder, ["hi"]);
    const database = new DatabaseSync(join(folder, ".throughline", "throughline.db"));
    const columns = database
      .prepare(`SELECT name FROM pragma_table_info('schema_migrations')`)
      .all()
      .map((row) => String(row["name"]));
    database.exec(
      `INSERT INTO schema_migrations SELECT ${columns.map((name) => (name === "version" ? "999" : name)).join(", ")} FROM schema_migrations WHERE version = 1`,
    );
    database.close();
    const { code, err } = run(["sessions", "list"], { cwd: folder });
    expect(code).toBe(4);
    expect(err).toContain("(store.schema_newer)");
  });

  test("a place where no file can be", () => {
    const folder = newFolder();
    writeFileSync(join(folder, "file"), "");
    const { code, err } = run(["chat", "--db", "file/in/file.db"], { cwd: folder, input: "hi\n" });
    expect(code).toBe(1);
    expect(err).toContain("file/in/file.db cannot be created");
    expect(err).toContain("Check the folder's path and permissions.");
  });

  test("a module that does not load, and one that exports something else", () => {
    const folder = newFolder();
    mkdirSync(join(folder, "modules"));
    writeFileSync(join(folder, "modules/broken.ts"), `import "not-installed-anywhere";`);
    writeFileSync(join(folder, "modules/other.ts"), `export const agent = 3;`);
    const broken = run(["chat", "--agent", "modules/broken.ts"], { cwd: folder, input: "hi\n" });
    expect(broken).toMatchObject({
      code: 2,
      err: expect.stringContaining("modules/broken.ts does not load: Cannot find package 'not-installed-anywhere'") as string,
    });
    expect(run(["chat", "--agent", "modules/other.ts"], { cwd: folder, input: "hi\n" }).err).toContain("exports no agent: `agent` is 3.");
    const debugged = run(["chat", "--agent", "modules/broken.ts"], { cwd: folder, input: "hi\n", env: { THROUGHLINE_DEBUG: "1" } });
    expect(debugged.err).toMatch(/^\s+at .*\d+:\d+/m);
    expect(debugged.err).toContain("caused by");
  });

  test("a session of another agent is not answered by this one", () => {
    const folder = newFolder();
    const session = /ses_[0-9a-z]{26}/.exec(say(folder, ["hi"]).err)?.[0] ?? "";
    const database = new DatabaseSync(join(folder, ".throughline", "throughline.db"));
    database.exec(`UPDATE sessions SET agent = 'other'`);
    database.close();
    const { code, err } = say(folder, ["hi"], ["--session", session]);
    expect(code).toBe(3);
    expect(err).toContain('The session belongs to agent "other"; this is agent "diary".');
  });
});

describe("forks", () => {
  test("sessions fork, sessions tree and state diff across sessions", () => {
    const folder = newFolder();
    const { err } = say(folder, ["I'm Ada", "I went to bed at 23:40"]);
    const first = /ses_[0-9a-z]{26}/.exec(err)?.[0] ?? "none";
    const forked = run(["sessions", "fork", first, "--at", "13", "--title", "what if"], { cwd: folder });
    const fork = forked.out.trim();
    expect(forked.code).toBe(0);
    expect(fork).toMatch(/^ses_[0-9a-z]{26}$/);
    expect(say(folder, ["I went to bed at 22:00"], ["--session", fork]).out).toContain("22:00");
    const tree = run(["sessions", "tree", first], { cwd: folder }).out.split("\n");
    expect(tree[1]).toMatch(new RegExp(`^${first} \\* +- `));
    expect(tree[2]).toMatch(new RegExp(`^└─ ${fork} +13 .*what if`));
    expect(documentOf(["sessions", "tree", fork], { cwd: folder })).toMatchObject({
      session_id: fork,
      tree: { id: first, forks: [{ id: fork, origin: { session_id: first, at: 13 }, title: "what if", forks: [] }] },
    });
    expect(run(["state", "diff", first, fork], { cwd: folder }).out).toContain("average_bedtime: 23:40 → 22:00");
    expect(documentOf(["state", "diff", `${first}@13`, `${fork}@13`], { cwd: folder })).toEqual({
      from: { session_id: first, offset: 13 },
      to: { session_id: fork, offset: 13 },
      changes: [],
      patch: [],
    });
    expect(run(["sessions", "show", fork], { cwd: folder }).out).toMatch(new RegExp(`forked from +${first}, at offset 13`));
    expect(run(["sessions", "fork", first, "--at", "999"], { cwd: folder }).code).toBe(2);
    expect(run(["state", "diff", "here", fork], { cwd: folder }).code).toBe(2);
  });

  test("/history and /fork in a chat: what follows is said in the fork", () => {
    const folder = newFolder();
    const { out, err } = say(folder, ["I'm Ada", "I went to bed at 23:40", "/history", "/fork 13", "I went to bed at 22:00", "/fork x"]);
    const [first, fork] = [...new Set(err.match(/ses_[0-9a-z]{26}/g))];
    expect(err).toMatch(/OFFSET +CAUSE +QUEUED +LAST MESSAGE\n27 +message .*23:40.*\n13 +message /);
    expect(err).toContain(`Now in ${fork}, which continues from offset 13. The original session is unchanged: ${first}`);
    expect(out).toContain("22:00");
    const nights = (session: string): unknown =>
      (documentOf(["state", "get", "--session", session], { cwd: folder }) as { state: { nights: readonly { bed: string }[] } }).state.nights.map(
        ({ bed }) => bed,
      );
    expect([nights(first!), nights(fork!)]).toEqual([["23:40"], ["22:00"]]);
  });
});
