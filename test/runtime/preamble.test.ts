/** The sentence before slow work: when it is shown, what becomes of it, and what readers see. */
import { describe, expect, it, onTestFinished } from "vitest";
import { defineAgent, defineTool, loop, scripted, type Clock, type Draft, type Event, type Session } from "../../packages/throughline/src/index.ts";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { silentLogger, type Logger } from "../../packages/throughline/src/kernel/log.ts";
import { preamble, type PreambleOptions } from "../../packages/throughline/src/preamble.ts";
import type { Extension } from "../../packages/throughline/src/extension.ts";
import { z } from "zod";
import { echoState, gate, started, until, wordOf } from "./harness.ts";

const moment = "One moment.";

/** A clock whose waits of 1.5 s, the preamble's default, end when the test says so. */
function clockByHand(): Clock & { pass(): void; readonly waits: number } {
  let waits: (() => void)[] = [];
  let begun = 0;
  return {
    ...systemClock,
    get waits() {
      return begun;
    },
    pass: () => {
      const passed = waits;
      waits = [];
      for (const resolve of passed) resolve();
    },
    sleep: (ms, signal) => {
      if (ms !== 1_500) return systemClock.sleep(ms, signal);
      begun += 1;
      return new Promise((resolve, reject) => {
        waits.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
    },
  };
}

/** What a reader of the messages sees: drafts joined until they end, and messages in brackets. */
function read(session: Session): { readonly seen: () => readonly string[] } {
  const left = new AbortController();
  const items: string[] = [];
  let draft = "";
  const take = (item: Event | Draft): void => {
    if ("kind" in item) {
      if (item.kind === "message" && item.source === "ai_agent")
        items.push(`[${item.data.parts.map((part) => (part.type === "text" ? part.text : "")).join("")}]`);
    } else if (item.type === "draft.delta") draft += item.text;
    else if (item.type === "draft.reset") {
      items.push(`${draft}|${wordOf(item)}`);
      draft = "";
    }
  };
  const reading = (async () => {
    for await (const item of session.live({ kinds: ["message"], signal: left.signal })) take(item);
  })();
  onTestFinished(async () => {
    left.abort();
    await reading;
  });
  return { seen: () => [...items, ...(draft === "" ? [] : [draft])] };
}

type Model = ReturnType<typeof scripted>;

async function talk(parts: {
  readonly model: Model;
  readonly options?: Partial<PreambleOptions>;
  readonly extensions?: readonly Extension[];
  /** Extensions between the preamble and the reply. */
  readonly inner?: readonly Extension[];
  readonly logger?: Logger;
  readonly tool?: () => Promise<string>;
  readonly effects?: "none" | "once";
}) {
  const { model, options = {}, extensions = [], inner = [], logger = silentLogger, tool, effects = "once" } = parts;
  const clock = clockByHand();
  const tools =
    tool === undefined ? [] : [defineTool({ name: "find", description: "Finds.", parameters: z.object({}), effects, execute: () => tool() })];
  const agent = defineAgent({
    ...{ name: "a1", version: 1, state: echoState },
    reply: loop({ model, tools }),
    extensions: [...extensions, preamble({ say: moment, ...options }), ...inner],
  });
  const runtime = await started({ agents: [agent], clock, logger });
  const session = await runtime.sessions.create({ agent: "a1" });
  return { session, clock, ...read(session) };
}

/** A model that answers when the gate opens. */
function slow(text = "It ships tomorrow."): { readonly model: Model; readonly open: () => void } {
  const ready = gate();
  return { model: scripted(() => ({ text: [text], wait: () => ready.opened })), open: () => ready.open() };
}

describe("a preamble", () => {
  it("is shown while the model takes long, and becomes the beginning of the reply", async () => {
    const { model, open } = slow();
    const { session, clock, seen } = await talk({ model });
    const sent = session.send("Where is my parcel?");
    await until(() => clock.waits === 1);
    expect(seen()).toEqual([]);
    clock.pass();
    await until(() => seen().length === 1);
    expect(seen()).toEqual([`${moment} `]);
    open();
    expect((await sent).reply).toBe(`${moment} It ships tomorrow.`);
    await until(() => seen().at(-1)?.startsWith("[") === true);
    expect(seen().at(-1)).toBe(`[${moment} It ships tomorrow.]`);
    expect(seen().at(-2)).toBe(`${moment} It ships tomorrow.|end`);
  });

  it("is not shown when the reply is quick", async () => {
    const { session, clock, seen } = await talk({ model: scripted(["Hello."]) });
    expect((await session.send("Hi")).reply).toBe("Hello.");
    clock.pass();
    expect(seen().join()).not.toContain(moment);
  });

  it.each(["once", "none"] as const)("is shown again during a slow tool with effects %s", async (effects) => {
    const ready = gate();
    const model = scripted([{ text: "", calls: [{ call_id: "1", name: "find", arguments: {} }] }, "It ships tomorrow."]);
    let running = false;
    const tool = async (): Promise<string> => ((running = true), await ready.opened, "tomorrow");
    const { session, clock, seen } = await talk({ model, tool, effects });
    const sent = session.send("Where is my parcel?");
    await until(() => running);
    clock.pass();
    await until(() => seen().at(-1) === `${moment} `);
    ready.open();
    expect((await sent).reply).toBe(`${moment} It ships tomorrow.`);
    await until(() => seen().at(-1) === `[${moment} It ships tomorrow.]`);
  });

  it("comes back after a step that ended its draft", async () => {
    const first = gate();
    const second = gate();
    const steps = [
      { text: [""], calls: [{ call_id: "1", name: "find", arguments: {} }], wait: () => first.opened },
      { text: ["It ships tomorrow."], wait: () => second.opened },
    ];
    let asked = 0;
    const model = scripted(() => steps[asked++] ?? "");
    const { session, clock, seen } = await talk({ model, tool: async () => "tomorrow" });
    const sent = session.send("Where is my parcel?");
    await until(() => clock.waits === 1);
    clock.pass();
    await until(() => seen().length === 1);
    first.open();
    await until(() => asked === 2 && clock.waits >= 2);
    clock.pass();
    await until(() => seen().at(-1) === `${moment} ` && seen().length > 1);
    second.open();
    expect((await sent).reply).toBe(`${moment} It ships tomorrow.`);
  });

  it("is dropped when the turn fails", async () => {
    const ready = gate();
    const model = scripted(() => ({
      text: ["never"],
      wait: async () => {
        await ready.opened;
        throw new Error("down");
      },
    }));
    const { session, clock, seen } = await talk({ model });
    const sent = session.send("Hi");
    await until(() => clock.waits === 1);
    clock.pass();
    await until(() => seen().length === 1);
    ready.open();
    expect((await sent).reply).not.toContain(moment);
    await until(() => seen().some((item) => item.startsWith("[")));
    expect(seen()[0]).toBe(`${moment} |failed`);
  });

  it("is not said twice in a row", async () => {
    let held = gate();
    const model = scripted(() => ({ text: ["Done."], wait: () => held.opened }));
    const { session, clock, seen } = await talk({ model });
    const first = session.send("One");
    await until(() => clock.waits === 1);
    clock.pass();
    await until(() => seen().length === 1);
    held.open();
    expect((await first).reply).toBe(`${moment} Done.`);
    held = gate();
    const second = session.send("Two");
    held.open();
    expect((await second).reply).toBe("Done.");
    const third = gate();
    held = third;
    const before = clock.waits;
    const sent = session.send("Three");
    await until(() => clock.waits > before);
    clock.pass();
    await until(() => seen().at(-1) === `${moment} `);
    third.open();
    expect((await sent).reply).toBe(`${moment} Done.`);
  });

  it.each<[string, Partial<PreambleOptions>, Extension[]]>([
    ["the function returns none", { say: () => undefined }, []],
    ["the sentence is blank", { say: () => "  " }, []],
    [
      "the customer is at risk",
      {},
      [
        {
          name: "gate",
          guards: true,
          answer: (turn, { draft, next }) => {
            turn.told.assessment = { level: 1 } as NonNullable<typeof turn.told.assessment>;
            return next(draft);
          },
        },
      ],
    ],
  ])("waits for nothing when %s", async (_when, options, extensions) => {
    const { session, clock } = await talk({ model: scripted(["Hello."]), options, extensions });
    expect((await session.send("Hi")).reply).toBe("Hello.");
    expect(clock.waits).toBe(0);
  });

  it("is not shown when the answer came while the journal was flushed", async () => {
    const { model, open } = slow();
    const flushed = gate();
    const answered = gate();
    let held = false;
    const holding: Extension = {
      name: "holding",
      answer: (turn, { draft, next }) => {
        const flush = turn.journal.flush.bind(turn.journal);
        Object.assign(turn.journal, {
          flush: async (...given: Parameters<typeof flush>) => {
            if (!held) {
              held = true;
              await flushed.opened;
            }
            return flush(...given);
          },
        });
        return next(draft);
      },
    };
    // The reply's text reaches no draft.
    const silent: Extension = {
      name: "silent",
      answer: async (_turn, { draft, next }) => {
        const answer = await next({ ...draft, write: () => {} });
        answered.open();
        return answer;
      },
    };
    const { session, clock, seen } = await talk({ model, extensions: [holding], inner: [silent] });
    const sent = session.send("Where is my parcel?");
    await until(() => clock.waits === 1);
    clock.pass();
    await until(() => held);
    open();
    await answered.opened;
    await systemClock.sleep(20);
    flushed.open();
    expect((await sent).reply).toBe("It ships tomorrow.");
    await until(() => seen().at(-1) === "[It ships tomorrow.]");
    expect(seen().join()).not.toContain(moment);
  });

  it("is not shown when its function throws, which is logged", async () => {
    const logged: unknown[] = [];
    const say = (): string => {
      throw new Error("no sentence");
    };
    const logger: Logger = { ...silentLogger, error: (message, fields, thrown) => void logged.push([message, fields?.["code"], String(thrown)]) };
    const { session, clock } = await talk({ model: scripted(["Hello."]), options: { say }, logger });
    expect((await session.send("Hi")).reply).toBe("Hello.");
    expect(clock.waits).toBe(0);
    expect(logged).toEqual([["preamble not chosen", "internal", "Error: no sentence"]]);
  });

  it("is chosen for the turn, and needs no space after a full stop of Chinese or Japanese", async () => {
    const { model, open } = slow("明天寄出。");
    const say: PreambleOptions["say"] = ({ answered }) => (answered[0]?.text === "我的包裹在哪里?" ? "请稍等。" : moment);
    const { session, clock, seen } = await talk({ model, options: { say } });
    const sent = session.send("我的包裹在哪里?");
    await until(() => clock.waits === 1);
    clock.pass();
    await until(() => seen().length === 1);
    open();
    expect((await sent).reply).toBe("请稍等。明天寄出。");
  });

  it.each([{ say: " " }, { say: moment, afterMs: 99 }, { say: moment, afterMs: 60_001 }, { say: moment, afterMs: Number.NaN }])(
    "refuses the options %o",
    (options) => expect(() => preamble(options)).toThrow(expect.objectContaining({ code: "agent.invalid" })),
  );
});
