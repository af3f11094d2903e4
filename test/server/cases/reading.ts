/** D and E: offsets, pages, long polls and streams, posted to one process and read from another. */
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import type { WireEvent } from "../../../packages/server/src/protocol/wire-event.ts";
import { dataOf, eventsIn } from "../../setup/event-reader.ts";
import { readStream } from "./stream.ts";
import { at, ended, follow, logOf, only, outline, problem, say, textOf, until, type Case, type World } from "./world.ts";

type Session = { readonly id: string };
const offsets = (events: readonly WireEvent[]): readonly number[] => events.map(({ offset }) => offset);
const page = ({ two }: World, session: Session, query = "") => two.ask("GET", at(session, `/events${query}`));
const numbers = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

async function note({ either }: World, session: Session, data: unknown, turn = 0): Promise<WireEvent> {
  const { status, body } = await either(turn).ask("POST", at(session, "/events"), { kind: "custom", data });
  expect(status).toBe(201);
  return body;
}

/** A session with so many events after its creation. */
async function noted(world: World, count: number): Promise<Session> {
  const session = await world.make();
  for (let number = 1; number <= count; number++) await note(world, session, number);
  return session;
}

export const listing: readonly Case[] = [
  {
    id: "D1",
    what: "what is posted by turns to two services has offsets in the order of the posts",
    run: async (world) => {
      const session = await world.make();
      const posted: WireEvent[] = [];
      for (const number of [1, 2, 3, 4, 5]) posted.push(await note(world, session, number, number));
      expect(offsets(posted)).toEqual([1, 2, 3, 4, 5]);
      expect(await logOf(world, session, "kinds=custom")).toEqual(posted);
    },
  },
  {
    id: "reading-2",
    what: "a new log has its creation, and past the end there is nothing",
    run: async (world) => {
      const session = await world.make();
      expect((await page(world, session)).body).toMatchObject({
        items: [{ offset: 0, kind: "session", data: { type: "created" } }],
        next_offset: 1,
        head: 0,
      });
      expect((await page(world, session, "?min_offset=7")).body).toEqual({ items: [], next_offset: 7, head: 0 });
    },
  },
  {
    id: "D3, D5, D16",
    what: "from the beginning is from 0, numbers are compared as numbers, and both services say the same to the byte",
    run: async (world) => {
      const session = await noted(world, 13);
      const all = await page(world, session);
      expect((await page(world, session, "?min_offset=0")).text).toBe(all.text);
      expect(offsets((await page(world, session, "?min_offset=11")).body.items)).toEqual([11, 12, 13]);
      expect((await world.one.ask("GET", at(session, "/events"))).text).toBe(all.text);
    },
  },
  {
    id: "D6",
    what: "offsets of what was taken back are not used again",
    run: async (world) => {
      const session = await noted(world, 3);
      expect((await world.one.ask("DELETE", at(session, "/events?min_offset=2"))).status).toBe(204);
      const { offset } = await note(world, session, "after");
      const { body } = await page(world, session, "?withdrawn=true");
      expect(offsets(body.items)).toEqual(numbers(0, offset));
      expect(offsets(await logOf(world, session, "kinds=custom"))).toEqual([1, offset]);
    },
  },
  {
    id: "reading-7",
    what: "a page has the kinds and the source that are asked for, and goes on over the others",
    run: async (world) => {
      const session = await world.make();
      await note(world, session, 1);
      await say(world, session, "hi");
      await ended(world, session);
      const of = async (query: string) => outline((await page(world, session, `?${query}`)).body.items);
      expect(await of("kinds=message")).toEqual(["customer:hi", "agent:re:hi"]);
      expect(await of("kinds=custom,message&source=ai_agent")).toEqual(["agent:re:hi"]);
      expect(await of("source=customer")).toEqual(["customer:hi"]);
      const { body } = await page(world, session, "?kinds=tool");
      expect([body.items, body.next_offset]).toEqual([[], body.head + 1]);
    },
  },
  {
    id: "D8",
    what: "a kind that there is not is refused",
    run: async (world) => expect(await page(world, await world.make(), "?kinds=bogus")).toMatchObject(problem(422, "request.invalid")),
  },
  {
    id: "D10",
    what: "a trace has all events of its turn, with the message, and none of another's",
    run: async (world) => {
      const session = await world.make();
      const trace_id = "0af7651916cd43dd8448eb211c80319c";
      await say(world, session, "one");
      await ended(world, session);
      await say(world, session, "two", { traceparent: `00-${trace_id}-b7ad6b7169203331-01` });
      const all = await ended(world, session, 2);
      const every = "&kinds=message,tool,status,custom,state,turn,session";
      expect(await logOf(world, session, `trace_id=${trace_id}${every}`)).toEqual(all.slice(all.findIndex((event) => textOf(event) === "two")));
    },
  },
  {
    id: "D11, L10",
    what: "200 posts by eight writers to two services are 200 offsets, which a reader sees as they come, each once and in order",
    run: async (world) => {
      const session = await world.make();
      const reading = follow(world, session, (events) => events.length > 200);
      const write = async (writer: number): Promise<readonly number[]> => {
        const own: WireEvent[] = [];
        for (let number = 0; number < 25; number++) own.push(await note(world, session, { writer, number }, writer));
        return offsets(own);
      };
      const written = await Promise.all(numbers(1, 8).map(write));
      for (const own of written) expect(own).toEqual(own.toSorted((left, right) => left - right));
      expect(written.flat().toSorted((left, right) => left - right)).toEqual(numbers(1, 200));
      expect(offsets(await reading)).toEqual(numbers(0, 200));
    },
  },
  {
    id: "reading-14",
    what: "pages lead to the end, over what comes meanwhile",
    run: async (world) => {
      const session = await noted(world, 7);
      const seen: number[] = [];
      for (let path: string | undefined = at(session, "/events?limit=3"); path !== undefined;) {
        const { body, headers } = await world.two.ask("GET", path);
        seen.push(...offsets(body.items));
        if (seen.length === 3) await note(world, session, "late");
        path = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
      }
      expect(seen).toEqual(numbers(0, 8));
    },
  },
  {
    id: "D15",
    what: "a session that is not there has no log",
    run: async (world) => {
      for (const id of [`ses_${"0".repeat(26)}`, "nothing"]) expect(await page(world, { id })).toMatchObject(problem(404, "session.not_found"));
    },
  },
];

/** Opens a stream of the second service. */
const stream = (world: World, path: string, headers = {}) => readStream(world.two.url, path, { ...world.key, ...headers });

export const delivery: readonly Case[] = [
  {
    id: "E1",
    timing: true,
    what: "what is there is answered at once",
    run: async (world) => {
      const session = await noted(world, 1);
      const began = performance.now();
      expect(offsets((await page(world, session, "?wait=30")).body.items)).toEqual([0, 1]);
      expect(performance.now() - began).toBeLessThan(750);
    },
  },
  {
    id: "waiting-2",
    what: "a wait in vain is 204 with where to go on, and no wait does not wait",
    run: async (world) => {
      const session = await world.make();
      const began = performance.now();
      const now = await page(world, session, "?min_offset=1&wait=0");
      expect([now.status, now.text, now.headers.get("next-offset")]).toEqual([204, "", "1"]);
      const later = await page(world, session, "?min_offset=1&wait=1");
      expect([later.status, later.headers.get("next-offset")]).toEqual([204, "1"]);
      expect(performance.now() - began).toBeGreaterThan(990);
    },
  },
  {
    id: "E3",
    timing: true,
    what: "a post to the other process ends a wait within 150 ms",
    run: async (world) => {
      const session = await world.make();
      const waiting = page(world, session, "?min_offset=1&wait=20").then(() => performance.now());
      await delay(200);
      await note(world, session, 1);
      const committed = performance.now();
      expect((await waiting) - committed).toBeLessThan(750);
    },
  },
  {
    id: "E5",
    what: "a wait for messages goes on while there are only statuses",
    run: async (world) => {
      const session = await world.make();
      const { open, begun, name } = world.gate();
      await say(world, session, `draft ${name}`);
      await begun();
      const waiting = page(world, session, "?min_offset=2&kinds=message&wait=20");
      const statuses = await follow(world, session, (events) => only(events, "status").includes("status:processing"), { from: 2 });
      expect(only(statuses, "message")).toEqual([]);
      open();
      expect(outline((await waiting).body.items)).toEqual(["agent:one two three"]);
    },
  },
  {
    id: "E6",
    what: "no commit is slept through, whenever it comes",
    run: async (world) => {
      const session = await world.make();
      for (const offset of numbers(1, 12)) {
        const began = performance.now();
        const [answer] = await Promise.all([
          page(world, session, `?min_offset=${offset}&wait=20`),
          delay(offset).then(() => note(world, session, offset)),
        ]);
        expect(offsets(answer.body.items)).toEqual([offset]);
        expect(performance.now() - began).toBeLessThan(5_000);
      }
    },
  },
  {
    id: "waiting-7",
    what: "all who wait are answered, on both services",
    run: async (world) => {
      const session = await world.make();
      const waiting = numbers(1, 4).map((turn) => world.either(turn).ask("GET", at(session, "/events?min_offset=1&wait=20")));
      await note(world, session, 1);
      const answers = await Promise.all(waiting);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    },
  },
  {
    id: "E8",
    timing: true,
    what: "who leaves while waiting gives the place back within a second",
    run: async (world) => {
      const session = await world.make();
      const { token } = (await world.one.ask("POST", "/v1/tokens", { customer_id: session.customer_id })).body;
      const headers = { authorization: `Bearer ${token}` };
      const left = new AbortController();
      const wait = (signal?: AbortSignal) =>
        fetch(`${world.two.url}${at(session, "/events?min_offset=1&wait=20")}`, { headers, ...(signal === undefined ? {} : { signal }) });
      const statusOf = (signal?: AbortSignal) => wait(signal).then(({ status }) => status);
      const waiting = numbers(1, 10).map(() => wait(left.signal).catch(() => undefined));
      await until(
        async () => ((await Promise.race([statusOf(AbortSignal.timeout(200)).catch(() => 0), delay(150, 0)])) === 429 ? true : undefined),
        "a full house",
      );
      left.abort();
      await Promise.all(waiting);
      const began = performance.now();
      await until(
        async () => ((await Promise.race([statusOf(AbortSignal.timeout(200)).catch(() => 0), delay(150, 0)])) === 429 ? undefined : true),
        "a free place",
      );
      expect(performance.now() - began).toBeLessThan(5_000);
    },
  },
  {
    id: "waiting-9",
    what: "who waits for a session that is deleted is told so",
    run: async (world) => {
      const session = await world.make();
      const waiting = page(world, session, "?min_offset=1&wait=10");
      const reader = await stream(world, at(session, "/events"));
      await delay(100);
      expect((await world.one.ask("DELETE", at(session))).status).toBe(204);
      expect(await waiting).toMatchObject(problem(404, "session.not_found"));
      await reader.over;
      expect(reader.frames.map(({ event }) => event).at(-1)).toBe("gone");
    },
  },
  {
    id: "E11",
    what: "a stream has what is there in order, and ends after the idle time",
    run: async (world) => {
      const session = await noted(world, 1);
      const reader = await stream(world, at(session, "/events?idle=1"));
      await reader.over;
      expect([reader.status, reader.type]).toEqual([200, "text/event-stream"]);
      expect(reader.frames.flatMap(({ event, id }) => (event === undefined ? [] : [`${event} ${id}`]))).toEqual(["session 0", "custom 1", "bye 1"]);
    },
  },
  {
    id: "waiting-12",
    what: "a stream goes on after the last event that was seen",
    run: async (world) => {
      const session = await noted(world, 3);
      const reader = await stream(world, at(session, "/events?min_offset=0"), { "last-event-id": "1" });
      await note(world, session, 4);
      await until(() => (eventsIn(reader.frames).length >= 3 ? true : undefined), "the rest");
      reader.cut();
      expect(offsets(eventsIn(reader.frames))).toEqual([2, 3, 4]);
    },
  },
  {
    id: "E13",
    timing: true,
    what: "a stream without events beats, and says where it is",
    run: async (world) => {
      const session = await noted(world, 1);
      const reader = await stream(world, at(session, "/events?kinds=message"));
      await until(() => (reader.frames.some(({ comment }) => comment === "next_offset=2") ? true : undefined), "a beat");
      reader.cut();
      expect(eventsIn(reader.frames)).toEqual([]);
    },
  },
  {
    id: "E15",
    what: "what cannot be streamed is said before the headers",
    run: async (world) => {
      const reader = await stream(world, at({ id: `ses_${"0".repeat(26)}` }, "/events"));
      await reader.over;
      expect([reader.status, reader.type]).toEqual([404, "application/problem+json"]);
    },
  },
  {
    id: "E16",
    what: "a reply that is streamed comes in pieces, an end, and one event, also from another process",
    on: "PostgreSQL",
    run: async (world) => {
      const session = await world.make();
      const { name, open, begun } = world.gate();
      const reader = await stream(world, at(session, "/events?kinds=message"));
      await say(world, session, `draft ${name}`);
      await begun();
      const drafts = () => reader.frames.filter(({ event }) => event === "draft").map((frame) => dataOf(frame) as { type: string; text?: string });
      await until(() => (drafts().length > 0 ? true : undefined), "a draft");
      open();
      await until(() => (eventsIn(reader.frames).length === 2 ? true : undefined), "the reply");
      reader.cut();
      const deltas = drafts().filter(({ type }) => type === "draft.delta");
      expect("one two three".startsWith(deltas.map(({ text }) => text).join(""))).toBe(true);
      expect(drafts().at(-1)?.type).toBe("draft.reset");
      expect(reader.frames.findLastIndex(({ event }) => event === "draft")).toBeLessThan(
        reader.frames.findIndex(({ event, id }) => event === "message" && id !== "1"),
      );
      expect(outline(eventsIn(reader.frames))).toEqual([`customer:draft ${name}`, "agent:one two three"]);
    },
  },
  {
    id: "waiting-17",
    what: "one stream has several sessions, each in its order, and goes on in each",
    run: async (world) => {
      const sessions = [await noted(world, 2), await noted(world, 1)] as const;
      const path = `/v1/stream?sessions=${sessions.map(({ id }) => id).join(",")}&kinds=custom`;
      const reader = await stream(world, path);
      await until(() => (eventsIn(reader.frames).length === 3 ? true : undefined), "what is there");
      reader.cut();
      await note(world, sessions[1], "late");
      const resumed = await stream(world, path, { "last-event-id": reader.frames.findLast(({ id }) => id !== undefined)?.id ?? "" });
      await until(() => (eventsIn(resumed.frames).length > 0 ? true : undefined), "what came late");
      resumed.cut();
      expect(eventsIn(resumed.frames)).toMatchObject([{ session_id: sessions[1].id, data: { value: "late" } }]);
    },
  },
];
