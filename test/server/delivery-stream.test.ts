import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import type { Session } from "../../packages/throughline/src/create-runtime.ts";
import { echoAgent, gate, until } from "../runtime/harness.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import { dataOf, eventsIn, openReader, problemIn, type EventReader, type Frame } from "../setup/event-reader.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { echo, startServer, type TestServer, type TestServerOptions } from "../setup/server.ts";

const events = (session: Session, rest = ""): string => `/v1/sessions/${session.id}/events${rest}`;

async function begun(options: TestServerOptions = {}): Promise<TestServer & { readonly session: Session }> {
  const server = await startServer(options);
  return { ...server, session: await server.runtime.sessions.create({ agent: "a1" }) };
}

/** A word for each frame but heartbeats. */
const outline = (frames: readonly Frame[]): readonly string[] =>
  frames.flatMap((frame) => {
    if (frame.event === undefined) return [];
    const data = dataOf(frame) as { type?: string; text?: string; reason?: string };
    if (frame.event === "draft") return [data.type === "draft.delta" ? `+${data.text}` : `reset ${data.reason}`];
    if (frame.event === "bye") return [`bye ${data.reason}`];
    return [frame.id === undefined ? frame.event : `${frame.event}@${frame.id}`];
  });

const seen = (reader: EventReader, words: readonly string[]): Promise<void> =>
  expect.poll(() => outline(reader.frames), { interval: 5 }).toEqual(words);

const sorted = (words: readonly string[]): readonly string[] => words.toSorted((left, right) => left.localeCompare(right));

/** An agent whose reply comes in two pieces, the second when the gate opens. */
function halted(): { readonly agent: ReturnType<typeof echoAgent>; readonly open: () => void } {
  const more = gate();
  let pieces = 0;
  const wait = async (): Promise<void> => {
    pieces += 1;
    if (pieces === 2) await more.opened;
  };
  return { agent: echoAgent({ model: scripted(() => ({ text: ["one ", "two"], wait })) }), open: () => more.open() };
}

describe("a stream", () => {
  test("E11: begins where it is told, follows the log, and ends after the idle time", async () => {
    const { url, session } = await begun();
    await session.postCustom(1);
    await session.postCustom(2);
    const reader = await openReader(url, events(session, "?kinds=custom&idle=1"));
    expect(reader.head).toMatch(/content-type: text\/event-stream/i);
    expect(reader.head).toMatch(/cache-control: no-store, no-transform/i);
    expect(reader.head).toMatch(/x-accel-buffering: no/i);
    await session.postCustom(3);
    await reader.over;
    expect(outline(reader.frames)).toEqual(["custom@1", "custom@2", "custom@3", "bye idle"]);
    const later = await openReader(url, events(session, "?min_offset=1"), { headers: { "last-event-id": "2" } });
    await seen(later, ["reset resumed", "custom@3"]);
  });

  test("E15: says that there is nothing to read before its headers", async () => {
    const { url, session, runtime } = await begun();
    const missing = await openReader(url, "/v1/sessions/ses_00000000000000000000000000/events");
    expect(missing.status).toBe(404);
    expect(missing.head).toMatch(/application\/problem\+json/);
    for (let number = 0; number < 5; number++) await session.send(`m${number}`);
    await runtime.retain({ keepEvents: 10 });
    const cut = await openReader(url, events(session), { headers: { "last-event-id": "1" } });
    expect(cut.status).toBe(410);
    const kept = await openReader(url, events(session, "?min_offset=0"));
    await expect.poll(() => eventsIn(kept.frames).length).toBeGreaterThan(5);
    expect((await openReader(url, "/v1/stream?sessions=ses_00000000000000000000000000")).status).toBe(404);
    expect((await openReader(url, "/v1/stream?sessions=")).status).toBe(422);
  });

  test("E13: beats while nothing comes, and moves on over what its reader is not shown", async () => {
    const { url, session } = await begun({ limits: { heartbeatMs: 30 } });
    const reader = await openReader(url, events(session, "?kinds=message"));
    for (let number = 0; number < 4; number++) await session.postCustom(number);
    await expect.poll(() => reader.frames.at(-1)).toEqual({ id: "4", comment: "next_offset=5" });
    const beats = reader.frames.length;
    await delay(120);
    // timing: one each 30 ms.
    expect(reader.frames.length - beats).toBeGreaterThanOrEqual(1);
    expect(reader.frames.length - beats).toBeLessThan(20);
    expect(eventsIn(reader.frames)).toEqual([]);
  });

  test("goes on when its database has not answered for a while, and loses nothing", async () => {
    const store = await openStore(":memory:");
    let down = false;
    const read: typeof store.read = async (request) => {
      if (down) throw new ThroughlineError("store.unreachable");
      return store.read(request);
    };
    const server = await startServer({ store: { ...forwarding(store), read } });
    const session = await server.runtime.sessions.create({ agent: "a1" });
    const reader = await openReader(server.url, events(session, "?kinds=custom"));
    await session.postCustom(1);
    await seen(reader, ["custom@1"]);
    down = true;
    await session.postCustom(2);
    await delay(30);
    down = false;
    await session.postCustom(3);
    await seen(reader, ["custom@1", "custom@2", "custom@3"]);
  });

  test("is nothing to HEAD, and frees the place of its reader", async () => {
    const { url, session, request } = await begun({ limits: { waiters: 1 } });
    for (let times = 0; times < 3; times++) {
      const response = await fetch(`${url}${events(session, "?format=sse")}`, { method: "HEAD" });
      expect(response.status).toBe(200);
    }
    const reader = await openReader(url, events(session));
    expect(reader.status).toBe(200);
    expect(problemIn(await request("GET", events(session, "?format=sse"))).code).toBe("limit.waiters");
    reader.cut();
    await expect.poll(async () => (await openReader(url, events(session))).status).toBe(200);
  });
});

describe("drafts", () => {
  test("E16: pieces in order, an end, then the event; without ids", async () => {
    const { agent, open } = halted();
    const { url, session } = await begun({ agents: [agent] });
    const reader = await openReader(url, events(session, "?kinds=message"));
    const sent = session.send("hi");
    await seen(reader, ["message@1", "+one "]);
    open();
    await sent;
    await seen(reader, ["message@1", "+one ", "+two", "reset end", "message@7"]);
  });

  test("a reader that was cut in the middle drops what it has, and gets what is open", async () => {
    const { agent, open } = halted();
    const { url, session } = await begun({ agents: [agent] });
    const reader = await openReader(url, events(session, "?kinds=message"));
    const sent = session.send("hi");
    await seen(reader, ["message@1", "+one "]);
    reader.cut();
    const again = await openReader(url, events(session, "?kinds=message"), { headers: { "last-event-id": "1" } });
    await seen(again, ["reset resumed", "+one "]);
    again.cut();
    open();
    await sent;
    const last = await openReader(url, events(session, "?kinds=message"), { headers: { "last-event-id": "1" } });
    await seen(last, ["reset resumed", "message@7"]);
  });

  test("are left out for whoever wants none, or would not see their message", async () => {
    const { agent, open } = halted();
    const { url, session } = await begun({ agents: [agent] });
    const readers = await Promise.all(
      ["drafts=false", "kinds=status,custom", "source=customer"].map((query) => openReader(url, events(session, `?${query}`))),
    );
    const sent = session.send("hi");
    await expect.poll(() => eventsIn(readers[1]?.frames ?? []).length).toBe(3);
    await delay(20);
    open();
    await sent;
    await expect.poll(() => eventsIn(readers[1]?.frames ?? []).length).toBe(4);
    for (const { frames } of readers) expect(frames.filter(({ event }) => event === "draft")).toEqual([]);
  });
});

describe("the end of a stream", () => {
  test("the service stops: a draft that is open ends, the reader is told, and nothing hangs", async () => {
    const { agent, open } = halted();
    const { url, session, server } = await begun({ agents: [agent] });
    const reader = await openReader(url, events(session, "?kinds=message"));
    const idle = await openReader(url, `/v1/stream?sessions=${session.id}&kinds=custom`);
    const sent = session.send("hi");
    await seen(reader, ["message@1", "+one "]);
    // A service that waited for its readers would wait an hour.
    await server.close({ drainMs: 3_600_000 });
    await Promise.all([reader.over, idle.over]);
    expect(outline(reader.frames)).toEqual(["message@1", "+one ", "reset fence", "bye shutdown"]);
    expect(dataOf(reader.frames.at(-1) ?? {})).toEqual({ reason: "shutdown", positions: { [session.id]: 6 } });
    expect(outline(idle.frames).at(-1)).toBe("bye shutdown");
    open();
    await sent;
  });

  test("a reader that takes nothing does not keep the service from stopping", async () => {
    const { url, session, server } = await begun();
    for (let number = 0; number < 30; number++) await session.postCustom("x".repeat(500_000));
    const reader = await openReader(url, events(session));
    reader.socket.pause();
    await delay(200);
    // A service that waited for its readers would wait an hour.
    await server.close({ drainMs: 3_600_000 });
  });

  test("its session is erased: the reader is told", async () => {
    const { url, session, runtime } = await begun();
    const reader = await openReader(url, events(session));
    await seen(reader, ["session@0"]);
    await runtime.sessions.delete(session.id);
    await reader.over;
    expect(outline(reader.frames)).toEqual(["session@0", "gone"]);
    expect((await openReader(url, events(session), { headers: { "last-event-id": "0" } })).status).toBe(404);
  });
});

test("a reader that takes nothing costs little, is cut, and gets the rest when it comes back", async () => {
  const store = await openStore(":memory:");
  let most = 0;
  const read: typeof store.read = async (request) => {
    const page = await store.read(request);
    most = Math.max(most, page?.events.length ?? 0);
    return page;
  };
  const server = await startServer({ store: { ...forwarding(store), read }, limits: { slowReaderMs: 100 } });
  const session = await server.runtime.sessions.create({ agent: "a1" });
  const value = "x".repeat(250_000);
  for (let number = 0; number < 200; number++) await session.postCustom(value);
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const reader = await openReader(server.url, events(session, "?kinds=custom"));
  reader.socket.pause();
  await delay(150);
  // 50 MB wait; of them a page and what the sockets hold are in memory.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  expect(most).toBeLessThanOrEqual(16);
  await delay(300);
  reader.socket.resume();
  await reader.over;
  const offsets = eventsIn(reader.frames).map(({ offset }) => offset);
  expect(offsets.length).toBeLessThan(200);
  // With more patience, so that a busy machine is not taken for a slow reader.
  const { url } = await startServer({ store });
  const rest = await openReader(url, events(session, "?kinds=custom"), { headers: { "last-event-id": String(offsets.at(-1)) } });
  await expect.poll(() => rest.frames.length).toBe(201 - offsets.length);
  expect([...offsets, ...eventsIn(rest.frames).map(({ offset }) => offset)]).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
});

describe("several sessions in one stream", () => {
  const ids = async (server: TestServer, count: number): Promise<readonly Session[]> =>
    Promise.all(Array.from({ length: count }, () => server.runtime.sessions.create({ agent: "a1" })));

  test("each in its order, with ids to go on from in all of them", async () => {
    const server = await startServer();
    const [a, b, c] = await ids(server, 3);
    if (a === undefined || b === undefined || c === undefined) throw new Error("no sessions");
    const path = `/v1/stream?sessions=${a.id},${b.id},${c.id}&kinds=custom&offsets=${c.id}:2`;
    const reader = await openReader(server.url, path);
    await a.postCustom("a1");
    await b.postCustom("b1");
    await c.postCustom("c1");
    await a.postCustom("a2");
    await c.postCustom("c2");
    const values = (frames: readonly Frame[]): readonly string[] => eventsIn(frames).map(({ data }) => String(data["value" as never]));
    await expect.poll(() => sorted(values(reader.frames))).toEqual(["a1", "a2", "b1", "c2"]);
    reader.cut();
    await b.postCustom("b2");
    const id = reader.frames.findLast((frame) => frame.id !== undefined)?.id ?? "";
    expect(id).toMatch(new RegExp(`^${c.id}:3,|,${c.id}:3`));
    const again = await openReader(server.url, path, { headers: { "last-event-id": id } });
    await expect.poll(() => values(again.frames)).toEqual(["b2"]);
    const byOffsets = await openReader(
      server.url,
      `/v1/stream?sessions=${a.id},${b.id}&kinds=custom&offsets=${id
        .split(",")
        .filter((part) => !part.startsWith(c.id))
        .join(",")}`,
    );
    await expect.poll(() => values(byOffsets.frames)).toEqual(["b2"]);
  });

  test("one is erased: the others go on, also for a reader that comes back", async () => {
    const server = await startServer();
    const [a, b] = await ids(server, 2);
    if (a === undefined || b === undefined) throw new Error("no sessions");
    const path = `/v1/stream?sessions=${a.id},${b.id}&kinds=custom`;
    const reader = await openReader(server.url, path);
    await a.postCustom(1);
    await b.postCustom(1);
    await expect.poll(() => eventsIn(reader.frames).length).toBe(2);
    const id = reader.frames.findLast((frame) => frame.id !== undefined)?.id ?? "";
    await server.runtime.sessions.delete(a.id);
    await b.postCustom(2);
    await expect.poll(() => sorted(outline(reader.frames).map((word) => word.replace(/@.*/, "")))).toEqual(["custom", "custom", "custom", "gone"]);
    const again = await openReader(server.url, path, { headers: { "last-event-id": id } });
    await expect.poll(() => sorted(outline(again.frames).map((word) => word.replace(/@.*/, "")))).toEqual(["custom", "gone"]);
    expect((await openReader(server.url, path)).status).toBe(404);
  });

  test("what is no list of sessions or offsets is refused", async () => {
    const { request, session } = await begun();
    for (const query of [
      `sessions=${session.id}&offsets=x`,
      `sessions=${session.id}&offsets=${session.id}:-1`,
      "sessions=",
      `sessions=${session.id}&limit=3`,
    ])
      expect([query, (await request("GET", `/v1/stream?${query}`)).status]).toEqual([query, 422]);
    const many = Array.from({ length: 101 }, (_, index) => `ses_${String(index).padStart(26, "0")}`).join(",");
    expect(problemIn(await request("GET", `/v1/stream?sessions=${many}`)).code).toBe("request.invalid");
  });
});

test("readers that wait cost no statements", async () => {
  const store = await openStore(":memory:");
  let calls = 0;
  const counted = new Proxy(store, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...given: unknown[]): unknown => {
        if (name === "read" || name === "open" || name === "load") calls += 1;
        return Reflect.apply(method, target, given);
      };
    },
  });
  const server = await startServer({ store: counted, agents: [echo], limits: { waiters: 500, heartbeatMs: 20 } });
  const session = await server.runtime.sessions.create({ agent: "a1" });
  const readers = await Promise.all(Array.from({ length: 100 }, () => openReader(server.url, events(session))));
  await until(() => readers.every(({ frames }) => frames.length >= 2));
  await delay(50);
  const before = calls;
  await delay(200);
  expect(calls - before).toBe(0);
  await session.postCustom(1);
  await until(() => readers.every(({ frames }) => eventsIn(frames).length === 2));
});

test("without a socket: a stream ends with its request, and one that nobody reads is broken off", async () => {
  const { server, session, request, url } = await begun({ limits: { waiters: 1, slowReaderMs: 50 } });
  const left = new AbortController();
  const open = (signal?: AbortSignal): Promise<Response> =>
    server.fetch(new Request(`${url}${events(session, "?format=sse")}`, signal === undefined ? {} : { signal }));
  const body = (await open(left.signal)).text();
  await delay(20);
  left.abort();
  expect(await body).toMatch(/^retry: 1000\n\nid: 0\nevent: session\n/);
  const reader = (await open()).body?.getReader();
  await reader?.read();
  await expect.poll(async () => (await request("GET", events(session, "?wait=1"))).status).toBe(200);
  await expect(reader?.closed).rejects.toMatchObject({ code: "aborted" });
});
