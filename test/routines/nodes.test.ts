/** The nodes of a routine in a session: what each does, and where the routine stands afterwards. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  defineAgent,
  defineState,
  defineTool,
  hook,
  input,
  loop,
  openStore,
  reduced,
  scripted,
  type Model,
  type ModelRequest,
  type Session,
  type Tool,
} from "../../packages/throughline/src/index.ts";
import {
  defineRoutine,
  routineFields,
  routines,
  type Position,
  type Routine,
  type RoutinesOptions,
} from "../../packages/throughline/src/routines.ts";
import { collect, started } from "../runtime/harness.ts";
import { fixedClock } from "../../packages/throughline/src/testing.ts";

const State = defineState({
  message: input(z.string()),
  order: reduced(z.string().nullable(), { initial: null }),
  status: reduced(z.string().nullable(), { initial: null }),
  ...routineFields(),
});

/** A text that shows the instructions. */
const talking = (request: ModelRequest): string => {
  const text = request.sections.find(({ name }) => name === "routine")?.text.split("\n")[1] ?? "nothing";
  return `[${text}]`;
};

/** A model that calls the one tool that is offered with these arguments, in order, and otherwise says its instructions. */
const calling = (...given: readonly object[]): Model => {
  const left = [...given];
  return scripted((request) => {
    const [only, ...others] = request.tools;
    const next = only !== undefined && others.length === 0 && only.name.includes("__") ? left.shift() : undefined;
    return next === undefined || only === undefined ? talking(request) : { calls: [{ call_id: "1", name: only.name, arguments: next as never }] };
  });
};

const find = defineTool({
  name: "find_order",
  description: "Finds an order.",
  parameters: z.object({ id: z.string() }),
  effects: "none",
  execute: ({ id }) => {
    if (id === "gone") throw new Error("There is no such order.");
    return { status: id === "7" ? "paid" : "open" };
  },
});

async function opened(
  list: RoutinesOptions["routines"],
  {
    model = calling(),
    tools = [find],
    own = [],
    clock,
  }: {
    readonly model?: Model;
    readonly tools?: readonly Tool[];
    readonly own?: readonly Tool[];
    readonly clock?: ReturnType<typeof fixedClock>;
  } = {},
) {
  const extension = routines({ routines: list, tools });
  const agent = defineAgent({ name: "shop", state: State, extensions: [extension], reply: loop({ model, tools: own }), budget: { steps: 30 } });
  const timed = clock === undefined ? {} : { clock, store: await openStore(":memory:", { clock }) };
  const runtime = await started({ agents: [agent], pollMs: 20, ...timed });
  const session = await runtime.sessions.create({ agent: "shop" });
  const run = (routine: Routine, given?: object) => runtime.runs.start(routine as Routine<object>, given, { session_id: session.id });
  return { runtime, session, run, of: session.extension(extension) };
}

const stateOf = async (session: Session): Promise<Readonly<Record<string, unknown>> & { readonly routines: Position }> =>
  (await session.state()).document as never;

/** Returns the calls and results in the log, in a line each. */
const toolsIn = async (session: Session): Promise<readonly string[]> =>
  (await collect(session, { kinds: ["tool"] })).map((event) => {
    if (event.kind !== "tool") return event.kind;
    const { data } = event;
    if (data.type === "called") return `called ${data.name} ${JSON.stringify(data.arguments)}`;
    return `returned ${data.result.type}${data.result.type === "ok" ? ` ${JSON.stringify(data.result.value)}` : ""}`;
  });

/** Waits until a turn without a message has ended. */
async function settled(session: Session, turns: number): Promise<void> {
  await expect.poll(async () => (await session.turns()).items.filter(({ status }) => status !== "running" && status !== "queued").length).toBe(turns);
}

describe("a conversational routine", () => {
  const returns = defineRoutine({
    id: "returns",
    title: "Returns",
    state: State,
    conditions: [{ value: "state.message", equals: "I want to return it" }],
    nodes: {
      ask: {
        chat: { instructions: "Ask for the order number.", tools: [] },
        next: [{ to: "find", when: ({ state }) => /\d/u.test(state.message) }],
      },
      find: {
        tool: { name: "find_order", arguments: ({ state }) => ({ id: state.message }), result: { status: { from: "result.status" } } },
        next: [{ to: "paid", when: { value: "result.status", equals: "paid" } }, { to: "open" }],
        error: "ask",
      },
      paid: { chat: { instructions: "Say that it is paid." }, next: "end" },
      open: { chat: { instructions: "Say that it is open." }, next: "end" },
    },
  });

  it("is entered by its condition, talks, calls a tool with the state, decides on its result, and ends", async () => {
    const { session, of } = await opened([returns]);
    expect((await session.send("Hello")).reply).toBe("[nothing]");
    expect((await of.position()).frames).toEqual([]);
    expect((await session.send("I want to return it")).reply).toBe("[Ask for the order number.]");
    expect((await of.position()).frames[0]).toMatchObject({ routine: "returns", node: "ask" });
    expect((await session.send("what number?")).reply).toBe("[Ask for the order number.]");
    expect((await session.send("7")).reply).toBe("[Say that it is paid.]");
    expect(await stateOf(session)).toMatchObject({ status: "paid", routines: { frames: [{ node: "paid", visits: { ask: 1, find: 1, paid: 1 } }] } });
    expect((await session.send("thanks")).reply).toBe("[nothing]");
    expect(await of.position()).toMatchObject({ frames: [], last: { routine: "returns", outcome: "completed" } });
  });

  it("calls the tool through the loop, so that the log has the call and its result", async () => {
    const { session } = await opened([returns]);
    await session.send("I want to return it");
    await session.send("7");
    expect(await toolsIn(session)).toEqual(['called find_order {"id":"7"}', 'returned ok {"status":"paid"}']);
  });
});

describe("conditions as sentences", () => {
  const talk = defineRoutine({
    id: "talk",
    title: "Talk",
    conditions: ["The customer is angry.", "The customer shouts."],
    nodes: {
      calm: {
        chat: { instructions: "Calm them." },
        next: [
          { to: "thank", when: "They are calm." },
          { to: "end", when: "They want to leave." },
        ],
      },
      thank: { chat: { instructions: "Thank them." }, next: "end" },
    },
  });

  it("are judged in one call per turn, which the log keeps and the reply does not show", async () => {
    const model = calling({ choice: "none" }, { choice: "talk" }, { choice: "none" }, { choice: "1" });
    const { session, of } = await opened([talk], { model });
    expect((await session.send("Hello")).reply).toBe("[nothing]");
    expect((await session.send("AAAH")).reply).toBe("[Calm them.]");
    expect((await session.send("still")).reply).toBe("[Calm them.]");
    expect((await session.send("better")).reply).toBe("[Thank them.]");
    expect((await of.position()).frames).toMatchObject([{ node: "thank" }]);
    expect((await toolsIn(session)).filter((one) => one.startsWith("returned ok"))).toHaveLength(4);
    const shown = (await session.messages({ last: 100 })).filter(({ role, is_trace }) => role === "assistant" && !is_trace).map(({ text }) => text);
    expect(shown).toEqual(["[nothing]", "[Calm them.]", "[Calm them.]", "[Thank them.]"]);
  });

  it("go back to a model that answers something else, and count as none after three tries", async () => {
    const model = calling({ choice: "talk" }, { choice: "7" }, { wrong: true }, { choice: "2" }, { choice: "8" }, { choice: "8" }, { choice: "8" });
    const { session, of } = await opened([talk], { model });
    await session.send("AAAH");
    await session.send("bye");
    expect(await of.position()).toMatchObject({ frames: [], last: { outcome: "completed" } });
    expect((await session.send("AAAH")).reply).toBe("[nothing]");
  });

  it("go back to a model that answers with text, which no reader sees", async () => {
    let asked = 0;
    const model = scripted((request) => {
      if (request.tools.length === 1 && request.tools[0]?.name === "routines__enter")
        return (asked += 1) === 1 ? "I think talk." : { calls: [{ call_id: "1", name: "routines__enter", arguments: { choice: "talk" } }] };
      return talking(request);
    });
    const { session } = await opened([talk], { model });
    expect((await session.send("AAAH")).reply).toBe("[Calm them.]");
    expect(asked).toBe(2);
  });

  it("are asked only where no function or predicate applies, and a transition without a condition is the last", async () => {
    const pick = defineRoutine({
      id: "pick",
      title: "Pick",
      conditions: [{ value: "state.message", set: true }],
      nodes: {
        fork: { branch: {}, next: [{ to: "a", when: "It rains." }, { to: "b", when: { value: "state.message", equals: "b" } }, { to: "c" }] },
        a: { chat: { instructions: "A" }, next: "end" },
        b: { chat: { instructions: "B" }, next: "end" },
        c: { chat: { instructions: "C" }, next: "end" },
      },
    });
    const replies = await Promise.all(
      [["b"], ["x", { choice: "1" }], ["x", { choice: "none" }]].map(async ([message, ...answers]) => {
        const { session } = await opened([pick], { model: calling(...(answers as object[])) });
        return (await session.send(message as string)).reply;
      }),
    );
    expect(replies).toEqual(["[B]", "[A]", "[C]"]);
  });
});

describe("routines together", () => {
  const always = (id: string, word: string, priority = 0): Routine =>
    defineRoutine({
      ...{ id, title: id, priority, conditions: [{ value: "state.message", equals: word }] },
      nodes: { first: { chat: { instructions: `${id} first` }, next: "second" }, second: { chat: { instructions: `${id} second` }, next: "end" } },
    });

  it("one with a higher priority interrupts, and the other resumes where it stood", async () => {
    const { session, of } = await opened([always("low", "low"), always("high", "high", 5), always("same", "same")]);
    expect((await session.send("low")).reply).toBe("[low first]");
    expect((await session.send("same")).reply).toBe("[low second]");
    expect((await session.send("high")).reply).toBe("[high first]");
    expect((await of.position()).frames.map(({ routine, node }) => `${routine} ${node}`)).toEqual(["low second", "high first"]);
    expect((await session.send("go on")).reply).toBe("[high second]");
    // The end of one and the next step of the other are one turn.
    expect((await session.send("go on")).reply).toBe("[nothing]");
    expect((await of.position()).frames).toEqual([]);
  });

  it("can be entered and left by a call, with an input that is checked", async () => {
    const asked = defineRoutine({
      id: "asked",
      title: "Asked",
      input: z.object({ about: z.string() }),
      nodes: { say: { chat: { instructions: "Say it." }, next: [{ to: "end", when: ({ input }) => input.about === "over" }] } },
    });
    const { session, of } = await opened([asked]);
    await expect(of.enter(asked, { about: 3 } as never)).rejects.toMatchObject({ code: "input.invalid" });
    await expect(of.enter("other")).rejects.toMatchObject({ code: "routine.not_found" });
    await of.enter(asked, { about: "rain" }, { idempotencyKey: "e1" });
    await of.enter(asked, { about: "rain" }, { idempotencyKey: "e1" });
    await settled(session, 1);
    expect((await of.position()).frames).toMatchObject([{ routine: "asked", node: "say", input: { about: "rain" } }]);
    expect((await session.messages()).at(-1)?.text).toBe("[Say it.]");
    await of.leave();
    await settled(session, 2);
    expect(await of.position()).toMatchObject({ frames: [], last: { outcome: "left" } });
    await of.enter(asked, { about: "over" });
    await settled(session, 3);
    expect(await of.position()).toMatchObject({ frames: [], last: { outcome: "completed" } });
  });

  it("a customer's custom event is no command and no event", async () => {
    const { session, of } = await opened([always("low", "low")]);
    await session.postCustom({ routine: { enter: "low" } }, { source: "customer_ui" });
    await session.send("hello");
    expect((await of.position()).frames).toEqual([]);
  });

  it("one runs another, with an input and its output", async () => {
    const child = defineRoutine({
      id: "child",
      title: "Child",
      input: z.object({ id: z.string() }),
      output: { type: "object", properties: { status: { type: "string" } }, required: ["status"] },
      nodes: {
        look: { tool: { name: "find_order", arguments: { id: { from: "input.id" } }, result: { status: { from: "result.status" } } }, next: "emit" },
        emit: { emit_output: { output: { status: { from: "state.status" } } } },
      },
    });
    const parent = defineRoutine({
      id: "parent",
      title: "Parent",
      conditions: [{ value: "state.message", set: true }],
      nodes: {
        run: {
          run: { routine: "child", input: { id: { from: "state.message" } }, result: { order: { from: "result.status" } } },
          next: [{ to: "paid", when: { value: "result.status", equals: "paid" } }, { to: "end" }],
          error: "lost",
        },
        paid: { chat: { instructions: "Paid." }, next: "end" },
        lost: { chat: { instructions: "Lost." }, next: "end" },
      },
    });
    const good = await opened([parent, child]);
    expect((await good.session.send("7")).reply).toBe("[Paid.]");
    expect(await stateOf(good.session)).toMatchObject({
      order: "paid",
      status: "paid",
      routines: { frames: [{ routine: "parent", outputs: { run: { status: "paid" } } }] },
    });
    const bad = await opened([parent, child]);
    expect((await bad.session.send("gone")).reply).toBe("[Lost.]");
    expect((await bad.of.position()).last).toMatchObject({ routine: "child", outcome: "failed", reason: "tool.failed" });
  });

  it("refuses an agent that cannot follow them", () => {
    const one = always("one", "one");
    const calls = defineRoutine({ id: "calls", title: "C", nodes: { a: { tool: { name: "nowhere" }, next: "end" } } });
    const runs = defineRoutine({ id: "runs", title: "R", nodes: { a: { run: { routine: "none" }, next: "end" } } });
    const model = calling();
    const agent = (list: readonly unknown[], state: typeof State = State): unknown =>
      defineAgent({ name: "a", state, model, extensions: [routines({ routines: list as never })] });
    expect(() => agent([one, one])).toThrow(/two routines "one"/u);
    expect(() => agent([calls])).toThrow(/Routine "calls", nodes\.a: there is no tool "nowhere"/u);
    expect(() => agent([runs])).toThrow(/nodes\.a\.run\.routine: there is no routine "none"/u);
    expect(() => agent([one], defineState({}) as never)).toThrow(/"routines" is missing/u);
    const other = defineState({ ...routineFields() });
    expect(() => agent([defineRoutine({ id: "x", title: "X", state: other, nodes: { a: { branch: {}, next: "end" } } })])).toThrow(/another state/u);
    expect(() =>
      defineAgent({
        name: "a",
        state: State,
        reply: { type: "reply", name: "own", run: async () => ({}) as never },
        extensions: [routines({ routines: [one] })],
      }),
    ).toThrow(/the reply of agent "a" is none/u);
  });
});

describe("an autonomous routine", () => {
  const schema = z.object({ category: z.enum(["spam", "sales"]) });
  const triage = defineRoutine({
    id: "triage",
    title: "Triage",
    state: State,
    autonomous: true,
    input: z.object({ text: z.string() }),
    output: z.object({ category: z.string(), urgent: z.boolean() }),
    nodes: {
      classify: {
        think: { instructions: "Classify the text.", output: schema, result: ({ result }) => ({ status: result.category }) },
        next: "rate",
      },
      rate: {
        think: { instructions: "Rate it.", output: z.object({ urgent: z.boolean() }) },
        next: [{ to: "classify", when: ({ outputs }) => outputs.classify?.category === "spam" && outputs.rate?.urgent === true }, { to: "emit" }],
      },
      emit: { emit_output: { output: ({ outputs }) => ({ category: outputs.classify?.category, urgent: outputs.rate?.urgent }) } },
    },
  });

  it("thinks with validated outputs that later nodes read, emits its output, and ends without a reply", async () => {
    const model = calling({ category: "sales" }, { urgent: true });
    const { session, run, of } = await opened([triage], { model });
    await run(triage, { text: "Buy now" });
    await settled(session, 1);
    expect(await of.position()).toMatchObject({ frames: [], last: { outcome: "completed", output: { category: "sales", urgent: true } } });
    expect((await stateOf(session)).status).toBe("sales");
    const [, second] = (model as ReturnType<typeof scripted>).requests;
    // The second think reads the first as history, and as a result.
    expect(second?.messages.some(({ role, text }) => role === "tool" && text.includes("sales"))).toBe(true);
    expect(second?.sections.find(({ name }) => name === "routine")?.text).toContain('"results":{"classify":{"category":"sales"}}');
    expect((await session.messages({ last: 50 })).filter(({ role, is_trace }) => role === "assistant" && !is_trace)).toEqual([]);
  });

  it("K8: an invalid output goes back to the model, and only a valid one is kept", async () => {
    const model = calling({ category: "other" }, { category: "sales" }, { urgent: "very" }, { urgent: false });
    const { session, run, of } = await opened([triage], { model });
    await run(triage, { text: "x" });
    await settled(session, 1);
    expect((await of.position()).last).toMatchObject({ outcome: "completed", output: { category: "sales", urgent: false } });
    const asked = (model as ReturnType<typeof scripted>).requests[1]?.messages.at(-1);
    expect(asked).toMatchObject({ role: "tool" });
    expect(asked?.text).toMatch(/tool.arguments_invalid/u);
  });

  it("K11: visits a node again, and the latest result counts", async () => {
    const { session, run, of } = await opened([triage], {
      model: calling({ category: "spam" }, { urgent: true }, { category: "sales" }, { urgent: true }),
    });
    await run(triage, { text: "x" });
    await settled(session, 1);
    expect((await of.position()).last).toMatchObject({ output: { category: "sales", urgent: true } });
  });

  it("fails after the limit of tries, and the turn says so", async () => {
    const { session, run, of } = await opened([triage], { model: calling({ category: "a" }, { category: "b" }, { category: "c" }) });
    await run(triage, { text: "x" });
    await settled(session, 1);
    expect((await of.position()).last).toMatchObject({ outcome: "failed", reason: "output_validation_failed" });
    expect((await session.turns()).items[0]).toMatchObject({ outcome: { status: "stopped", reason: "error_forbade" } });
  });

  it("K15: an output that the model emits and that does not fit goes back to it within the limit, and then fails", async () => {
    const emitting = defineRoutine({
      ...{ id: "emitting", title: "Emitting", autonomous: true, output: z.object({ n: z.number() }) },
      nodes: { emit: { emit_output: { instructions: "Emit n.", tries: 2 } } },
    });
    const good = await opened([emitting], { model: calling({ n: "1" }, { n: 1 }) });
    await good.run(emitting);
    await settled(good.session, 1);
    expect((await good.of.position()).last).toMatchObject({ outcome: "completed", output: { n: 1 } });
    const bad = await opened([emitting], { model: calling({ n: "1" }, { n: "2" }, { n: 3 }) });
    await bad.run(emitting);
    await settled(bad.session, 1);
    expect((await bad.of.position()).last).toMatchObject({ outcome: "failed", reason: "output_validation_failed" });
  });
});

describe("approve", () => {
  const asking = defineRoutine({
    id: "asking",
    title: "Asking",
    conditions: [{ value: "state.message", equals: "start" }],
    nodes: {
      ask: {
        approve: { question: "Refund it?", details: { order: { from: "state.message" } }, seconds: 60 },
        next: [{ to: "yes", when: { value: "result.approved", equals: true } }, { to: "no" }],
      },
      yes: { chat: { instructions: "Approved." }, next: "end" },
      no: { chat: { instructions: "Rejected." }, next: "end" },
    },
  });
  const pending = async (session: Session) => {
    await expect.poll(async () => (await session.pending()).calls.length).toBe(1);
    return (await session.pending()).calls[0]!;
  };

  it("pauses the turn until a human decides, and the result decides where it goes", async () => {
    for (const [decision, reply] of [
      ["approve", "[Approved.]"],
      ["reject", "[Rejected.]"],
    ] as const) {
      const { session, of } = await opened([asking]);
      const sent = await session.send("start");
      expect(sent.status).toBe("paused");
      const call = await pending(session);
      expect(call).toMatchObject({ question: "Refund it?", arguments: { question: "Refund it?", order: "start" } });
      await (decision === "approve" ? session.approve(call) : session.reject(call, "No."));
      expect((await session.outcome(sent.offset)).reply).toBe(reply);
      expect((await of.position()).frames).toMatchObject([{ outputs: { ask: { approved: decision === "approve" } } }]);
    }
  });

  it("is rejected when its time is over", async () => {
    const clock = fixedClock();
    const { session } = await opened([asking], { clock });
    const sent = await session.send("start");
    await pending(session);
    clock.advance(61_000);
    expect((await session.outcome(sent.offset)).reply).toBe("[Rejected.]");
  });

  it("answers a customer who writes meanwhile, and asks again", async () => {
    const { session, of } = await opened([asking]);
    await session.send("start");
    const first = await pending(session);
    const reply = await session.send("How long?");
    expect(reply.reply).toMatch(/a decision of the staff/u);
    await expect.poll(async () => (await session.pending()).calls[0]?.call_id ?? first.call_id).not.toBe(first.call_id);
    await session.approve(await pending(session));
    await expect.poll(async () => (await of.position()).frames[0]?.node).toBe("yes");
  });
});

describe("wait", () => {
  const waiting = (wait: object) =>
    defineRoutine({
      id: "waiting",
      title: "Waiting",
      state: State,
      conditions: [{ value: "state.message", equals: "start" }],
      nodes: {
        wait: { wait, next: [{ to: "late", when: { value: "result.timeout", equals: true } }, { to: "here" }] },
        here: { chat: { instructions: "It is here." }, next: "end" },
        late: { chat: { instructions: "It is late." }, next: "end" },
      },
    });

  it("goes on with the event, in a turn of its own, and talks meanwhile", async () => {
    const { session, of } = await opened([waiting({ event: "parcel" })]);
    expect((await session.send("start")).reply).toMatch(/waits for the event "parcel"/u);
    expect((await session.send("and?")).reply).toMatch(/waits for the event "parcel"/u);
    await of.event("letter");
    await settled(session, 3);
    expect((await of.position()).frames).toMatchObject([{ node: "wait" }]);
    await of.event("parcel", { place: "Bonn" });
    await settled(session, 4);
    expect((await of.position()).frames).toMatchObject([{ node: "here", outputs: { wait: { event: "parcel", data: { place: "Bonn" } } } }]);
    expect((await session.messages()).at(-1)?.text).toBe("[It is here.]");
  });

  it("takes an event that came after the routine was entered and before it waited, once", async () => {
    const twice = defineRoutine({
      id: "twice",
      title: "Twice",
      conditions: [{ value: "state.message", equals: "start" }],
      nodes: {
        talk: { chat: { instructions: "Talk." }, next: "one" },
        one: { wait: { event: "ring" }, next: "two" },
        two: { wait: { event: "ring" }, next: "done" },
        done: { chat: { instructions: "Done." }, next: "end" },
      },
    });
    const { session, of } = await opened([twice]);
    await of.event("ring", 0);
    await settled(session, 1);
    await session.send("start");
    await of.event("ring", 1);
    await settled(session, 3);
    await session.send("go");
    expect((await of.position()).frames).toMatchObject([{ node: "two", outputs: { one: { data: 1 } } }]);
    await of.event("ring", 2);
    await settled(session, 5);
    expect((await of.position()).frames).toMatchObject([{ node: "done", outputs: { two: { data: 2 } } }]);
  });

  it("takes an event that came with the call to enter, and has its time in a fork too", async () => {
    const clock = fixedClock();
    const routine = waiting({ event: "parcel", seconds: 60 });
    const first = await opened([routine], { clock });
    await first.of.enter(routine);
    await first.of.event("parcel");
    await expect.poll(async () => (clock.advance(50), (await first.of.position()).frames[0]?.node)).toBe("here");
    const second = await opened([routine], { clock });
    await second.session.send("start");
    const fork = await second.session.fork();
    await fork.send("and?");
    await expect.poll(async () => (clock.advance(5_000), (await stateOf(fork)).routines.frames[0]?.node)).toBe("late");
  });

  it("goes on when its time has come", async () => {
    for (const wait of [{ event: "parcel", seconds: 3_600 }, { until: ({ now }: { readonly now: number }) => now + 3_600_000 }]) {
      const clock = fixedClock();
      const { session, of } = await opened([waiting(wait)], { clock });
      await session.send("start");
      expect((await of.position()).frames).toMatchObject([{ node: "wait", at: { until: clock.now() + 3_600_000 } }]);
      clock.advance(3_599_000);
      expect((await session.send("and?")).reply).toMatch(/waits for/u);
      // One poll finds the time, and another the turn that it has queued.
      await expect
        .poll(async () => (clock.advance(2_000), (await session.turns()).items.filter(({ outcome }) => outcome !== undefined).length))
        .toBe(3);
      expect((await of.position()).frames).toMatchObject([{ node: "late" }]);
    }
  });
});

describe("what goes wrong", () => {
  it("a condition that throws is logged, and the customer is answered", async () => {
    const nodes = { a: { chat: { instructions: "Entered." }, next: "end" as const } };
    const broken = defineRoutine({
      id: "broken",
      title: "B",
      priority: 1,
      conditions: [
        () => {
          throw new Error("no");
        },
      ],
      nodes,
    });
    const good = defineRoutine({ id: "good", title: "G", conditions: [{ value: "state.message", equals: "good" }], nodes });
    const { session } = await opened([broken, good]);
    expect((await session.send("x")).reply).toBe("[nothing]");
    expect((await session.send("good")).reply).toBe("[Entered.]");
  });

  it("a failed call goes where the node says, and without that the routine fails and the agent goes on", async () => {
    const find = { tool: { name: "find_order", arguments: { id: "gone" } }, next: "end" } as const;
    const conditions = [{ value: "state.message", set: true }] as const;
    const sorry = { chat: { instructions: "Sorry." }, next: "end" } as const;
    const caught = await opened([defineRoutine({ id: "look", title: "Look", conditions, nodes: { find: { ...find, error: "sorry" }, sorry } })]);
    expect((await caught.session.send("x")).reply).toBe("[Sorry.]");
    const without = await opened([defineRoutine({ id: "look", title: "Look", conditions, nodes: { find } })]);
    expect((await without.session.send("x")).reply).toBe("[nothing]");
    expect((await without.of.position()).last).toMatchObject({ outcome: "failed", reason: "tool.failed" });
  });

  it("a function that throws, a value that does not fit, and a circle of branches fail the routine and not the turn", async () => {
    const conditions = [{ value: "state.message", set: true }] as const;
    const broken = [
      defineRoutine({
        id: "r",
        title: "R",
        conditions,
        nodes: {
          a: {
            branch: {},
            next: [
              {
                to: "end",
                when: () => {
                  throw new Error("no");
                },
              },
              { to: "end" },
            ],
          },
        },
      }),
      defineRoutine({
        id: "r",
        title: "R",
        conditions,
        nodes: { a: { branch: {}, next: [{ to: "end", when: (() => "yes") as never }, { to: "end" }] } },
      }),
      defineRoutine({
        id: "r",
        title: "R",
        conditions,
        nodes: { a: { tool: { name: "find_order", arguments: { id: "7" }, result: () => ({ status: 3 }) }, next: "end" } },
      }),
      defineRoutine({
        id: "r",
        title: "R",
        conditions,
        nodes: { a: { branch: {}, next: [{ to: "end", when: { value: "state.order", set: true } }, { to: "b" }] }, b: { branch: {}, next: "a" } },
      }),
    ];
    for (const routine of broken) {
      const { session, of } = await opened([routine]);
      expect((await session.send("x")).reply).toBe("[nothing]");
      expect((await of.position()).last).toMatchObject({ outcome: "failed" });
    }
  });

  it("a routine that would be nested too deep is not entered, and later turns go on", async () => {
    const nodes = { wait: { wait: { event: "never" }, next: "end" as const } };
    const deep = defineRoutine({ id: "deep", title: "D", nodes });
    const urgent = defineRoutine({ id: "urgent", title: "U", priority: 9, conditions: [{ value: "state.message", equals: "urgent" }], nodes });
    const { session, of } = await opened([deep, urgent]);
    for (let entered = 0; entered < 17; entered++) await of.enter(deep);
    expect((await session.send("and?")).reply).toMatch(/waits for the event "never"/u);
    const { frames, read } = await of.position();
    expect(frames.length).toBe(16);
    const commands = await collect(session, { kinds: ["custom"] });
    expect(read).toBe(commands.at(-1)?.offset);
    expect((await session.send("urgent")).reply).toMatch(/waits for the event "never"/u);
    expect((await of.position()).frames.length).toBe(16);
    await of.leave();
    await expect.poll(async () => (await of.position()).frames.length).toBe(0);
    expect((await session.send("urgent")).reply).toMatch(/waits for/u);
    expect((await of.position()).frames).toMatchObject([{ routine: "urgent" }]);
  });

  it("a call with effects that was stopped after its start is not made again in a later turn", async () => {
    for (const effects of ["idempotent", "once"] as const) {
      const keys: string[] = [];
      const charge = defineTool({
        ...{ name: "charge", description: "Charges.", parameters: z.object({}), effects },
        execute: async (_args, { key, signal }) => {
          keys.push(key);
          if (keys.length === 1) await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
          return {};
        },
      });
      const paying = defineRoutine({
        ...{ id: "paying", title: "P", conditions: [{ value: "state.message", equals: "pay" }] },
        nodes: {
          charge: { tool: { name: "charge", arguments: {} }, next: "paid", error: "unsure" },
          paid: { chat: { instructions: "Paid." }, next: "end" },
          unsure: { chat: { instructions: "Unsure." }, next: "end" },
        },
      });
      const { session } = await opened([paying], { tools: [charge] });
      const sent = session.send("pay");
      await expect.poll(() => keys.length).toBe(1);
      await session.stop();
      await sent;
      expect((await session.send("and?")).reply).toBe("[Unsure.]");
      expect(keys.length).toBe(1);
    }
  });

  it("a hook that blocks the call, and a budget that is used up, count as everywhere", async () => {
    const find2 = defineRoutine({
      ...{ id: "find2", title: "F", conditions: [{ value: "state.message", set: true }] },
      nodes: {
        a: { tool: { name: "find_order", arguments: { id: "7" } }, next: "b", error: "c" },
        b: { chat: { instructions: "Found." }, next: "end" },
        c: { chat: { instructions: "Blocked." }, next: "end" },
      },
    });
    const extension = routines({ routines: [find2], tools: [find] });
    const blocked = defineAgent({
      ...{ name: "shop", state: State, extensions: [extension] },
      reply: loop({ model: calling(), hooks: [hook("no", { beforeTool: () => ({ block: "Not today." }) })] }),
    });
    const one = await (await started({ agents: [blocked] })).sessions.create({ agent: "shop" });
    expect((await one.send("x")).reply).toBe("[Blocked.]");
    const poor = defineAgent({ name: "shop", state: State, extensions: [extension], reply: loop({ model: calling() }), budget: { steps: 1 } });
    const two = await (await started({ agents: [poor] })).sessions.create({ agent: "shop" });
    expect(await two.send("x")).toMatchObject({ status: "stopped" });
    // The call was made, and the next turn goes on with its result.
    expect((await two.send("y")).reply).toBe("[Found.]");
    expect((await toolsIn(two)).map((one) => one.split(" ")[0])).toEqual(["called", "returned"]);
  });
});
