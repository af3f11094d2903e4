/** Laws of the live stream of a turn: over random steps, tools and delays, on every store, and over HTTP. */
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../packages/client/src/client.ts";
import {
  createRuntime,
  defineAgent,
  defineTool,
  loop,
  openStore,
  scripted,
  type Agent,
  type Runtime,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { eventIdOf, turnIdOf, type SessionId, type TraceId } from "../../packages/throughline/src/kernel/id.ts";
import { DraftFeed } from "../../packages/throughline/src/runtime/reading/draft-feed.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import type { Event } from "../../packages/throughline/src/session/event.ts";
import { decodeEvent } from "../../packages/throughline/src/session/fold.ts";
import type { DraftPiece } from "../../packages/throughline/src/store/port.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { dataOf, openReader } from "../setup/event-reader.ts";
import { startServer } from "../setup/server.ts";
import { echoState } from "./harness.ts";

type Effects = "none" | "idempotent" | "once";
interface Call {
  readonly effects: Effects;
  readonly ms: number;
}
/** A step of a turn: the pieces of its text, how long the model takes for each, and the calls. */
interface PlannedStep {
  readonly text: readonly string[];
  readonly ms: number;
  readonly calls: readonly Call[];
}
/** A turn: what its steps do, and when the customer writes again meanwhile. */
interface Plan {
  readonly steps: readonly PlannedStep[];
  readonly answer: Omit<PlannedStep, "calls">;
  readonly interruptedMs: number | undefined;
}

const ms = fc.constantFrom(0, 0, 1, 5, 20, 60);
const pieces = (minLength: number): fc.Arbitrary<readonly string[]> =>
  fc.array(fc.constantFrom("a ", "bc ", "😀 ", "\u0000d ", "é"), { minLength, maxLength: 6 });
const call: fc.Arbitrary<Call> = fc.record({ effects: fc.constantFrom<Effects[]>("none", "none", "idempotent", "once"), ms });
const plans: fc.Arbitrary<Plan> = fc.record({
  steps: fc.array(fc.record({ text: pieces(0), ms, calls: fc.array(call, { minLength: 1, maxLength: 3 }) }), { maxLength: 3 }),
  answer: fc.record({ text: pieces(1), ms }),
  interruptedMs: fc.option(ms, { nil: undefined }),
});

/** An agent that does what the plan says that a message names. */
function planned(): { readonly agent: Agent; readonly add: (plan: Plan) => string } {
  const known = new Map<string, Plan>();
  const tool = (effects: Effects) =>
    defineTool({
      ...{ name: effects, description: effects, effects, parameters: z.object({ ms: z.number() }) },
      execute: async ({ ms }) => (await delay(ms), "done"),
    });
  const model = scripted(({ messages }) => {
    const asked = messages.findLastIndex(({ role, text }) => role === "user" && known.has(text));
    const plan = known.get(messages[asked]?.text ?? "");
    if (plan === undefined) return "Yes?";
    const step = plan.steps[messages.slice(asked).filter(({ role }) => role === "assistant").length];
    const { text, ms } = step ?? plan.answer;
    const calls = step?.calls.map(({ effects, ms }, index) => ({ call_id: `${index}`, name: effects, arguments: { ms } })) ?? [];
    return { text, calls, wait: () => delay(ms) };
  });
  return {
    agent: defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [tool("none"), tool("idempotent"), tool("once")] }) }),
    add: (plan) => {
      const name = `plan ${known.size}`;
      known.set(name, plan);
      return name;
    },
  };
}

/** What a reader of a stream is given, in this process or over HTTP. */
type Item =
  | {
      readonly type: "draft.delta" | "tool.started" | "draft.reset";
      readonly turn_id?: string;
      readonly epoch?: number;
      readonly message?: number;
      readonly text?: string;
      readonly call_id?: string;
      readonly reason?: string;
    }
  | { readonly kind: string; readonly offset: number; readonly source: string; readonly turn_id?: string | undefined; readonly data: object };

const isDraft = (item: Item): item is Extract<Item, { type: string }> => "type" in item;

/** The text of a message of the model, with the calls in it; undefined for any other event. */
function saidBy(item: Item): { readonly text: string; readonly isReply: boolean } | undefined {
  if (isDraft(item) || item.kind !== "message" || item.source !== "ai_agent") return undefined;
  const data = item.data as { readonly parts: readonly { readonly text: string }[]; readonly calls?: unknown };
  return { text: data.parts.map(({ text }) => text).join(""), isReply: data.calls === undefined };
}

/** What of a turn was streamed. Throws if drafts and events do not stand as they must. */
function judge(items: readonly Item[]): { readonly streamed: string; readonly replies: readonly string[]; readonly started: readonly string[] } {
  const started: string[] = [];
  const replies: string[] = [];
  const over = new Set<string>();
  let open: { readonly key: string; readonly isText: boolean; readonly text: string } | undefined;
  let streamed = "";
  let last = -1;
  let completed: string | undefined;
  for (const item of items) {
    if (!isDraft(item)) {
      expect(item.offset, "the order of offsets").toBeGreaterThan(last);
      last = item.offset;
      const said = saidBy(item);
      if (said === undefined) continue;
      expect(open?.isText, "a message comes after the reset of its draft").not.toBe(true);
      if (completed !== undefined) expect(completed, "what was streamed is what was said").toBe(said.text);
      if (said.isReply) replies.push(said.text);
      if (said.isReply && replies.length === 1) streamed = completed ?? "";
      completed = undefined;
      continue;
    }
    const key = `${item.turn_id} ${item.epoch} ${item.message}`;
    expect(over.has(key), "a draft after its reset").toBe(false);
    if (item.type === "draft.reset") {
      expect(open?.key, "a reset of the draft that is open").toBe(key);
      expect(item.reason).toBe("end");
      if (open?.isText === true) completed = open.text;
      over.add(key);
      open = undefined;
      continue;
    }
    if (open !== undefined) expect(open.key, "one draft at a time").toBe(key);
    if (item.type === "tool.started") started.push(item.call_id ?? "");
    open = { key, isText: item.type === "draft.delta", text: (open?.text ?? "") + (item.text ?? "") };
  }
  expect(open, "a draft that is left open").toBeUndefined();
  return { streamed, replies, started };
}

/** Where a turn runs, and how it is read. */
interface Place {
  readonly runtime: Runtime;
  /** Everything from now on, until the reply to the first message of the session. */
  readonly read: (session: Session) => Promise<() => Promise<readonly Item[]>>;
}

const isEnd = (item: Item): boolean => saidBy(item)?.isReply === true;

async function taken(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const read: Item[] = [];
  for await (const item of items) {
    read.push(item);
    if (isEnd(item)) break;
  }
  return read;
}

async function storeAt(location: string): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}

async function runtimeOver(store: Store, agent: Agent, work = true): Promise<Runtime> {
  const runtime = await createRuntime({ store, agents: [agent], work });
  onTestFinished(() => runtime.close({ drainMs: 0 }));
  return runtime;
}

const libraryAt =
  (location: () => string | Promise<string>) =>
  async (agent: Agent): Promise<Place> => {
    const runtime = await runtimeOver(await storeAt(await location()), agent);
    return {
      runtime,
      read: async (session) => {
        const items = taken(session.live());
        return () => items;
      },
    };
  };

const places: Readonly<Record<string, (agent: Agent) => Promise<Place>>> = {
  "in memory": libraryAt(() => ":memory:"),
  "on SQLite": libraryAt(newSqliteFile),
  "on PostgreSQL": libraryAt(newPostgresDatabase),
  "on PostgreSQL, through another store": async (agent) => {
    const url = await newPostgresDatabase();
    const reader = await runtimeOver(await storeAt(url), agent, false);
    const runtime = await runtimeOver(await storeAt(url), agent);
    return {
      runtime,
      read: async ({ id }) => {
        const items = taken((await reader.sessions.get(id)).live());
        return () => items;
      },
    };
  },
  "as server-sent events": async (agent) => {
    const { url, runtime } = await startServer({ location: newSqliteFile(), agents: [agent] });
    return {
      runtime,
      read: async ({ id }) => {
        const reader = await openReader(url, `/v1/sessions/${id}/events`);
        return async () => {
          const items = (): readonly Item[] => reader.frames.flatMap((frame) => (frame.event === undefined ? [] : [dataOf(frame) as Item]));
          await expect.poll(() => items().some(isEnd), { timeout: 20_000, interval: 5 }).toBe(true);
          reader.cut();
          return items().slice(0, items().findIndex(isEnd) + 1);
        };
      },
    };
  },
  "through the client": async (agent) => {
    const { url, runtime } = await startServer({ location: newSqliteFile(), agents: [agent] });
    const client = createClient({ baseUrl: url });
    return {
      runtime,
      read: async ({ id }) => {
        const items = taken(client.sessions.get(id).live() as AsyncIterable<Item>);
        return () => items;
      },
    };
  },
};

/** Pieces of other processes come on a way of their own, which may be slower than the log: then a reader is shown nothing of a draft. */
const isShared = (name: string): boolean => name === "on PostgreSQL, through another store";

describe.each(Object.entries(places))("the stream of a turn, read %s", (name, prepare) => {
  test.skipIf(name.includes("PostgreSQL") && noPostgres !== undefined)(
    "has events in the order of offsets, and drafts that add up to their messages",
    { timeout: 120_000 },
    async () => {
      const { agent, add } = planned();
      const { runtime, read } = await prepare(agent);
      let whole = 0;
      await fc.assert(
        fc.asyncProperty(plans, async (plan) => {
          const session = await runtime.sessions.create({ agent: "a1" });
          const finish = await read(session);
          const { offset } = await session.post(add(plan));
          if (plan.interruptedMs !== undefined) void delay(plan.interruptedMs).then(() => session.post("And?").catch(() => {}));
          const { status } = await session.outcome(offset);
          expect(status).toBe("completed");
          const { streamed, replies, started } = judge(await finish());
          expect(replies).toEqual([plan.answer.text.join("")]);
          if (streamed !== "") whole += 1;
          if (isShared(name)) return;
          expect(streamed).toBe(plan.answer.text.join(""));
          expect(started).toHaveLength(plan.steps.flatMap(({ calls }) => calls.filter(({ effects }) => effects === "none")).length);
        }),
        { numRuns: Number(process.env["LAW_RUNS"] ?? 25) },
      );
      expect(whole).toBeGreaterThan(0);
    },
  );
});

const session_id = "ses_00000000000000000000000000" as SessionId;

/** A message of the model, as the log has it. */
const messageAt = (offset: number, text: string): Event =>
  decodeEvent({
    ...{ session_id, offset, id: eventIdOf(session_id, offset), kind: "message", source: "ai_agent", trace_id: "0".repeat(32) as TraceId },
    ...{ turn_id: turnIdOf(session_id, 1), created_at: 0, version: 1 },
    data: { role: "assistant", parts: [{ type: "text", text }], origin: { agent_id: "a1", step_id: "step_1" } },
  });

test("the order holds however pieces and events overtake each other, and whatever of a draft is lost", () => {
  const step = fc.record({ pieces: pieces(1), arrive: fc.nat(6) });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.boolean()), (steps, turns) => {
      const events = steps.map(({ pieces }, index) => messageAt(index + 1, pieces.join("")));
      const written = steps.flatMap(({ pieces, arrive }, message) =>
        pieces.slice(0, arrive).map((text, index): DraftPiece => {
          const at = pieces.slice(0, index).join("").length;
          return { session_id, turn: 1, epoch: 1, message, after: message, at, text };
        }),
      );
      const feed = new DraftFeed(session_id, { epoch: 0, minOffset: 1, calls: true });
      const items: Item[] = [];
      const drain = (): void => {
        while (feed.size > 0) for (const draft of feed.next()) if (draft.type !== "tool.progress") items.push(draft);
      };
      while (events.length + written.length > 0) {
        const [isPiece = true] = [...turns.take(1)];
        const piece = isPiece ? written.shift() : undefined;
        const event = isPiece ? undefined : events.shift();
        if (piece !== undefined) feed.piece(piece);
        if (event !== undefined) feed.event(event);
        drain();
        if (event === undefined) continue;
        items.push(event);
        feed.passed(event.offset + 1);
        drain();
      }
      expect(judge(items).replies).toEqual(steps.map(({ pieces }) => pieces.join("")));
    }),
    { numRuns: 500 },
  );
});

test("a call of a tool with effects none is shown while it runs, to those who are shown calls", async () => {
  const running = Promise.withResolvers<void>();
  const { url, runtime, store, request } = await startServer({
    agents: [
      defineAgent({
        ...{ name: "a1", version: 1, state: echoState },
        reply: loop({
          model: scripted([{ text: "Let me see. ", calls: [{ call_id: "1", name: "slow", arguments: {} }] }, "Done."]),
          tools: [
            defineTool({
              name: "slow",
              description: "s",
              effects: "none",
              parameters: z.object({}),
              execute: async () => (await running.promise, 1),
            }),
          ],
        }),
      }),
    ],
  });
  await runtime.customers.create({ id: "ada" });
  const session = await runtime.sessions.create({ agent: "a1", customer: "ada" });
  const wordsOf = (items: readonly Item[]): readonly string[] =>
    items.flatMap((item) => (isDraft(item) ? [item.type] : item.kind === "message" || item.kind === "tool" ? [item.kind] : []));
  const seen: Item[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const item of session.live({ signal: stop.signal })) seen.push(item);
  })();
  const { key } = await createKey(store, { name: "backend", scopes: ["admin"] });
  const authorization = `Bearer ${key}`;
  const { text } = await request("POST", "/v1/tokens", { customer_id: "ada" }, { authorization });
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(text));
  const path = `/v1/sessions/${session.id}/events`;
  const reader = await openReader(url, path, { headers: { authorization } });
  const customer = await openReader(url, path, { headers: { authorization: `Bearer ${token}` } });
  const framesOf = ({ frames }: typeof reader): readonly string[] =>
    wordsOf(frames.flatMap((frame) => (frame.event === undefined ? [] : [dataOf(frame) as Item])));
  const { offset } = await session.post("go");
  const shown = ["message", "draft.delta", "draft.reset", "message", "tool.started"];
  await expect.poll(() => wordsOf(seen)).toEqual(shown);
  await expect.poll(() => framesOf(reader)).toEqual(shown);
  running.resolve();
  await session.outcome(offset);
  await expect.poll(() => wordsOf(seen).at(-1)).toBe("message");
  await expect.poll(() => framesOf(customer).at(-1)).toBe("message");
  expect(wordsOf(seen).slice(shown.length)).toEqual(["draft.reset", "tool", "tool", "draft.delta", "draft.reset", "message"]);
  expect(framesOf(customer)).not.toContain("tool.started");
  expect(framesOf(customer).filter((word) => word === "draft.reset")).toHaveLength(2);
  stop.abort();
  await reading;
});
