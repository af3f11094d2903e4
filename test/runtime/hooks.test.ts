import { describe, expect, test } from "vitest";
import { systemClock } from "../../packages/throughline/src/kernel/clock.ts";
import { ThroughlineError } from "../../packages/throughline/src/kernel/error.ts";
import { hook, type Hook } from "../../packages/throughline/src/runtime/hooks/hook.ts";
import type { HookPoint } from "../../packages/throughline/src/runtime/hooks/points.ts";
import { answer, bench, call, done, loose, ok, rejected, request, running, state, step } from "./hook-bench.ts";

describe("hooks run", () => {
  test("143: those with a higher priority first, equal ones in the order of the list", async () => {
    const order: string[] = [];
    const named = (name: string, priority: number): Hook => hook(name, { priority, beforeStep: () => void order.push(name) });
    await bench([named("a", 0), named("b", 0), named("c", 5), named("d", -5), named("e", 5)]).runner.beforeStep(running);
    expect(order).toEqual(["c", "e", "a", "b", "d"]);
  });

  test("145: a later one reads what an earlier one wrote", async () => {
    const read: unknown[] = [];
    const { runner, state: now } = bench([
      hook("writes", { state, writes: ["count", "seen"], beforeStep: () => ({ delta: { count: 7, seen: "a" } }) }),
      hook("reads", { state, beforeStep: (given) => void read.push(given.state.count, given.state.seen, Object.isFrozen(given.state)) }),
    ]);
    await runner.beforeStep(running);
    expect(read).toEqual([7, ["a"], true]);
    expect(now()).toMatchObject({ count: 7, seen: ["a"] });
  });

  test("O20: at every point where they have a function, each with what that point gives", async () => {
    const given = new Map<string, readonly string[]>();
    const look = (point: string) => (context: object) => void given.set(point, Object.keys(context).toSorted());
    const points = "beforeExecution beforeStep beforeModel afterModel beforeTool afterTool afterStep onStop onError afterExecution".split(" ");
    const { runner, spans } = bench([loose("all", Object.fromEntries(points.map((point) => [point, look(point)])))]);
    await runner.beforeExecution(running);
    await runner.beforeStep(running);
    await runner.beforeModel(running, request);
    await runner.afterModel(running, answer);
    await runner.beforeTool(running, call);
    await runner.afterTool(running, call, ok);
    await runner.afterStep(running, step);
    await runner.onStop(running, { reason: "completed", message: "." });
    await runner.onError(running, new ThroughlineError("model.failed"));
    await runner.afterExecution(done);
    const common = new Set(["budget", "context", "execution", "resources", "signal", "state"]);
    expect(spans).toEqual(points.map((point) => `hook all at ${point}`));
    expect(Object.fromEntries([...given].map(([point, keys]) => [point, keys.filter((key) => !common.has(key))]))).toEqual({
      ...{ beforeExecution: [], beforeStep: [], beforeModel: ["request"], afterModel: ["answer"], beforeTool: ["approval", "block", "call"] },
      ...{ afterTool: ["call", "result"], afterStep: ["step"], onStop: ["stop"], onError: ["error"], afterExecution: [] },
    });
  });

  test("without any at a point, what goes in comes out", async () => {
    const { runner } = bench([]);
    expect(await runner.beforeModel(running, request)).toBe(request);
    expect(await runner.afterModel(running, answer)).toBe(answer);
    expect((await runner.beforeTool(running, call)).call).toBe(call);
    expect(await runner.afterTool(running, call, ok)).toBe(ok);
    expect(await runner.afterStep(running, step)).toEqual({});
    expect(await runner.onStop(running, { reason: "completed", message: "." })).toEqual({});
    expect(await runner.onError(running, new ThroughlineError("model.failed"))).toEqual({});
  });

  test("a stop is raised in the name of the hook, with a reason of its own or stop_requested", async () => {
    const { runner, raised } = bench([
      hook("polite", { beforeStep: () => ({ stop: { message: "Enough." } }) }),
      hook("firm", { beforeStep: () => ({ stop: { reason: "retry_limit", message: "Too often.", context: { tries: 3 } } }) }),
    ]);
    await runner.beforeStep(running);
    expect(raised).toEqual([
      { reason: "stop_requested", message: "Enough.", source: "polite" },
      { reason: "retry_limit", message: "Too often.", context: { tries: 3 }, source: "firm" },
    ]);
  });
});

describe("146: each point changes what it may, and nothing else", () => {
  const all = { delta: {}, stop: { message: "." }, request: {}, answer: {}, arguments: {}, block: "no", approval: true, result: ok };
  const keys = { ...all, retry: true, fallback: "Sorry.", continue: true };
  const may: Readonly<Record<HookPoint, readonly string[]>> = {
    beforeExecution: ["delta", "stop"],
    beforeStep: ["delta", "stop"],
    beforeModel: ["delta", "stop", "request"],
    afterModel: ["delta", "stop", "answer"],
    beforeTool: ["delta", "stop", "arguments", "block", "approval"],
    afterTool: ["delta", "stop", "result"],
    afterStep: ["delta", "stop", "continue"],
    onStop: ["delta", "stop"],
    onError: ["delta", "stop", "retry", "fallback"],
    afterExecution: ["delta"],
  };
  const run = (point: HookPoint, returned: unknown): Promise<unknown> => {
    const { runner } = bench([loose("h", { [point]: () => returned })]);
    if (point === "beforeModel") return runner.beforeModel(running, request);
    if (point === "afterModel") return runner.afterModel(running, answer);
    if (point === "beforeTool") return runner.beforeTool(running, call);
    if (point === "afterTool") return runner.afterTool(running, call, ok);
    if (point === "afterStep") return runner.afterStep(running, step);
    if (point === "onStop") return runner.onStop(running, { reason: "completed", message: "." });
    if (point === "onError") return runner.onError(running, new ThroughlineError("model.failed"));
    return point === "afterExecution" ? runner.afterExecution(done) : runner[point](running);
  };

  test.each(Object.entries(may) as readonly (readonly [HookPoint, readonly string[]])[])("%s", async (point, allowed) => {
    const outcomes = await Promise.all(
      Object.entries(keys).map(async ([key, value]) => {
        const error = await run(point, { [key]: value }).then(
          () => undefined,
          (failure: unknown) => failure,
        );
        if (error !== undefined) expect(error).toMatchObject({ code: "hook.failed", details: { hook: "h", point } });
        return error === undefined ? [key] : [];
      }),
    );
    expect(outcomes.flat()).toEqual(allowed);
    await expect(run(point, { [allowed[0] ?? ""]: undefined })).resolves.not.toThrow();
    await expect(run(point, { unheard: undefined })).resolves.not.toThrow();
  });

  test.each<readonly [string, HookPoint, unknown, string]>([
    ["a key that nobody knows, with the one that is meant", "beforeTool", { blocked: "x" }, `"block" may be meant`],
    ["a text", "beforeStep", "stop", "returned a string"],
    ["null", "beforeStep", null, "returned null"],
    ["a list", "beforeStep", [], "returned a list"],
    ["a stop without a message", "beforeStep", { stop: { reason: "stop_requested" } }, "no message"],
    ["a reason that is none", "beforeStep", { stop: { reason: "bored", message: "." } }, "unknown reason"],
    ["a reason from an object's prototype", "beforeStep", { stop: { reason: "toString", message: "." } }, "unknown reason"],
    ["a context that is no JSON", "beforeStep", { stop: { message: ".", context: { at: new Date(0) } } }, "no JSON object"],
    ["a stop with a source", "beforeStep", { stop: { message: ".", source: "someone" } }, "source"],
    ["a delta that is a list", "beforeStep", { delta: [] }, "no object of updates"],
    ["a part of a request that there is not", "beforeModel", { request: { model: "x" } }, "model"],
    ["messages of the wrong shape", "beforeModel", { request: { messages: [{ role: "robot", text: "" }] } }, "messages of the wrong shape"],
    ["a result of a call without its id", "beforeModel", { request: { messages: [{ role: "tool", text: "" }] } }, "messages of the wrong shape"],
    ["sections that are texts", "beforeModel", { request: { sections: ["be kind"] } }, "sections of the wrong shape"],
    ["no output at all", "beforeModel", { request: { max_output_tokens: 0 } }, "max_output_tokens"],
    ["a tool that the agent does not have", "beforeModel", { request: { tools: [{ name: "rm", description: "", parameters: {} }] } }, `"rm"`],
    ["a text that is none", "afterModel", { answer: { text: 1 } }, "text"],
    ["a finish reason", "afterModel", { answer: { finish_reason: "stop" } }, "finish_reason"],
    ["calls without an id", "afterModel", { answer: { calls: [{ name: "add", arguments: {} }] } }, "without call_id"],
    ["two calls with one id", "afterModel", { answer: { calls: [call, call] } }, "two calls"],
    ["arguments that are no JSON", "beforeTool", { arguments: { at: new Date(0) } }, "not JSON at /at"],
    ["a blank reason", "beforeTool", { block: " " }, "no text with a reason"],
    ["an approval that is not wanted", "beforeTool", { approval: false }, "neither true nor a question"],
    ["a result without a type", "afterTool", { result: { value: 1 } }, "no result"],
    ["a value that is no JSON", "afterTool", { result: { type: "ok", value: 1n } }, "no JSON"],
    ["an error that is a class", "afterTool", { result: { type: "error", error: new Error("x") } }, "no result of type error"],
    ["going on without saying what is waived", "onStop", { continue: true }, "waives"],
    ["waiving what is no reason", "onStop", { continue: { waives: ["everything"] } }, "waives"],
    ["a blank fallback", "onError", { fallback: "" }, "no text"],
  ])("%s is refused", async (_title, point, returned, message) => {
    const error = await rejected(run(point, returned));
    expect(error.code).toBe("hook.failed");
    expect(error.message).toMatch(/^Hook "h" failed at \w+: it returned .*\.$/);
    expect(error.message).toContain(message);
  });
});

describe("what hooks decide", () => {
  test("beforeModel changes parts of this one request, one hook after the other; tools can only become fewer", async () => {
    const sections = [{ name: "tone", text: "Be brief." }];
    const { runner } = bench([
      hook("brief", { beforeModel: () => ({ request: { sections, tools: [] } }) }),
      hook("reads", {
        beforeModel: (given) => ({
          request: { messages: [...given.request.messages, { role: "system", text: given.request.sections[0]?.text ?? "" }] },
        }),
      }),
    ]);
    const changed = await runner.beforeModel(running, request);
    expect(changed).toEqual({
      sections,
      tools: [],
      messages: [
        { role: "user", text: "hi" },
        { role: "system", text: "Be brief." },
      ],
    });
    expect(Object.isFrozen(changed.messages)).toBe(true);
    expect(request.tools).toHaveLength(1);
    sections[0]!.text = "changed later";
    expect(changed.sections[0]?.text).toBe("Be brief.");
  });

  test("a tool that one hook has hidden cannot be offered again by the next", async () => {
    const { runner } = bench([
      hook("hides", { beforeModel: () => ({ request: { tools: [] } }) }),
      hook("offers", { beforeModel: () => ({ request: { tools: request.tools } }) }),
    ]);
    expect((await rejected(runner.beforeModel(running, request))).message).toContain(`Hook "offers" failed at beforeModel`);
  });

  test("what a hook is given cannot be changed in place", async () => {
    const { runner } = bench([
      hook("rude", {
        beforeModel: ({ request: { messages } }) => {
          (messages as unknown[]).pop();
        },
      }),
    ]);
    expect((await rejected(runner.beforeModel(running, structuredClone(request)))).cause).toBeInstanceOf(TypeError);
  });

  test("afterModel puts another text, or other calls, in the place of the model's", async () => {
    const { runner } = bench([
      hook("mild", { afterModel: () => ({ answer: { text: "Good day" } }) }),
      hook("quiet", { afterModel: (given) => ({ answer: { calls: given.answer.text === "Good day" ? [] : given.answer.calls } }) }),
    ]);
    expect(await runner.afterModel(running, answer)).toEqual({ ...answer, text: "Good day", calls: [] });
  });

  test("138: beforeTool rewrites arguments, and the next hook sees them", async () => {
    const { runner } = bench([
      hook("doubles", { beforeTool: (given) => ({ arguments: { a: Number(given.call.arguments["a"]) * 2 } }) }),
      hook("adds", { beforeTool: (given) => ({ arguments: { ...given.call.arguments, b: 1 } }) }),
    ]);
    expect(await runner.beforeTool(running, call)).toEqual({ call: { ...call, arguments: { a: 2, b: 1 } } });
    expect(call.arguments).toEqual({ a: 1 });
  });

  test("148: what is blocked stays blocked, and what wants an approval goes on wanting it", async () => {
    const told: unknown[] = [];
    const { runner } = bench([
      hook("strict", { beforeTool: () => ({ block: "Not today.", approval: "Really?" }) }),
      hook("later", {
        beforeTool: (given) => (told.push(given.block, given.approval), { block: undefined, approval: "Sure?", arguments: { a: 2 } }),
      }),
    ]);
    expect(await runner.beforeTool(running, call)).toEqual({
      call: { ...call, arguments: { a: 2 } },
      block: { by: "strict", reason: "Not today." },
      approval: { by: "strict", question: "Really?" },
    });
    expect(told).toEqual([
      { by: "strict", reason: "Not today." },
      { by: "strict", question: "Really?" },
    ]);
  });

  test("a hook for some tools is not asked about others", async () => {
    const asked: string[] = [];
    const { runner } = bench([
      hook("some", {
        tools: ["add"],
        beforeTool: (given) => void asked.push(given.call.name),
        afterTool: (given) => void asked.push(`${given.call.name} done`),
      }),
    ]);
    for (const name of ["add", "sub"]) {
      await runner.beforeTool(running, { ...call, name });
      await runner.afterTool(running, { ...call, name }, ok);
    }
    expect(asked).toEqual(["add", "add done"]);
  });

  test("afterTool puts another result in the place of the tool's", async () => {
    const { runner } = bench([
      hook("masks", { afterTool: () => ({ result: { type: "ok", value: { card: "****" } } }) }),
      hook("reads", { afterTool: (given) => ({ result: given.result.type === "ok" ? { type: "ok", value: [given.result.value] } : given.result }) }),
    ]);
    expect(await runner.afterTool(running, call, ok)).toEqual({ type: "ok", value: [{ card: "****" }] });
  });

  test("afterStep, onStop and onError say who wants what; what is waived is what any of them waives", async () => {
    const { runner } = bench([
      hook("more", {
        afterStep: () => ({ continue: true }),
        onStop: () => ({ continue: { waives: ["steps_limit"] } }),
        onError: () => ({ fallback: "Later." }),
      }),
      hook("again", {
        onStop: () => ({ continue: { waives: ["token_limit", "steps_limit"] } }),
        onError: () => ({ retry: true, fallback: "Never." }),
      }),
    ]);
    expect(await runner.afterStep(running, step)).toEqual({ continue: { source: "more" } });
    expect(await runner.onStop(running, { reason: "steps_limit", message: "." })).toEqual({
      continue: { source: "more, again", waives: ["steps_limit", "token_limit"] },
    });
    expect(await runner.onError(running, new ThroughlineError("model.failed"))).toEqual({
      retry: { source: "again" },
      fallback: { source: "more", text: "Later." },
    });
  });
});

describe("a hook that fails", () => {
  const secret = "I live at Elm Street 4";
  const throwing = (onFailure: "fail" | "ignore", more: object = {}): Hook =>
    loose("shaky", {
      onFailure,
      beforeStep: () => {
        throw new Error(secret);
      },
      ...more,
    });

  test("O21: fails the execution, naming hook and point, and keeps what it said to the cause", async () => {
    const { runner, raised } = bench([throwing("fail")]);
    const error = await rejected(runner.beforeStep(running));
    expect(error).toMatchObject({
      code: "hook.failed",
      message: `Hook "shaky" failed at beforeStep.`,
      details: { hook: "shaky", point: "beforeStep" },
    });
    expect(error.cause).toMatchObject({ message: secret });
    expect(JSON.stringify(error)).not.toContain("Elm");
    expect(raised).toEqual([]);
  });

  test("is logged and passed over if its failures are ignored, with nothing of it applied", async () => {
    const after: string[] = [];
    const {
      runner,
      warned,
      raised,
      state: now,
    } = bench([
      throwing("ignore"),
      loose("wrong", {
        onFailure: "ignore",
        state,
        writes: ["count"],
        beforeStep: () => ({ delta: { count: 9 }, stop: { message: "." }, block: "x" }),
      }),
      loose("partly", {
        onFailure: "ignore",
        state,
        writes: ["count", "seen"],
        beforeStep: () => ({ delta: { count: 9, seen: 4 }, stop: { message: "." } }),
      }),
      loose("undeclared", { onFailure: "ignore", state, writes: ["seen"], beforeStep: () => ({ delta: { count: 9 } }) }),
      hook("next", { beforeStep: () => void after.push("ran") }),
    ]);
    await runner.beforeStep(running);
    expect(after).toEqual(["ran"]);
    expect(now().count).toBe(0);
    expect(raised).toEqual([]);
    expect(warned.map(({ fields }) => fields)).toEqual([
      { hook: "shaky", point: "beforeStep" },
      { hook: "wrong", point: "beforeStep" },
      { hook: "partly", point: "beforeStep", code: "state.invalid_value" },
      { hook: "undeclared", point: "beforeStep", code: "state.undeclared_write" },
    ]);
    expect(JSON.stringify(warned)).not.toContain("Elm");
  });

  test("takes nothing of a request that offers a tool nobody has, not even the delta beside it", async () => {
    const { runner, state: now } = bench([
      hook("wrong", {
        ...{ state, writes: ["count"], onFailure: "ignore" },
        beforeModel: () => ({ delta: { count: 9 }, request: { tools: [{ name: "rm", description: "", parameters: {} }] } }),
      }),
    ]);
    expect((await runner.beforeModel(running, request)).tools).toEqual(request.tools);
    expect(now().count).toBe(0);
  });

  test("blocks the call that it should have looked at, also if its failures are ignored", async () => {
    const { runner, warned } = bench([
      throwing("ignore", {
        beforeTool: () => {
          throw new Error(secret);
        },
      }),
    ]);
    expect(await runner.beforeTool(running, call)).toEqual({ call, block: { by: "shaky", reason: "This call could not be checked." } });
    expect(warned).toHaveLength(1);
  });

  test("a delta that the state refuses fails it", async () => {
    const { runner } = bench([loose("h", { state, writes: ["count"], beforeStep: () => ({ delta: { count: "many" } }) })]);
    const error = await rejected(runner.beforeStep(running));
    expect(error).toMatchObject({ code: "hook.failed", details: { code: "state.invalid_value" } });
  });

  test("one that takes too long fails, and its own signal aborts", async () => {
    let own: AbortSignal | undefined;
    const slow = (onFailure: "fail" | "ignore"): Hook =>
      hook("slow", {
        ...{ timeoutMs: 20, onFailure },
        beforeStep: async ({ signal }) => {
          own = signal;
          await new Promise(() => {});
        },
      });
    const { runner } = bench([slow("fail")]);
    const error = await rejected(runner.beforeStep(running));
    expect(error).toMatchObject({ code: "hook.failed", message: `Hook "slow" failed at beforeStep: it took longer than 20 ms.` });
    expect(own?.aborted).toBe(true);
    const { runner: patient, warned } = bench([slow("ignore")]);
    await patient.beforeStep(running);
    expect(warned).toHaveLength(1);
  });

  test("one that ends in time is not cut short later", async () => {
    let own: AbortSignal | undefined;
    const { runner } = bench([
      hook("quick", {
        timeoutMs: 15,
        beforeStep: async ({ signal }) => {
          own = signal;
        },
      }),
    ]);
    await runner.beforeStep(running);
    await systemClock.sleep(30);
    expect(own?.aborted).toBe(false);
  });

  test.each(["fail", "ignore"] as const)(
    "when the turn is stopped, that is what is thrown, and not a failure of the hook (%s)",
    async (onFailure) => {
      const stop = new AbortController();
      const reason = new ThroughlineError("turn.stopped");
      let own: AbortSignal | undefined;
      const { runner, warned } = bench(
        [
          hook("waits", {
            onFailure,
            beforeStep: async ({ signal }) => {
              own = signal;
              await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("mine"))));
            },
          }),
          hook("never", { beforeStep: () => expect.unreachable() }),
        ],
        { signal: stop.signal },
      );
      const run = runner.beforeStep(running);
      stop.abort(reason);
      expect(await rejected(run)).toBe(reason);
      expect(own?.reason).toBe(reason);
      expect(warned).toEqual([]);
    },
  );
});
