import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { numbersFrom } from "../../packages/throughline/src/testing/test-clock.ts";
import { emptyPostgresDatabase, newSqliteFile } from "../setup/database.ts";
import { eventsIn, openReader, pageIn, type Frame } from "../setup/event-reader.ts";
import { databases, startServer } from "../setup/server.ts";

const fixture = new URL("../fixtures/post-events.ts", import.meta.url).pathname;
const each = 60;

async function postElsewhere(location: string, session: string): Promise<void> {
  const child = spawn(process.execPath, [fixture, location, session, String(each), "1"], { stdio: ["ignore", "ignore", "inherit"] });
  onTestFinished(() => void child.kill());
  await once(child, "close");
}

/** Reads until `count` events have come, with a connection that breaks at any byte and a reader that remembers its last id alone. */
async function readInPieces(
  url: string,
  path: string,
  count: number,
  random: () => number,
): Promise<{ readonly frames: readonly Frame[]; readonly cuts: number }> {
  const frames: Frame[] = [];
  let last: string | undefined;
  for (let cuts = 0; ; cuts++) {
    const headers = last === undefined ? {} : { "last-event-id": last };
    const reader = await openReader(url, path, { headers, cutAfter: 300 + (random() % 4_000) });
    const over = new Promise((resolve) => void reader.over.then(resolve));
    const enough = expect.poll(() => frames.length + eventsIn(reader.frames).length, { interval: 5 }).toBeGreaterThanOrEqual(count);
    await Promise.race([over, enough.catch(() => {})]);
    reader.cut();
    frames.push(...reader.frames.filter(({ event }) => event !== undefined && event !== "draft"));
    last = reader.frames.findLast(({ id }) => id !== undefined)?.id ?? last;
    if (frames.length >= count) return { frames, cuts };
  }
}

describe.each(databases)("random cuts on %s, with writers in two processes", (database) => {
  test("one session: every event once, in order, and the same JSON as in its page", async () => {
    const location = database === "SQLite" ? newSqliteFile() : await emptyPostgresDatabase();
    const { url, runtime, request } = await startServer({ location });
    const session = await runtime.sessions.create({ agent: "a1" });
    const other = await runtime.sessions.create({ agent: "a1" });
    const path = `/v1/sessions/${session.id}/events?kinds=custom`;
    const random = numbersFrom(7);
    const written = postElsewhere(location, session.id);
    const here = (async () => {
      for (let number = 0; number < each; number++) {
        await session.postCustom({ number });
        await session.postOperator("in between");
        await other.postCustom({ number });
      }
    })();
    const both = `/v1/stream?sessions=${session.id},${other.id}&kinds=custom`;
    const [one, two] = await Promise.all([readInPieces(url, path, 2 * each, random), readInPieces(url, both, 3 * each, numbersFrom(8))]);
    await Promise.all([written, here]);
    const page = await request("GET", `${path}&limit=1000`);
    expect(`{"items":[${one.frames.map(({ text }) => text).join(",")}]`).toBe(page.text.slice(0, page.text.lastIndexOf(`,"next_offset"`)));
    expect(one.cuts).toBeGreaterThan(5);
    for (const { id } of [session, other]) {
      const listed = pageIn(await request("GET", `/v1/sessions/${id}/events?kinds=custom&limit=1000`)).items;
      expect(eventsIn(two.frames).filter((event) => event.session_id === id)).toEqual(listed);
    }
    expect(two.cuts).toBeGreaterThan(5);
  });
});
