import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Session } from "../../packages/throughline/src/create-runtime.ts";
import { emptyPostgresDatabase, newSqliteFile, noPostgres, runSql } from "../setup/database.ts";
import { dataOf, eventsIn, offsetsIn, openReader, pageIn, problemIn } from "../setup/event-reader.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { databases, startServer, type TestServer } from "../setup/server.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";

const locationOf = async (database: (typeof databases)[number]): Promise<string> =>
  database === "SQLite" ? newSqliteFile() : emptyPostgresDatabase();

const fixture = new URL("../fixtures/post-events.ts", import.meta.url).pathname;

/** Posts from another process; what it has committed, as it says so. */
function postElsewhere(
  location: string,
  session: string,
  count: number,
  pause = 0,
): { readonly posted: { offset: number; at: number }[]; readonly done: Promise<unknown> } {
  const child = spawn(process.execPath, [fixture, location, session, String(count), String(pause)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const posted: { offset: number; at: number }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => posted.push(JSON.parse(line) as { offset: number; at: number }));
  return { posted, done: once(child, "close") };
}

const events = (session: Session, rest = ""): string => `/v1/sessions/${session.id}/events${rest}`;
const nextOffset = (headers: Headers): number => Number(headers.get("next-offset"));

async function begun(options: Parameters<typeof startServer>[0] = {}): Promise<TestServer & { readonly session: Session }> {
  const server = await startServer(options);
  return { ...server, session: await server.runtime.sessions.create({ agent: "a1" }) };
}

describe.each(databases)("a page of events on %s", (database) => {
  test("D1 D3 D5 D6 D15 D16: events by offset, from anywhere, each as it was", async () => {
    const { request, session } = await begun({ location: await locationOf(database) });
    for (let number = 1; number <= 12; number++) await session.postCustom(number);
    const all = await request("GET", events(session));
    expect(offsetsIn(all)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(all.body).toMatchObject({ next_offset: 13, head: 12 });
    expect((await request("GET", events(session, "?min_offset=0"))).text).toBe(all.text);
    expect(offsetsIn(await request("GET", events(session, "?min_offset=11")))).toEqual([11, 12]);
    expect((await request("GET", events(session, "?min_offset=99"))).body).toEqual({ items: [], next_offset: 99, head: 12 });
    await session.withdraw({ from: 12 });
    await session.postCustom("after");
    const kept = await request("GET", events(session, "?kinds=custom&min_offset=11"));
    expect(offsetsIn(kept)).toEqual([11, 14]);
    const taken = await request("GET", events(session, "?kinds=custom&min_offset=11&withdrawn=true"));
    expect(offsetsIn(taken)).toEqual([11, 12, 14]);
    expect((await request("GET", "/v1/sessions/ses_00000000000000000000000000/events")).status).toBe(404);
    expect(problemIn(await request("GET", "/v1/sessions/nothing/events")).code).toBe("session.not_found");
  });

  test("D10: a trace is the events of one turn, its message among them", async () => {
    const { request, session } = await begun({ location: await locationOf(database) });
    await session.send("one");
    await session.send("two");
    const { items } = pageIn(await request("GET", events(session, "?kinds=message&source=customer")));
    expect(items).toHaveLength(2);
    const trace = await request("GET", events(session, `?trace_id=${items[1]?.trace_id}`));
    expect(pageIn(trace).items.map(({ kind }) => kind)).toEqual(["message", "status", "status", "status", "message", "status"]);
    const turn = await request("GET", events(session, `?kinds=turn&trace_id=${items[1]?.trace_id}`));
    expect(pageIn(turn).items.map(({ data }) => data["type" as never])).toEqual(["started", "step", "ended"]);
    expect(offsetsIn(await request("GET", events(session, `?trace_id=${"0".repeat(32)}`)))).toEqual([]);
  });

  test("pages lead to the end, with a link to each next one", async () => {
    const { request, session } = await begun({ location: await locationOf(database) });
    for (let number = 0; number < 25; number++) await session.postCustom(number);
    const seen: number[] = [];
    let next: string | undefined = events(session, "?kinds=custom&limit=10");
    while (next !== undefined) {
      const page = await request("GET", next);
      expect(pageIn(page).items.length).toBeLessThanOrEqual(10);
      seen.push(...offsetsIn(page));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  });

  test("a page of huge events is cut, and goes on at the event that was left out", async () => {
    const { request, session } = await begun({ location: await locationOf(database) });
    for (let number = 0; number < 8; number++) await session.postCustom("x".repeat(900_000));
    const page = await request("GET", events(session));
    expect(page.text.length).toBeLessThan(4.5 * 1024 * 1024);
    expect(offsetsIn(page)).toEqual([0, 1, 2, 3, 4]);
    expect(pageIn(page).next_offset).toBe(5);
  });

  test("E3: a post of another process ends the wait at once", async () => {
    const location = await locationOf(database);
    const { request, session } = await begun({ location });
    const { posted, done } = postElsewhere(location, session.id, 3, 60);
    let from = 1;
    const late: number[] = [];
    while (from < 4) {
      const page = await request("GET", events(session, `?min_offset=${from}&wait=20&limit=1`));
      const came = Date.now();
      expect(offsetsIn(page)).toEqual([from]);
      await expect.poll(() => posted.length, { interval: 1 }).toBeGreaterThanOrEqual(from);
      late.push(came - (posted[from - 1]?.at ?? 0));
      from = pageIn(page).next_offset;
    }
    await done;
    // timing: five times the 150 ms of the case.
    expect(Math.min(...late)).toBeLessThan(750);
  });
});

test.skipIf(noPostgres !== undefined)("E10: all connections to the database break, and no reader misses what comes then", async () => {
  const location = await emptyPostgresDatabase();
  const { request, session, url } = await begun({ location });
  const reader = await openReader(url, events(session, "?kinds=custom"));
  const waiting = request("GET", events(session, "?kinds=custom&wait=20"));
  await delay(100);
  await runSql(location, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()");
  const { done } = postElsewhere(location, session.id, 2);
  expect(offsetsIn(await waiting)[0]).toBe(1);
  await expect.poll(() => eventsIn(reader.frames).map(({ offset }) => offset)).toEqual([1, 2]);
  await done;
});

describe("parameters", () => {
  const wrong = [
    "kinds=bogus",
    "kinds=",
    "kinds=message,",
    "source=bogus",
    "source=",
    "min_offset=-1",
    "min_offset=abc",
    "min_offset=",
    "min_offset=1.5",
    "min_offset=1e3",
    "limit=0",
    "limit=1001",
    "limit=",
    "trace_id=",
    "trace_id=t",
    "wait=-1",
    "wait=abc",
    "format=xml",
    "withdrawn=maybe",
    "bogus=1",
    "min_offset=1&min_offset=2",
    "format=sse&limit=3",
    "format=sse&wait=3",
    "format=sse&idle=0",
  ];
  test("D8: what is wrong is refused, and named", async () => {
    const { request, session } = await begun();
    for (const query of wrong) {
      const answer = await request("GET", events(session, `?${query}`));
      expect([query, answer.status, problemIn(answer).code]).toEqual([query, 422, "request.invalid"]);
      expect(problemIn(answer).errors?.[0]?.pointer).toMatch(/^query/);
    }
  });

  test("what is accepted decides between a page and a stream", async () => {
    const { request, session, url } = await begun();
    const typeFor = async (accept: string): Promise<string | null> => {
      const left = new AbortController();
      const response = await fetch(`${url}${events(session)}`, { headers: { accept }, signal: left.signal });
      left.abort();
      return response.headers.get("content-type");
    };
    expect(await typeFor("*/*")).toBe("application/json");
    expect(await typeFor("text/html,application/xhtml+xml,*/*;q=0.8")).toBe("application/json");
    expect(await typeFor("text/event-stream")).toBe("text/event-stream");
    expect(await typeFor("application/json;q=0.5, text/event-stream")).toBe("text/event-stream");
    expect(await typeFor("text/event-stream;q=0, application/json")).toBe("application/json");
    const refused = await request("GET", events(session), undefined, { accept: "text/html" });
    expect([refused.status, problemIn(refused).code]).toEqual([406, "request.not_acceptable"]);
    const bogus = await request("GET", events(session), undefined, { accept: "text/event-stream", "last-event-id": "x" });
    expect([bogus.status, problemIn(bogus).code]).toEqual([422, "request.invalid"]);
  });
});

describe("a long poll", () => {
  test("E1: events that are there are answered at once, and a wait in vain is 204", async () => {
    const { request, session } = await begun({ limits: { waitMs: 50 } });
    const at = performance.now();
    expect(offsetsIn(await request("GET", events(session, "?wait=30")))).toEqual([0]);
    // An answer that waited would have waited for all of it.
    expect(performance.now() - at).toBeLessThan(30_000);
    const none = await request("GET", events(session, "?min_offset=1&wait=1"));
    expect([none.status, none.text, nextOffset(none.headers)]).toEqual([204, "", 1]);
    const now = await request("GET", events(session, "?min_offset=1&wait=0"));
    expect([now.status, nextOffset(now.headers)]).toEqual([204, 1]);
    const preferred = await request("GET", events(session, "?min_offset=1"), undefined, { prefer: "respond-async, wait=1" });
    expect([preferred.status, preferred.headers.get("preference-applied")]).toEqual([204, "wait=1"]);
  });

  test("a wait beyond the limit is capped, and tells where to go on over what was not asked for", async () => {
    const { request, session } = await begun({ limits: { waitMs: 50 } });
    await session.postCustom(1);
    const vain = await request("GET", events(session, "?min_offset=1&wait=86400&kinds=tool"));
    expect([vain.status, nextOffset(vain.headers)]).toEqual([204, 2]);
  });

  test("E5: it goes on waiting while what comes is of other kinds, and then tells where to go on", async () => {
    const { request, session } = await begun();
    const waiting = request("GET", events(session, "?min_offset=1&wait=10&kinds=message"));
    for (let number = 0; number < 5; number++) {
      await session.postCustom(number);
      await delay(20);
    }
    await session.postOperator("hello");
    const page = await waiting;
    expect(offsetsIn(page)).toEqual([6]);
  });

  test("E6: a commit between the look and the wait is not slept through", async () => {
    const store = await openStore(":memory:");
    const known: Session[] = [];
    const late = {
      ...forwarding(store),
      watch: async (...given: Parameters<typeof store.watch>) => {
        await known[0]?.postCustom("in between");
        return store.watch(...given);
      },
    };
    const server = await startServer({ store: late });
    const session = await server.runtime.sessions.create({ agent: "a1" });
    known.push(session);
    const page = await server.request("GET", events(session, "?min_offset=1&wait=10"));
    expect(pageIn(page).items[0]?.data).toEqual({ value: "in between" });
  });

  test("E8: the place of a caller who leaves is free again", async () => {
    const { request, session, url } = await begun({ limits: { waiters: 1, waitMs: 1_000 } });
    const left = new AbortController();
    const waiting = fetch(`${url}${events(session, "?min_offset=1&wait=30")}`, { signal: left.signal }).catch(() => "left");
    await delay(100);
    const refused = await request("GET", events(session, "?min_offset=1&wait=30"));
    expect([refused.status, problemIn(refused).code]).toEqual([429, "limit.waiters"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    left.abort();
    expect(await waiting).toBe("left");
    await expect.poll(async () => (await request("GET", events(session, "?wait=1"))).status).toBe(200);
  });

  test("it ends when its session is erased, and when the service stops", async () => {
    const { request, session, server, runtime } = await begun();
    const other = await runtime.sessions.create({ agent: "a1" });
    const erased = request("GET", events(session, "?min_offset=1&wait=30"));
    const stopped = request("GET", events(other, "?min_offset=1&wait=30"));
    await delay(100);
    await runtime.sessions.delete(session.id);
    expect((await erased).status).toBe(404);
    // A service that waited for its readers would wait an hour.
    const closing = server.close({ drainMs: 3_600_000 });
    expect((await stopped).status).toBe(204);
    await closing;
  });
});

test("one event is the same JSON in a page, a long poll, a stream and a stream of several sessions", async () => {
  const { request, session, url } = await begun();
  await session.send("hi");
  const page = await request("GET", events(session));
  const poll = await request("GET", events(session, "?wait=5"));
  expect(poll.text).toBe(page.text);
  for (const path of [events(session, "?format=sse"), `/v1/stream?sessions=${session.id}`]) {
    const { frames, cut } = await openReader(url, path);
    await expect.poll(() => eventsIn(frames).length).toBe(pageIn(page).items.length);
    cut();
    const texts = frames.flatMap(({ text }) => (text === undefined ? [] : [text]));
    expect(`{"items":[${texts.join(",")}],"next_offset":10,"head":9}`).toBe(page.text);
  }
  const one = await request("GET", events(session, "/1"));
  expect(page.text).toContain(one.text);
  expect(dataOf({ event: "message", text: one.text })).toEqual(pageIn(page).items[1]);
});
