/** Operator keys and customers at the command line. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keyFileOf, readKeyFile } from "../../packages/server/src/cli/database-location.ts";
import { ThroughlineError } from "../../packages/throughline/src/index.ts";
import { diary, newFolder, run } from "./run-cli.ts";

test("a key file opens an encrypted database, and is needed for it; rotation leaves it readable with the new key alone", () => {
  const cwd = newFolder();
  const generated = run(["keys", "generate"], { cwd });
  expect(generated.out).toMatch(/^key-\d{4}-\d\d-\d\d-[0-9a-f]{6} [A-Za-z0-9_-]{43}\n$/);
  expect(generated.err).toContain("chmod 600");
  const added = `key-2 ${Buffer.from("an operator key of 32 bytes, new").toString("base64url")}\n`;
  for (const [name, text] of Object.entries({ old: `# ours\n\n${generated.out}`, both: added + generated.out, new: added }))
    writeFileSync(join(cwd, `${name}.keys`), text);

  expect(run(["--key-file", "old.keys", "chat", ...diary], { cwd, input: "a secret walk\n" }).code).toBe(0);
  const file = readFileSync(join(cwd, ".throughline", "throughline.db"));
  expect([file.includes("secret walk"), file.includes(generated.out.slice(0, 20))]).toEqual([false, true]);
  const shown = (env: Readonly<Record<string, string>>) => run(["--json", "sessions", "show"], { cwd, env });
  expect(JSON.parse(shown({}).out)).toMatchObject({ error: { code: "encryption.key_missing" } });
  expect(JSON.parse(shown({ THROUGHLINE_KEY_FILE: "new.keys" }).out)).toMatchObject({ error: { code: "encryption.key_wrong" } });

  const rotated = run(["keys", "rotate", "--key-file", "both.keys", "--json"], { cwd });
  expect(JSON.parse(rotated.out)).toEqual({ operator_key: "key-2", rewrapped: 1 });
  expect(shown({ THROUGHLINE_KEY_FILE: "new.keys" }).out).toContain("a secret walk");
  expect(run(["keys", "rotate"], { cwd }).code).toBe(2);
});

test("a key file that is none is refused by line, without showing it", () => {
  const cwd = newFolder();
  const tried = (text: string): ThroughlineError => {
    const path = join(cwd, "tried.keys");
    writeFileSync(path, text);
    try {
      readKeyFile(path);
    } catch (error) {
      if (ThroughlineError.is(error)) return error;
    }
    throw new Error("It was accepted.");
  };
  expect(tried("# a remark\nc2VjcmV0\n")).toMatchObject({ code: "encryption.key_invalid", message: expect.stringContaining("Line 2") as unknown });
  expect(tried("id c2VjcmV0 more\n").message).not.toContain("c2VjcmV0");
  expect(() => readKeyFile(join(cwd, "missing.keys"))).toThrow(expect.objectContaining({ code: "cli.usage" }) as Error);
  expect(keyFileOf(undefined, { THROUGHLINE_KEY_FILE: " " })).toBeUndefined();
  expect(keyFileOf("a", { THROUGHLINE_KEY_FILE: "b" })).toBe("a");
  expect(() => keyFileOf(" ", {})).toThrow(ThroughlineError);
  writeFileSync(join(cwd, "two.keys"), "# ours\r\n\r\none  first\r\n\ttwo second");
  expect(readKeyFile(join(cwd, "two.keys"))).toEqual({
    keys: [
      { id: "one", key: "first" },
      { id: "two", key: "second" },
    ],
  });
});

test("sessions identify says who an anonymous session's customer is", () => {
  const cwd = newFolder();
  run(["chat", ...diary], { cwd, input: "hi\n" });
  const session = (JSON.parse(run(["--json", "sessions", "list"], { cwd }).out) as { sessions: { id: string }[] }).sessions[0]!.id;
  expect(run(["sessions", "identify", session, "crm-7", "--carry"], { cwd }).out).toBe(`${session} now belongs to crm-7.\n`);
  expect(run(["sessions", "identify", session, "crm-7"], { cwd }).out).toContain("already");
  expect(JSON.parse(run(["--json", "sessions", "identify", session, "crm-8"], { cwd }).out)).toMatchObject({ error: { code: "session.identified" } });
});
