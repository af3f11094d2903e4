import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineTool,
  loop,
  openStore,
  scripted,
  ThroughlineError,
  type Draft,
  type Event,
  type Session,
  type Store,
} from "../../packages/throughline/src/index.ts";
import type { Extension } from "../../packages/throughline/src/extension.ts";
import { DraftFeed } from "../../packages/throughline/src/runtime/reading/draft-feed.ts";
import type { SessionId } from "../../packages/throughline/src/kernel/id.ts";
import { newPostgresDatabase, newSqliteFile, noPostgres } from "../setup/database.ts";
import { echoAgent, echoState, gate, runtimeOver, until, wordOf } from "./harness.ts";

/** Two pieces of a reply; the second one comes when the gate opens, and an aborted turn does not wait for it. */
function halted(): { readonly agent: ReturnType<typeof echoAgent>; readonly open: () => void } {
  const more = gate();
  let pieces = 0;
  const model = scripted(() => ({
    text: ["one ", "two"],
    wait: async () => {
      pieces += 1;
      if (pieces === 2) await more.opened;
    },
  }));
  return { agent: echoAgent({ model }), open: () => more.open() };
}

/** Everything that a reader of the stream sees, as words. */
function read(session: Session): { readonly seen: string[]; readonly stop: () => Promise<void> } {
  const left = new AbortController();
  const seen: string[] = [];
  const word = (item: Event | Draft): string => {
    if ("kind" in item) return item.kind === "message" && item.source === "ai_agent" ? `message` : "";
    return item.type === "draft.reset" ? `reset ${item.reason}` : `+${wordOf(item)}`;
  };
  const reading = (async () => {
    for await (const item of session.live({ kinds: ["message"], signal: left.signal })) if (word(item) !== "") seen.push(word(item));
  })();
  const stop = async (): Promise<void> => {
    left.abort();
    await reading;
  };
  onTestFinished(stop);
  return { seen, stop };
}

const places = {
  "in the same process": async () => {
    const { agent, open } = halted();
    const { runtime } = await runtimeOver(newSqliteFile(), agent);
    return { writer: runtime, reader: runtime, open };
  },
  "in another process's store": async () => {
    const { agent, open } = halted();
    const url = await newPostgresDatabase();
    const { runtime } = await runtimeOver(url, agent);
    const other = await runtimeOver(url, echoAgent(), false);
    return { writer: runtime, reader: other.runtime, open };
  },
};

describe.each(Object.entries(places))("a stream read %s", (name, prepare) => {
  describe.skipIf(name !== "in the same process" && noPostgres !== undefined)("closes every draft with one reset, before the reply", () => {
    const halfway = async (): Promise<{ seen: string[]; session: Session; reader: Session; open: () => void; sent: Promise<unknown> }> => {
      const { writer, reader, open } = await prepare();
      const session = await writer.sessions.create({ agent: "a1" });
      const other = await reader.sessions.get(session.id);
      const { seen } = read(other);
      await delay(30);
      const sent = session.send("hi").catch(() => {});
      await expect.poll(() => seen).toEqual(["+one "]);
      return { seen, session, reader: other, open, sent };
    };
    test("when it ends", async () => {
      const { seen, open, sent } = await halfway();
      open();
      await sent;
      await expect.poll(() => seen.at(-1)).toBe("message");
      expect(seen.slice(0, -2).join("")).toBe("+one +two");
      expect(seen.slice(-2)).toEqual(["reset end", "message"]);
    });
    test("when a person takes over, here or elsewhere", async () => {
      const { seen, reader, open, sent } = await halfway();
      await reader.setMode("manual");
      await sent;
      await expect.poll(() => seen).toEqual(["+one ", "reset manual"]);
      open();
      await delay(100);
      expect(seen).toEqual(["+one ", "reset manual"]);
    });
    test("when the turn is stopped", async () => {
      const { seen, reader, open, sent } = await halfway();
      await reader.stop();
      await sent;
      await expect.poll(() => seen).toEqual(["+one ", "reset stopped"]);
      open();
    });
    test("when the message is taken back", async () => {
      const { seen, reader, open } = await halfway();
      await reader.withdraw({ from: 1 });
      await expect.poll(() => seen).toEqual(["+one ", "reset fence"]);
      open();
    });
  });
});

const dyingProcess = (location: string, session: string): string => `
  import { createRuntime, openStore, scripted, defineAgent, defineState, input, loop } from ${JSON.stringify(new URL("../../packages/throughline/src/index.ts", import.meta.url).href)};
  const text = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } };
  let pieces = 0;
  const model = scripted(() => ({ text: ["half ", "of it"], wait: async () => { pieces += 1; if (pieces === 2) await new Promise(() => {}); } }));
  const agent = defineAgent({ name: "a1", version: 1, state: defineState({ message: input(text) }), reply: loop({ model }) });
  const runtime = await createRuntime({ store: await openStore(${JSON.stringify(location)}), agents: [agent], leaseMs: 500, heartbeatMs: 100 });
  await (await runtime.sessions.get(${JSON.stringify(session)})).post("hi");
  console.log("posted");
  setInterval(() => {}, 1000);`;

test.skipIf(noPostgres !== undefined)("a draft of a process that is killed is taken back when its turn is taken over", async () => {
  const url = await newPostgresDatabase();
  const { agent, open } = halted();
  const { runtime } = await runtimeOver(url, echoAgent(), false);
  const session = await runtime.sessions.create({ agent: "a1" });
  const { seen } = read(session);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", dyingProcess(url, session.id)], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  await expect.poll(() => seen).toEqual(["+half "]);
  child.kill("SIGKILL");
  await once(child, "exit");
  await runtimeOver(url, agent);
  await expect.poll(() => seen).toEqual(["+half ", "reset fence", "+one "]);
  open();
  await expect.poll(() => seen.at(-1)).toBe("message");
  expect(seen.slice(-2)).toEqual(["reset end", "message"]);
});

/** Calls a tool in its first step, and answers in pieces in its second. */
const afterTool = (effects: "none" | "idempotent" | "once"): ReturnType<typeof defineAgent> => {
  const weather = defineTool({ name: "weather", description: "w", parameters: z.object({}), effects, execute: () => 21 });
  const model = scripted(({ messages }) =>
    messages.at(-1)?.role === "user" ? { calls: [{ call_id: "1", name: "weather", arguments: {} }] } : { text: ["It is ", "21 ", "degrees."] },
  );
  return defineAgent({ name: "a1", version: 1, state: echoState, reply: loop({ model, tools: [weather] }) });
};

test.each(["none", "idempotent", "once"] as const)("a reply is streamed whole, and after the events of a tool with effects %s", async (effects) => {
  const { runtime } = await runtimeOver(newSqliteFile(), afterTool(effects));
  const session = await runtime.sessions.create({ agent: "a1" });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const item of session.live({ kinds: ["tool", "message"] })) {
      if ("kind" in item && item.kind === "tool") seen.push(item.data.type);
      else if ("type" in item && item.type !== "tool.started") seen.push(item.type === "draft.delta" ? `+${item.text}` : `reset ${item.reason}`);
      else if ("kind" in item && item.kind === "message" && item.source === "ai_agent" && item.data.calls === undefined) return;
    }
  })();
  await session.send("weather?");
  await reading;
  expect(seen.filter((word) => word !== "reset end" && word !== "called")).toEqual(["returned", "+It is ", "+21 ", "+degrees."]);
  expect(seen.at(-1)).toBe("reset end");
});

test("a draft goes on when the customer writes again", async () => {
  const { agent, open } = halted();
  const { runtime } = await runtimeOver(newSqliteFile(), agent);
  const session = await runtime.sessions.create({ agent: "a1" });
  const { seen } = read(session);
  const sent = session.send("hi");
  await until(() => seen.length === 1);
  await session.post("and another thing");
  open();
  await sent;
  await until(() => seen.includes("message"));
  expect(seen.slice(0, 4)).toEqual(["+one ", "+two", "reset end", "message"]);
});

test("a failed reply's draft is reset as failed, before the apology", async () => {
  const model = scripted(() => ({ text: ["one ", "two"], finish: "other" as const, wait: async () => {} }));
  const failing = {
    ...model,
    async *stream(...given: Parameters<typeof model.stream>) {
      for await (const part of model.stream(...given)) {
        if (part.type === "finish") throw new Error("cut");
        yield part;
      }
    },
  };
  const { runtime } = await runtimeOver(newSqliteFile(), echoAgent({ model: failing }));
  const session = await runtime.sessions.create({ agent: "a1" });
  const { seen } = read(session);
  await delay(20);
  expect((await session.send("hi")).status).toBe("failed");
  await until(() => seen.at(-1) === "message");
  expect(seen).toEqual(["+one ", "+two", "reset failed", "message"]);
});

test.each([
  ["fails", new Error("no"), "failed"],
  ["is given back", new ThroughlineError("store.full"), "fence"],
])("the draft of a turn that %s after its reply is reset so", async (_what, error, reason) => {
  const breaks: Extension = { name: "breaks", answer: async (_turn, { draft, next }) => next(draft).then(() => Promise.reject(error)) };
  const agent = defineAgent({ name: "a1", version: 1, state: echoState, extensions: [breaks], reply: loop({ model: scripted(() => "one") }) });
  const { runtime } = await runtimeOver(newSqliteFile(), agent);
  const session = await runtime.sessions.create({ agent: "a1" });
  const { seen } = read(session);
  await delay(20);
  await session.post("hi");
  await expect.poll(() => seen.slice(0, 2)).toEqual(["+one", `reset ${reason}`]);
});

test("a session that is erased closes its draft, then its stream", async () => {
  const { agent, open } = halted();
  const { runtime } = await runtimeOver(newSqliteFile(), agent);
  const session = await runtime.sessions.create({ agent: "a1" });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const item of session.live({ kinds: ["custom"] })) if ("type" in item) seen.push(wordOf(item));
  })();
  reading.catch(() => {});
  session.send("hi").catch(() => {});
  await until(() => seen.length === 1);
  await runtime.sessions.delete(session.id);
  await expect(reading).rejects.toMatchObject({ code: "session.not_found" });
  expect(seen).toEqual(["one ", "fence"]);
  open();
});

test("drafts that cannot be written fail no turn", async () => {
  const store = await openStore(":memory:");
  const refusing: Store = { ...store, writeDraft: () => Promise.reject(new Error("no room")) };
  const { runtime } = await runtimeOver(refusing, echoAgent());
  const session = await runtime.sessions.create({ agent: "a1" });
  expect((await session.send("hi")).status).toBe("completed");
});

describe("a reader that lags", () => {
  const session_id = "ses_0" as SessionId;
  const feedOf = (): { readonly feed: DraftFeed; readonly take: () => readonly string[] } => {
    const feed = new DraftFeed(session_id, { epoch: 0, minOffset: 1, calls: true });
    const take = (): readonly string[] =>
      Array.from({ length: feed.size }, () => [...feed.next()])
        .flat()
        .map((draft) => (draft.type === "tool.progress" ? draft.type : wordOf(draft)));
    return { feed, take };
  };
  const place = (turn: number) => ({ session_id, turn, epoch: turn, message: 0, after: 0 });
  test("gets a draft in fewer pieces, and all of it", () => {
    const { feed, take } = feedOf();
    for (let at = 0; at < 10_000; at++) feed.piece({ ...place(1), at, text: "x" });
    expect(feed.size).toBeLessThanOrEqual(64);
    expect(take().join("")).toBe("x".repeat(10_000));
  });
  test("gets of many drafts the last, and a reset of the one it had begun", () => {
    const { feed, take } = feedOf();
    feed.piece({ ...place(1), at: 0, text: "begun" });
    expect(take()).toEqual(["begun"]);
    for (let turn = 1; turn <= 100; turn++) {
      feed.piece({ ...place(turn), at: turn === 1 ? 5 : 0, text: `${turn}` });
      feed.piece({ ...place(turn), at: 8, text: "", ended: "failed" });
    }
    expect(take()).toEqual(["1", "failed", "100", "failed"]);
  });
  test("gets nothing of a draft after its end, wherever that came from, and an end nobody gave when the next epoch begins", () => {
    const { feed, take } = feedOf();
    feed.piece({ ...place(1), at: 0, text: "a" });
    feed.piece({ ...place(2), at: 0, text: "" });
    feed.piece({ ...place(1), at: 1, text: "late" });
    feed.piece({ ...place(2), at: 0, text: "b", ended: "what is this" });
    feed.piece({ ...place(2), at: 1, text: "late" });
    expect(take()).toEqual(["a", "fence", "b", "fence"]);
  });
});
