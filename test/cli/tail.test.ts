/** `events tail`: the events of all sessions. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { append, event, newSession } from "../../packages/throughline/src/testing/store/fixtures.ts";
import { command } from "./in-process.ts";

const custom = (value: number) => ({ events: [event("custom", { value }, { source: "system" })] });

test("follows all sessions from a position or from now on, and ends at its limit", async () => {
  const folder = mkdtempSync(join(tmpdir(), "throughline-tail-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "a.db");
  const store = await openStore(path);
  onTestFinished(() => store.close());
  const [one, other] = [await newSession(store), await newSession(store)];
  await append(store, one, custom(1));
  const lines = (out: string): readonly unknown[] => out.split("\n").flatMap((line): readonly unknown[] => (line === "" ? [] : [JSON.parse(line)]));
  const line = (position: number, session_id: string, value: number): unknown =>
    expect.objectContaining({ position, event: expect.objectContaining({ session_id, offset: 1, data: { value } }) as unknown });

  const now = command(["events", "tail", "--db", path, "--kinds", "custom", "--limit", "1", "--json"], { folder });
  const over = now.then(() => true);
  // Nothing tells when the command has begun.
  do await append(store, other, custom(2));
  while (!(await Promise.race([over, delay(100, false)])));
  expect(lines((await now).out)).toEqual([
    expect.objectContaining({ event: expect.objectContaining({ session_id: other, data: { value: 2 } }) as unknown }),
  ]);

  const all = await command(["events", "tail", "--db", path, "--kinds", "custom", "--after", "0", "--limit", "2", "--json"], { folder });
  expect(lines(all.out)).toEqual([line(3, one, 1), line(4, other, 2)]);
  const text = await command(["events", "tail", "--db", path, "--after", "3", "--limit", "1"], { folder });
  expect(text.out).toMatch(new RegExp(`^4  ${other} 1  `));
  expect(await command(["events", "tail", "--db", join(folder, "none.db")], { folder })).toMatchObject({ error: "store.not_found" });
  expect(await command(["events", "tail", "--db", path, "--kinds", "nothing"], { folder })).toMatchObject({ error: "cli.usage" });
  expect(await command(["events", "tail", "--db", path, "--after", "1000000"], { folder })).toMatchObject({ error: "cursor.invalid" });
});
