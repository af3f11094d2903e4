/** One turn by itself, and threads that last: cases 108 to 115, whose a thread is, and what a stream tells in which order. */
import { openStore, scripted } from "throughline";
import { describe, expect, it } from "vitest";
import { type AgentInput, resolveOwnerId, type StreamEvent } from "../../../packages/companion/src/contract.ts";
import { runAgent } from "../../../packages/companion/src/run-agent.ts";
import { createCompanionRuntime } from "../../../packages/companion/src/companion-runtime.ts";
import { calling, plainPack, styledAs, triaged } from "../support.ts";
import { answering, audited, breathing, heard, sectionOf, thread, usual, withThread, type Played, type PlayedOptions } from "./support.ts";

const play = (options: PlayedOptions, played: (played: Played) => Promise<void>): Promise<void> =>
  withThread({ ...options, safety: { packs: [plainPack], ...options.safety } }, played);
const one = () => ({
  models: { control: answering({ triage: triaged(), style: styledAs("supportive") }), response: scripted(() => usual) },
  safety: { packs: [plainPack], replyBy: "static" } as const,
});

/** What a stream tells, in short: kinds, with the names of stages. */
const told = (events: readonly StreamEvent[]): readonly string[] =>
  events.map((event) => (event.type === "status" ? `status ${event.stage}` : event.type));
const textOf = (events: readonly StreamEvent[]): string => events.flatMap((event) => (event.type === "chunk" ? [event.text] : [])).join("");

describe("a stream", () => {
  it.each([1, 2, 3])("case 108: of an ordinary turn (%i) tells the stages, the words, and then what it came to, when all of it is saved", (nth) =>
    play({ reply: () => "I hear you. Tell me more about it." }, async ({ companion, say }) => {
      for (let before = 1; before < nth; before++) await say("Good morning");
      const events: StreamEvent[] = [];
      for await (const event of companion.streamTurn({ ...thread, message: "Good morning" })) {
        events.push(event);
        // What was told to be ready is on record.
        if (event.type === "response_ready") expect(await companion.getHistory(thread)).toHaveLength(2 * nth);
      }
      const order = told(events);
      const marks = ["status crisis_gate", "status load_memory", "chunk", "status finalize", "response_ready", "done"];
      expect(marks.map((mark) => order.indexOf(mark))).toEqual(marks.map((mark) => order.indexOf(mark)).toSorted((a, b) => a - b));
      expect(marks.every((mark) => order.includes(mark))).toBe(true);
      expect(order.slice(-3)).toEqual(["status finalize", "response_ready", "done"]);
      expect(new Set(order.filter((line) => line.startsWith("status"))).size).toBe(order.filter((line) => line.startsWith("status")).length);
      expect(textOf(events)).toBe("I hear you. Tell me more about it.");
      expect(order.filter((line) => line.startsWith("status"))).toEqual(
        ["crisis_gate", "session_stage", "load_memory", "response_generation", "finalize"].map((stage) => `status ${stage}`),
      );
      const [ready, done] = events.slice(-2);
      expect(ready?.type === "response_ready" && done?.type === "done" && ready.output).toEqual(done?.type === "done" && done.output);
    }),
  );

  it.each([
    ["a look-up", "can you look up what caffeine is?", "grounded_lookup"],
    ["an exercise", "can we do box breathing?", "guided_exercise"],
    ["a command about the memory", "What do you remember about me?", "memory_control_gate"],
  ])("of %s tells its stage, and none of the others", (_, message, stage) =>
    play({ answers: { triage: triaged({ route: "grounded_lookup", query: "What is caffeine?" }) } }, async ({ companion }) => {
      const order = told(await heard(companion.streamTurn({ ...thread, message })));
      const others = ["grounded_lookup", "guided_exercise", "memory_control_gate"].filter((other) => other !== stage);
      expect(order).toContain(`status ${stage}`);
      expect(order.filter((line) => others.some((other) => line === `status ${other}`))).toEqual([]);
    }),
  );

  it.each([
    ["a command about the memory", "What do you remember about me?"],
    ["a crisis", "I want to die"],
    ["a question about safety", "there is no way out"],
  ])("of a reply that no model wrote piece by piece (%s) has it as one chunk, before it is ready", (_, message) =>
    play({}, async ({ companion }) => {
      const events = await heard(companion.streamTurn({ ...thread, message }));
      const order = told(events);
      expect(order.filter((line) => line === "chunk")).toHaveLength(1);
      expect(order.indexOf("chunk")).toBeLessThan(order.indexOf("response_ready"));
      const done = events.at(-1);
      expect(done?.type === "done" && done.output.response_text).toBe(textOf(events));
    }),
  );

  it("of a turn that fails throws what failed it, after the apology", () =>
    play({ reply: () => ({ error: new Error("gone") }) }, async ({ companion }) => {
      const events: StreamEvent[] = [];
      const listening = (async () => {
        for await (const event of companion.streamTurn({ ...thread, message: "Good morning" })) events.push(event);
      })();
      await expect(listening).rejects.toMatchObject({ code: expect.any(String) as string });
      expect(told(events)).not.toContain("done");
    }));
  it("of a lookup in mid-reply tells what is said in the end", () =>
    play({ answers: { triage: triaged({ tools: ["memory"] }) }, reply: () => calling("show_memory_status") }, async ({ companion }) => {
      const events = await heard(companion.streamTurn({ ...thread, message: "I wonder what you keep" }));
      const done = events.at(-1);
      expect(done?.type === "done" && done.output.response_style).toBe("memory_control");
      expect(done?.type === "done" && done.output.response_text).toBe(textOf(events));
    }));
});

describe("a thread", () => {
  it("tells how long a turn took, and the style of every reply of its own", () =>
    play({ answers: { style: styledAs("reflective") } }, async ({ companion }) => {
      const { output } = await companion.runTurn({ ...thread, message: "Good morning" });
      expect(output.diagnostics["turn_total_ms"]).toEqual(expect.any(Number));
      await companion.runTurn({ ...thread, message: "can we do box breathing?" });
      const said = await companion.getHistory(thread);
      expect(said.map(({ role, response_style }) => [role, response_style])).toEqual([
        ["user", undefined],
        ["assistant", "reflective"],
        ["user", undefined],
        ["assistant", "guided_exercise"],
      ]);
      // A page of the history reads the styles of its own turns alone.
      expect(await companion.getHistory(thread, { last: 2 })).toEqual(said.slice(2));
    }));

  it("case 110: shows a model what was said before, which is kept in one place only", () =>
    play({}, async ({ say, replies }) => {
      await say("My name is Ada.");
      await say("And I live in Ulm.");
      const asked = replies.requests[1];
      expect(asked?.messages.map(({ text }) => text)).toEqual(["My name is Ada.", usual, "And I live in Ulm."]);
      expect(asked?.sections.map(({ text }) => text).join()).not.toContain("My name is Ada.");
    }));

  it("case 111: has its turns one after the other, and another's do not wait for them", () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    return play(
      { reply: ({ messages }) => ({ text: usual, ...(messages.at(-1)?.text === "slow" ? { wait: () => held } : {}) }) },
      async ({ companion }) => {
        const order: string[] = [];
        const turn = (session_id: string, message: string): Promise<unknown> =>
          companion.runTurn({ session_id, user_id: session_id, message }).then(() => order.push(message));
        const slow = turn("one", "slow");
        const other = turn("two", "other");
        await other;
        const next = turn("one", "next");
        release();
        await Promise.all([slow, next]);
        expect(order).toEqual(["other", "slow", "next"]);
      },
    );
  });

  it("answers a message that is sent twice under one key once", () =>
    play({}, async ({ companion, replies }) => {
      const input = { ...thread, message: "Good morning" };
      const first = await companion.runTurn(input, { idempotencyKey: "k" });
      const again = await companion.runTurn(input, { idempotencyKey: "k" });
      expect(again.output.response_text).toBe(first.output.response_text);
      expect(replies.requests).toHaveLength(1);
      expect(await companion.getHistory(thread)).toHaveLength(2);
    }));

  it("case 113: is reset when its session has ended, and not before; what is remembered of the person stays", () =>
    play({}, async ({ companion, say }) => {
      await say("My sister Marta lives in Turin.");
      await expect(companion.resetThread(thread)).rejects.toMatchObject({ code: "session.conflict" });
      await companion.endSession(thread);
      const before = await companion.runtime.customers.memory("ada").status();
      await companion.resetThread(thread);
      await expect(companion.getHistory(thread)).rejects.toMatchObject({ code: "session.not_found" });
      expect((await companion.runtime.customers.memory("ada").status()).facts).toBe(before.facts);
    }));

  it("goes on where it was in another process, exercise and all", async () => {
    const store = await openStore(":memory:");
    const options = { store, ...one() };
    const first = await createCompanionRuntime(options);
    await first.runTurn({ ...thread, message: "can we do box breathing?" });
    await first.runTurn({ ...thread, message: "done" });
    await first.close();
    const second = await createCompanionRuntime(options);
    const { state, history } = await second.runTurn({ ...thread, message: "done" });
    expect(state["exercise_state"]).toMatchObject({ exercise_type: "grounding_box_breathing", exercise_step: 2 });
    expect(history).toHaveLength(6);
    await second.close();
    await store.close();
  });
  it("ended, lets go of its session and keeps what was said", () =>
    play({}, async ({ companion, say }) => {
      await say("My sister Marta lives in Turin.");
      const envelope = await companion.endSession(thread);
      expect(Object.keys(envelope)).toEqual(
        expect.arrayContaining([
          "finalized",
          "summary",
          "detail",
          "themes",
          "mood_opened",
          "mood_closed",
          "turn_count",
          "open_loops",
          "resolved_threads",
        ]),
      );
      expect(await companion.hasActiveSession(thread)).toBe(false);
      expect(await companion.getHistory(thread)).toHaveLength(2);
      await say("Good morning");
      expect(await companion.sessionStatus(thread)).toMatchObject({ active: true, session: 2 });
    }));

  it.each(["incognito", "guest"] as const)("case 115: %s, a crisis is on record all the same, under names that lead to nobody", (memoryMode) =>
    play({ memoryMode }, async ({ say, store }) => {
      await say("I want to die");
      await say("I want to die");
      const records = await audited(store);
      expect(records).toMatchObject([
        { level: 2, incognito: true },
        { level: 2, incognito: true },
      ]);
      expect(JSON.stringify(records)).not.toMatch(/"ada"|"t1"/u);
    }),
  );
});

describe("whose a turn is", () => {
  it.each([
    [{ user_id: "ada", session_id: "t1" }, "ada"],
    [{ user_id: "ada", session_id: null }, "ada"],
    [{ user_id: null, session_id: "t1" }, "t1"],
    [{ user_id: "", session_id: "t1" }, "t1"],
    [{ session_id: "t1" }, "t1"],
  ])("case 61: %j is %s's", (identity, owner) => expect(resolveOwnerId(identity)).toBe(owner));
  it.each([{}, { user_id: null, session_id: null }, { user_id: "", session_id: " " }])("case 61: %j is nobody's", (identity) =>
    expect(() => resolveOwnerId(identity)).toThrow(expect.objectContaining({ code: "input.invalid" }) as Error),
  );

  it("a thread without a person is its own: what it remembers is nobody else's", () =>
    play({}, async ({ companion }) => {
      await companion.runTurn({ session_id: "alone", message: "From now on keep your answers short" });
      await companion.runTurn({ session_id: "other", message: "Good morning" });
      await companion.runTurn({ ...thread, message: "Good morning" });
      const rules = async (session_id: string): Promise<number> =>
        (await (await companion.runtime.sessions.open({ agent: "companion", key: session_id })).memory.status()).rules;
      expect([await rules("alone"), await rules("other"), (await companion.runtime.customers.memory("ada").status()).rules]).toEqual([1, 0, 0]);
    }));
  it("two threads of one person remember together", () =>
    play({}, async ({ companion, replies }) => {
      await companion.runTurn({ ...thread, message: "From now on keep your answers short" });
      await companion.runTurn({ ...thread, session_id: "t2", message: "Good morning" });
      expect(sectionOf(replies.requests.at(-1), "procedural_rules")).toContain("keep your answers short");
    }));
});

describe("one turn by itself, beside a thread", () => {
  const history = [
    { role: "user" as const, content: "My sister is ill." },
    { role: "assistant" as const, content: "I am sorry." },
  ];
  it.each<readonly [what: string, given: Partial<AgentInput>]>([
    ["history", { history }],
    ["working memory", { working_memory: ["The dog is called Pepper"] }],
  ])("%s is for a turn by itself alone", async (_, given) => {
    const output = await runAgent({ ...thread, message: "I worry.", ...given }, one());
    expect(output.response_text).toBe(usual);
    await play({}, ({ companion }) =>
      expect(companion.runTurn({ ...thread, message: "I worry.", ...given })).rejects.toMatchObject({ code: "input.invalid" }),
    );
  });
  it.each(["Good morning", "there is no way out", "I want to die", "can we do box breathing?"])("%j comes to the same in both", async (message) => {
    const alone = await runAgent({ ...thread, message }, one());
    await play({}, async ({ say }) => {
      const kept = await say(message);
      const same = ({ diagnostics: _diagnostics, ...output }: typeof kept) => output;
      expect(same(kept)).toEqual(same(alone));
    });
  });
  it("case 65: turns are counted from what was said before", async () => {
    const count = async (before: number): Promise<string> => {
      const options = one();
      const said = Array.from({ length: before }, () => history).flat();
      await runAgent({ ...thread, message: "I worry.", history: said }, options);
      return options.models.control.requests.find(({ messages }) => messages[0]?.text.includes("of the conversation"))?.messages[0]?.text ?? "";
    };
    expect(await count(0)).toContain("Message 1 of");
    expect(await count(2)).toContain("Message 3 of");
  });
  it("an exercise does not outlive a turn by itself", async () => {
    await runAgent({ ...thread, message: "can we do box breathing?" }, one());
    await play({}, async ({ say, state }) => {
      await say("done");
      expect((await state())["exercise_state"]).toMatchObject({ exercise_type: null });
      await breathing({ say });
      expect((await state())["exercise_state"]).toMatchObject({ exercise_step: 0 });
    });
  });
});
