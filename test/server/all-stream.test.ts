/** The stream over all sessions: `GET /v1/stream` without `sessions`, and the client that follows it. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import { openStore } from "../../packages/throughline/src/open-store.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { forwarding } from "../../packages/throughline/src/store/port.ts";
import { eventsIn, openReader, problemIn, type Frame } from "../setup/event-reader.ts";
import { startServer } from "../setup/server.ts";

const values = (frames: readonly Frame[]): readonly unknown[] => eventsIn(frames).map(({ data }) => data["value" as never]);
const lastId = (frames: readonly Frame[]): string => frames.findLast((frame) => frame.id !== undefined)?.id ?? "";
const all = "/v1/stream?kinds=custom";

describe("the stream over all sessions", () => {
  test("has the events of every session in order, also of sessions that begin later", async () => {
    const { url, runtime } = await startServer();
    const one = await runtime.sessions.create({ agent: "a1" });
    await one.postCustom(1);
    const reader = await openReader(url, all);
    expect(reader.head).toMatch(/content-type: text\/event-stream/i);
    const other = await runtime.sessions.create({ agent: "a1" });
    await other.postCustom(2);
    await one.postCustom(3);
    await expect.poll(() => values(reader.frames)).toEqual([1, 2, 3]);
    expect(eventsIn(reader.frames).map(({ session_id }) => session_id)).toEqual([one.id, other.id, one.id]);
    const [shown] = eventsIn((await readAll(url, `/v1/stream?sessions=${one.id}&kinds=custom`, 1)).frames);
    expect(eventsIn(reader.frames)[0]).toEqual(shown);
  });

  test("continues after the id of any frame, within a commit too", async () => {
    const { url, runtime } = await startServer();
    const session = await runtime.sessions.create({ agent: "a1" });
    await session.send("hi");
    await session.postCustom("later");
    const offsets = (frames: readonly Frame[]): readonly number[] => eventsIn(frames).map(({ offset }) => offset);
    const whole = await readAll(url, "/v1/stream", 4);
    await expect.poll(() => eventsIn(whole.frames).at(-1)?.kind).toBe("custom");
    const seen = offsets(whole.frames);
    const ids = whole.frames.flatMap(({ event, id }) => (event === undefined || id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
    for (const [index, id] of ids.entries()) {
      const rest = seen.slice(index + 1);
      const byHeader = await openReader(url, "/v1/stream", { headers: { "last-event-id": id } });
      const byParameter = await openReader(url, `/v1/stream?after=${id}`);
      for (const reader of [byHeader, byParameter]) {
        await expect.poll(() => [id, ...offsets(reader.frames)]).toEqual([id, ...rest]);
        reader.cut();
      }
    }
  });

  test("beats with the cursor of what its reader is not shown, and ends when nothing comes", async () => {
    const { url, runtime } = await startServer({ limits: { heartbeatMs: 30 } });
    const session = await runtime.sessions.create({ agent: "a1" });
    const reader = await openReader(url, "/v1/stream?kinds=message&idle=1");
    await session.postCustom(1);
    await expect.poll(() => lastId(reader.frames)).toBe("2");
    await reader.over;
    expect(eventsIn(reader.frames)).toEqual([]);
    expect(reader.frames.at(-1)).toMatchObject({ event: "bye", id: "2" });
  });

  test("delivers no event of an erased session, and none of a fork's origin again", async () => {
    const { url, runtime } = await startServer();
    const [kept, gone] = [await runtime.sessions.create({ agent: "a1" }), await runtime.sessions.create({ agent: "a1" })];
    await gone.postCustom("secret");
    await kept.postCustom("a");
    const fork = await kept.fork();
    await fork.postCustom("b");
    const reader = await openReader(url, all);
    await expect.poll(() => values(reader.frames)).toEqual(["secret", "a", "b"]);
    const id = reader.frames[0]?.id ?? "";
    await runtime.sessions.delete(gone.id);
    await kept.postCustom("c");
    await expect.poll(() => values(reader.frames)).toEqual(["secret", "a", "b", "c"]);
    for (const path of [all, `${all}&after=${id}`]) {
      const later = await openReader(url, path);
      await expect.poll(() => values(later.frames)).toEqual(["a", "b", "c"]);
    }
  });

  test("delivers no event that was read before its session was erased and was not taken yet", async () => {
    const store = await openStore(":memory:");
    const held = Promise.withResolvers<void>();
    const reads = new Set<string>();
    let slow = "";
    const { url, runtime } = await startServer({
      store: {
        ...forwarding(store),
        read: async (request) => {
          const page = await store.read(request);
          if (slow !== "") reads.add(request.session_id);
          if (request.session_id === slow) await held.promise;
          return page;
        },
      },
    });
    const [first, gone, kept] = [
      await runtime.sessions.create({ agent: "a1" }),
      await runtime.sessions.create({ agent: "a1" }),
      await runtime.sessions.create({ agent: "a1" }),
    ];
    await first.postCustom("a");
    await gone.postCustom("secret");
    await kept.postCustom("b");
    slow = first.id;
    const reader = await openReader(url, `${all}&after=3`);
    await expect.poll(() => reads.size).toBe(3);
    await runtime.sessions.delete(gone.id);
    held.resolve();
    await expect.poll(() => values(reader.frames).at(-1)).toBe("b");
    expect(values(reader.frames)).toEqual(["a", "b"]);
  });

  test("passes what retention has cut off", async () => {
    const { url, runtime } = await startServer();
    const session = await runtime.sessions.create({ agent: "a1" });
    for (let number = 0; number < 30; number++) await session.postCustom(number);
    await runtime.retain({ keepEvents: 10 });
    const reader = await openReader(url, all);
    await expect.poll(() => values(reader.frames).at(-1)).toBe(29);
    expect(values(reader.frames).length).toBeLessThan(30);
  });

  test("goes on when its database has not answered for a while, and loses nothing", async () => {
    const store = await openStore(":memory:");
    let down = false;
    const checked = async <Value>(work: () => Promise<Value>): Promise<Value> => {
      if (down) throw new ThroughlineError("store.unreachable");
      return work();
    };
    const server = await startServer({
      store: {
        ...forwarding(store),
        appends: (request) => checked(() => store.appends(request)),
        read: (request) => checked(() => store.read(request)),
      },
    });
    const session = await server.runtime.sessions.create({ agent: "a1" });
    const reader = await openReader(server.url, all);
    await session.postCustom(1);
    await expect.poll(() => values(reader.frames)).toEqual([1]);
    down = true;
    await session.postCustom(2);
    await delay(30);
    down = false;
    await session.postCustom(3);
    await expect.poll(() => values(reader.frames), { timeout: 5_000 }).toEqual([1, 2, 3]);
  });

  test("is refused to tokens, with parameters of other streams, and after a cursor that does not exist", async () => {
    const { url, runtime, request } = await startServer();
    await runtime.customers.create({ id: "ada" });
    const session = await runtime.sessions.create({ agent: "a1", customer: "ada" });
    const { token: streams } = (await request("POST", "/v1/stream-tokens", { sessions: [session.id] })).body as { token: string };
    const { token } = (await request("POST", "/v1/tokens", { customer_id: "ada" })).body as { token: string };
    expect(problemIn(await request("GET", `/v1/stream?stream_token=${streams}`)).code).toBe("auth.forbidden");
    const asAda = await openReader(url, "/v1/stream", { headers: { authorization: `Bearer ${token}` } });
    expect(asAda.status).toBe(403);
    for (const query of [`offsets=${session.id}:1`, "drafts=true", `sessions=${session.id}&after=1`, "limit=3", "after="])
      expect([query, (await request("GET", `/v1/stream?${query}`)).status]).toEqual([query, 422]);
    for (const cursor of ["x", "1:", "-1", "0:1", "9", "9:1", `${session.id}:1`])
      expect([cursor, problemIn(await request("GET", `/v1/stream?after=${cursor}`)).code]).toEqual([cursor, "cursor.invalid"]);
  });
});

describe("the client's `all`", () => {
  test("yields each event once with a cursor, also over connections that the service ends", async () => {
    const server = await startServer();
    const client = createClient({ baseUrl: server.url, backoffMs: 10, fetch: cutting });
    const session = await server.runtime.sessions.create({ agent: "a1" });
    const stop = new AbortController();
    const seen: { readonly cursor: string; readonly value: unknown }[] = [];
    const connections: string[] = [];
    const reading = (async () => {
      const events = client.all({ kinds: ["custom"], signal: stop.signal, onConnection: (connection) => connections.push(connection) });
      for await (const { cursor, event } of events) if (event.kind === "custom") seen.push({ cursor, value: event.data.value });
    })();
    for (let number = 0; number < 5; number++) {
      await session.postCustom(number);
      await expect.poll(() => seen.map(({ value }) => value)).toEqual(Array.from({ length: number + 1 }, (_, index) => index));
    }
    stop.abort();
    await reading;
    for await (const { event } of client.all({ after: seen[2]?.cursor ?? "" })) {
      expect(event).toMatchObject({ session_id: session.id, data: { value: 3 } });
      break;
    }
    await expect(client.all({ after: "99" }).next()).rejects.toMatchObject({ code: "cursor.invalid" });
    expect(connections.filter((connection) => connection === "lost").length).toBeGreaterThan(1);
  });
});

/** A connection that breaks after two pieces, at the end of one. */
const cutting: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (response.body === null || !response.ok) return response;
  const reader = response.body.getReader();
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = pieces++ < 2 ? await reader.read() : { done: true, value: undefined };
      if (!done && value !== undefined) return controller.enqueue(value);
      await reader.cancel();
      controller.close();
    },
  });
  return new Response(body, response);
};

async function readAll(url: string, path: string, count: number): Promise<Awaited<ReturnType<typeof openReader>>> {
  const reader = await openReader(url, path);
  await expect.poll(() => eventsIn(reader.frames).length).toBeGreaterThanOrEqual(count);
  return reader;
}
