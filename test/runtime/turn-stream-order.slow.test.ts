/** Laws of the live parts of a turn: over random steps, tools, approvals and ends, and readers that leave and continue, on every store. */
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  stage,
  type Agent,
  type Event,
  type LivePart,
  type Runtime,
  type Session,
  type SessionId,
  type Store,
} from "../../packages/throughline/src/index.ts";
import { createClient, type WireLivePart } from "../../packages/client/src/client.ts";
import { livePart, streamAccepted } from "../../packages/server/src/protocol/wire-turn-stream.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { parseFrame } from "../setup/event-reader.ts";
import { startServer } from "../setup/server.ts";

const tools = ["none", "idempotent", "once", "asking"] as const;
interface PlannedCall {
  readonly tool: (typeof tools)[number];
  readonly ms: number;
}
interface PlannedStep {
  readonly text: readonly string[];
  readonly ms: number;
  readonly calls: readonly PlannedCall[];
}
/** What a turn does, and what happens meanwhile. */
interface Plan {
  readonly agent: "queueing" | "superseding";
  readonly steps: readonly PlannedStep[];
  readonly answer: Omit<PlannedStep, "calls">;
  readonly ends: "replied" | "masked" | "failed";
  readonly meanwhile: { readonly what: "nothing" | "message" | "stop" | "restart"; readonly ms: number };
}

const ms = fc.constantFrom(0, 0, 1, 5, 20);
const pieces = (minLength: number): fc.Arbitrary<readonly string[]> =>
  fc.array(fc.constantFrom("a ", "bc ", "😀 ", "\u0000d ", "é"), { minLength, maxLength: 6 });
const planned: fc.Arbitrary<Plan> = fc.record({
  agent: fc.constantFrom("queueing" as const, "superseding" as const),
  steps: fc.array(
    fc.record({ text: pieces(0), ms, calls: fc.array(fc.record({ tool: fc.constantFrom(...tools), ms }), { minLength: 1, maxLength: 3 }) }),
    {
      maxLength: 3,
    },
  ),
  answer: fc.record({ text: pieces(1), ms }),
  ends: fc.constantFrom("replied" as const, "replied" as const, "masked" as const, "failed" as const),
  meanwhile: fc.record({
    what: fc.constantFrom("nothing" as const, "nothing" as const, "message" as const, "stop" as const, "restart" as const),
    ms,
  }),
});
/** After how many parts readers leave; 0 for a reader that stays. */
const cuts = fc.array(fc.nat(6), { maxLength: 5 });

const State = defineState({ message: input(z.string()), mood: reduced(z.number(), { show: "public" }), secret: reduced(z.string()) });

/** Agents that do what the plan says that a message names. */
function agentsOf(): { readonly agents: readonly Agent[]; readonly add: (plan: Plan) => string } {
  const known = new Map<string, Plan>();
  const planIn = (texts: readonly string[]): Plan | undefined => texts.map((text) => known.get(text)).findLast((plan) => plan !== undefined);
  const tool = (name: PlannedCall["tool"]) =>
    defineTool({
      ...{
        name,
        description: name,
        effects: name === "asking" ? "once" : name,
        approval: name === "asking",
        parameters: z.object({ ms: z.number() }),
      },
      execute: async ({ ms }) => (await delay(ms), "done"),
    });
  const scripts = scripted(({ messages }) => {
    const asked = messages.findLastIndex(({ role, text }) => role === "user" && known.has(text));
    const plan = known.get(messages[asked]?.text ?? "");
    if (plan === undefined) return "Yes?";
    const step = plan.steps[messages.slice(asked).filter(({ role }) => role === "assistant").length];
    const { text, ms } = step ?? plan.answer;
    const calls = step?.calls.map(({ tool, ms }, index) => ({ call_id: `${index}`, name: tool, arguments: { ms } })) ?? [];
    return { text, calls, wait: () => delay(ms) };
  });
  const model: typeof scripts = {
    ...scripts,
    async *stream(request, options) {
      const plan = planIn(request.messages.map(({ text }) => text));
      let hasCalls = false;
      for await (const part of scripts.stream(request, options)) {
        hasCalls ||= part.type === "tool_call";
        if (part.type === "finish" && !hasCalls && plan?.ends === "failed") throw new Error("cut");
        yield part;
      }
    },
  };
  const masking = hook("mask", {
    state: State,
    afterModel: ({ answer, state }) =>
      known.get(state.message)?.ends === "masked" ? { answer: { text: answer.text.replace("bc", "**") } } : undefined,
  });
  const feel = stage("feel", { state: State, writes: ["mood", "secret"] }, ({ state }) => ({ mood: state.message.length, secret: "shh" }));
  const agent = (name: Plan["agent"]): Agent =>
    defineAgent({
      ...{ name, version: 1, state: State, stages: [feel], onNewMessage: name === "superseding" ? "supersede" : "queue" },
      reply: loop({ model, tools: tools.map(tool), hooks: [masking] }),
    });
  return {
    agents: [agent("queueing"), agent("superseding")],
    add: (plan) => {
      const name = `plan ${known.size}`;
      known.set(name, plan);
      return name;
    },
  };
}

/** A live part of the process, or of the wire: the same members. */
type Part = LivePart | WireLivePart;
/** A stream that is read. */
interface Read extends AsyncIterable<Part> {
  readonly accepted: Promise<{ readonly offset: number }>;
}

/** Where turns run, and where they are read. */
interface Place {
  /** The process that runs turns. A restart is as a crash: nothing is drained. */
  readonly writer: () => Runtime;
  readonly restart: () => Promise<void>;
  /** Posts a message to a session of the writer, and streams its turn. */
  readonly stream: (session: Session, text: string) => Read;
  /** A handle for a reader that continues. */
  readonly reader: (id: SessionId) => Promise<{ readonly follow: (of: number, options: { readonly after?: number }) => Read }>;
}

async function placeOver(writing: Store, reading: Store, agents: readonly Agent[]): Promise<Place> {
  const options = { agents, leaseMs: 500, heartbeatMs: 100, pollMs: 20 };
  let writer = await createRuntime({ ...options, store: writing });
  const readers = await createRuntime({ ...options, store: reading, work: false });
  onTestFinished(async () => {
    await Promise.all([writer.close({ drainMs: 0 }), readers.close({ drainMs: 0 })]);
  });
  return {
    writer: () => writer,
    restart: async () => {
      await writer.close({ drainMs: 0 });
      writer = await createRuntime({ ...options, store: writing });
    },
    stream: (session, text) => session.stream(text),
    reader: (id) => readers.sessions.get(id),
  };
}

/** Streams by HTTP: by the client, or by hand without reconnecting. The service has a runtime of its own, and turns run in the writer. */
const overHttp =
  (
    read: (url: string) => { readonly stream: (id: string, text: string) => Read; readonly follow: (id: string, of: number, after?: number) => Read },
  ) =>
  async (agents: readonly Agent[]): Promise<Place> => {
    const store = await storeAt(newSqliteFile());
    const place = await placeOver(store, store, agents);
    const { url } = await startServer({ store, agents, runtime: { work: false, pollMs: 20 } });
    const { stream, follow } = read(url);
    return {
      ...place,
      stream: ({ id }, text) => stream(id, text),
      reader: async (id) => ({ follow: (of, { after }) => follow(id, of, after) }),
    };
  };

const byClient = overHttp((url) => {
  const client = createClient({ baseUrl: url, backoffMs: 5 });
  return {
    stream: (id, text) => client.sessions.get(id).stream(text),
    follow: (id, of, after) => client.sessions.get(id).follow(of, after === undefined ? {} : { after }),
  };
});

const byHand = overHttp((url) => {
  const readBody = (response: Promise<Response>): Read => {
    const accepted = Promise.withResolvers<{ readonly offset: number }>();
    const parts = async function* (): AsyncGenerator<Part, void, undefined> {
      const { body } = await response;
      let rest = "";
      // Leaving the loop closes the connection.
      for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const blocks = (rest + piece).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const { event, text } of blocks.map(parseFrame)) {
          const data: unknown = text === undefined ? undefined : JSON.parse(text);
          if (event === "accepted") accepted.resolve(streamAccepted.parse(data));
          else if (data !== undefined) yield livePart.parse(data) as Part;
        }
      }
    };
    // The first frame is read at once, as the offset of the message is in it.
    const reading = parts();
    let first: Promise<IteratorResult<Part, void>> | undefined = reading.next();
    return {
      accepted: accepted.promise,
      [Symbol.asyncIterator]: () => ({
        next: () => {
          const next = first ?? reading.next();
          first = undefined;
          return next;
        },
        return: () => reading.return(),
      }),
    };
  };
  return {
    stream: (id, text) =>
      readBody(
        fetch(`${url}/v1/sessions/${id}/stream`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ text }),
        }),
      ),
    follow: (id, of, after) => readBody(fetch(`${url}/v1/sessions/${id}/events/${of}/stream${after === undefined ? "" : `?after=${after}`}`)),
  };
});

async function storeAt(location: string): Promise<Store> {
  const store = await openStore(location);
  onTestFinished(() => store.close());
  return store;
}

const sharedStore =
  (location: () => string) =>
  async (agents: readonly Agent[]): Promise<Place> => {
    const store = await storeAt(location());
    return placeOver(store, store, agents);
  };

const places: Readonly<Record<string, (agents: readonly Agent[]) => Promise<Place>>> = {
  "in memory": sharedStore(() => ":memory:"),
  "on SQLite": sharedStore(newSqliteFile),
  "on SQLite, by another process": async (agents) => {
    const file = newSqliteFile();
    return placeOver(await storeAt(file), await storeAt(file), agents);
  },
  "on PostgreSQL, by another process": async (agents) => {
    const url = await newPostgresDatabase();
    return placeOver(await storeAt(url), await storeAt(url), agents);
  },
  "over HTTP": byHand,
  "by the client": byClient,
};

/** The parts that one reader was given obey the laws of their order. */
function judge(parts: readonly Part[]): void {
  let shown = "";
  let last = -1;
  for (const [index, part] of parts.entries()) {
    expect(part.offset, "offsets never fall").toBeGreaterThanOrEqual(last);
    last = part.offset;
    if (part.type === "text.delta") shown += part.text;
    if (part.type === "draft.reset") expect(shown, "a reset of text that was shown").not.toBe("");
    if (part.type === "message") expect(part.text, "the deltas are the message").toBe(shown);
    if (part.type === "message" || part.type === "draft.reset") shown = "";
    if (part.type !== "end") continue;
    expect(index, "the end is last").toBe(parts.length - 1);
    expect(shown, "text without a message").toBe("");
  }
}

/** Parts of the log as words. The start of a call may be shown before the log has it. */
const ofLog = (part: Part): readonly string[] =>
  part.type === "text.delta" || part.type === "draft.reset" || part.type === "tool.started" || part.type === "end"
    ? []
    : [`${part.type} ${part.offset}`];

/** What the log has of the turns that answered a message. */
function answering(events: readonly Event[], offset: number): readonly Event[] {
  const turns = new Set(
    events.flatMap((event) => (event.kind === "turn" && event.data.type === "started" && event.data.answers.includes(offset) ? [event.turn_id] : [])),
  );
  return events.filter(({ turn_id }) => turn_id !== undefined && turns.has(turn_id));
}

/** Events in the words of {@link ofLog}. */
function logged(events: readonly Event[]): readonly string[] {
  return events.flatMap((event) => {
    const is = (type: LivePart["type"]): readonly string[] => [`${type} ${event.offset}`];
    if (event.kind === "status") return is("status");
    if (event.kind === "message") return event.source === "ai_agent" ? is("message") : [];
    if (event.kind === "tool") return event.data.type === "returned" ? is("tool.result") : [];
    if (event.kind === "state") return event.data.patch.some(({ path }) => path === "/mood") ? is("state") : [];
    return event.kind === "turn" && event.data.type === "paused" ? is("approval.requested") : [];
  });
}

async function approveAll(session: Session): Promise<void> {
  for (const { call_id, arguments_hash } of (await session.pending()).calls)
    // A restart or a stop may have been faster.
    await session.decide({ call_id, arguments_hash, decision: "approve" }).catch(() => {});
}

describe.each(Object.entries(places))("the parts of a turn, read %s", (name, prepare) => {
  test.skipIf(name.includes("PostgreSQL") && noPostgres !== undefined)(
    "come in one order, once, and as the log has them, however often readers leave and continue",
    { timeout: 180_000 },
    async () => {
      const { agents, add } = agentsOf();
      const { writer, restart, reader, stream: streamed } = await prepare(agents);
      let inPieces = 0;
      const outcomes = new Set<string>();
      await fc.assert(
        fc.asyncProperty(planned, cuts, async (plan, leaving) => {
          const session = await writer().sessions.create({ agent: plan.agent });
          const here = (): Promise<Session> => writer().sessions.get(session.id);
          let stream = streamed(session, add(plan));
          const { offset } = await stream.accepted;
          const { what, ms } = plan.meanwhile;
          const meanwhile = delay(ms).then(async () => {
            if (what === "message") await (await here()).post("And?").catch(() => {});
            if (what === "stop") await (await here()).stop();
            if (what === "restart") await restart();
          });
          const queue = [...leaving];
          const all: Part[] = [];
          const read = async (): Promise<Part | undefined> => {
            const cut = queue.shift() ?? 0;
            const parts: Part[] = [];
            try {
              for await (const part of stream) {
                parts.push(part);
                if (parts.length === cut) break;
              }
            } catch (error) {
              // The process that the stream belongs to was closed.
              if (what !== "restart") throw error;
            }
            judge(parts);
            if (parts.some(({ type }, index) => type === "text.delta" && parts[index + 1]?.type === "text.delta")) inPieces += 1;
            all.push(...parts);
            return parts.at(-1);
          };
          for (let last = await read(); last?.type !== "end" || last.result.status === "paused"; last = await read()) {
            if (last?.type === "end") await approveAll(await here());
            const after = all.at(-1)?.offset;
            stream = (await reader(session.id)).follow(offset, after === undefined ? {} : { after });
          }
          await meanwhile;
          const events = answering(await Array.fromAsync((await here()).events({ follow: false })), offset);
          expect(all.flatMap(ofLog)).toEqual(logged(events));
          const end = all.at(-1);
          if (end?.type === "end") outcomes.add(end.result.status);
          const { error, ...outcome } = await (await here()).outcome(offset);
          expect(end?.type === "end" ? JSON.parse(JSON.stringify(end.result)) : undefined).toMatchObject(JSON.parse(JSON.stringify(outcome)));
          expect(end?.type === "end" ? end.result.error?.code : undefined).toBe(error?.code);
          const started = new Set(all.flatMap((part) => (part.type === "tool.started" ? [part.call_id] : [])));
          const called = events.flatMap((event) => (event.kind === "tool" && event.data.type === "called" ? [event.data.call_id] : []));
          expect(called.filter((call) => !started.has(call))).toEqual([]);
          expect(JSON.stringify(all)).not.toContain("shh");
        }),
        { numRuns: Number(process.env["LAW_RUNS"] ?? 25) },
      );
      expect(inPieces).toBeGreaterThan(0);
      expect(outcomes).toContain("completed");
    },
  );
});
