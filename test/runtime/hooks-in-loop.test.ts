import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  approveTools,
  blockTools,
  cancelWhen,
  defineTool,
  exitOn,
  hook,
  stopOnFinishReason,
  stopWhen,
  ThroughlineError,
  type Event,
  type Hook,
  type LoopOptions,
  type Script,
  type ScriptedModel,
  type Session,
  type Tool,
  type TurnResult,
} from "../../packages/throughline/src/index.ts";
import type { HookPoint } from "../../packages/throughline/src/agent.ts";
import { statusOf, stepText, usageOf } from "../../packages/throughline/src/execution.ts";
import { totalTokens } from "../../packages/throughline/src/execution/ledger.ts";
import { collect } from "./harness.ts";
import { calling, callsIn, conversation, toolState } from "./loop/harness.ts";

/** A tool that notes the arguments it ran with. */
function noting(name: string): { readonly tool: Tool; readonly ran: unknown[] } {
  const ran: unknown[] = [];
  const parameters = z.object({ n: z.number().default(0) });
  const tool = defineTool({ name, description: `Does ${name}.`, parameters, effects: "none", execute: ({ n }) => (ran.push(n), { n }) });
  return { tool, ran };
}

interface Played {
  readonly session: Session;
  readonly model: ScriptedModel;
  readonly result: TurnResult;
  readonly events: readonly Event[];
}

/** One turn of an agent with these hooks. */
async function play(script: Script, loop: Partial<LoopOptions>, budget: { readonly steps: number } = { steps: 20 }): Promise<Played> {
  const { session, model } = await conversation(script, { loop, agent: { budget } });
  const result = await session.send("hi");
  return { session, model, result, events: await collect(session) };
}

/** The last thing that the model was told of a call. */
const toldOf = (model: ScriptedModel): string | undefined => model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool")?.text;

/** A hook that notes where it ran. */
function tracing(name: string, trail: string[], points: readonly HookPoint[]): Hook {
  return hook(name, Object.fromEntries(points.map((point) => [point, () => void trail.push(`${name}:${point}`)])) as never);
}
const everywhere: readonly HookPoint[] = [
  ...(["beforeExecution", "beforeStep", "beforeModel", "afterModel", "beforeTool", "afterTool"] as const),
  ...(["afterStep", "onStop", "onError", "afterExecution"] as const),
];

describe("hooks in a turn", () => {
  test("076, O3, O10: a step with a call and a final one, in order; once an execution what is once an execution", async () => {
    const trail: string[] = [];
    const { result } = await play([calling(["add"]), "Done."], { tools: [noting("add").tool], hooks: [tracing("h", trail, everywhere)] });
    expect(result).toMatchObject({ status: "completed", reply: "Done." });
    const [asks, calls, ends] = [
      ["beforeStep", "beforeModel", "afterModel"],
      ["beforeTool", "afterTool"],
      ["onStop", "afterExecution"],
    ];
    expect(trail).toEqual(["beforeExecution", ...asks, ...calls, "afterStep", ...asks, "afterStep", ...ends].map((point) => `h:${point}`));
  });

  test("O3: hooks of one point run in the order of the list", async () => {
    const trail: string[] = [];
    await play(["Hi."], { hooks: [tracing("a", trail, ["beforeModel"]), tracing("b", trail, ["beforeModel"])] });
    expect(trail).toEqual(["a:beforeModel", "b:beforeModel"]);
  });

  test("O5, O6: one that stops before the first step keeps the model from being asked", async () => {
    const { result, model } = await play(["Hi."], {
      hooks: [hook("no", { beforeExecution: () => ({ stop: { reason: "steps_limit", message: "None left." } }) })],
    });
    expect(result).toMatchObject({ status: "stopped", reason: "steps_limit" });
    expect(model.requests).toEqual([]);
  });

  test("O8: calls taken out of an answer do not run, and another step can be asked for", async () => {
    const { tool, ran } = noting("add");
    const { result, model } = await play([calling(["add"]), "Done."], {
      tools: [tool],
      hooks: [
        hook("instead", {
          afterModel: ({ answer }) => (answer.calls.length > 0 ? { answer: { text: "Let me think.", calls: [] } } : undefined),
          afterStep: ({ step }) => (stepText(step) === "Let me think." ? { continue: true } : undefined),
        }),
      ],
    });
    expect(ran).toEqual([]);
    expect(model.requests).toHaveLength(2);
    expect(result.reply).toBe("Done.");
  });

  test("O10: afterTool does not run when nothing was called, nor after a blank reply", async () => {
    const trail: string[] = [];
    await play(["", "Hi."], { tools: [noting("add").tool], hooks: [tracing("h", trail, ["beforeTool", "afterTool"])] });
    expect(trail).toEqual([]);
  });

  test("O11: onStop asks for one more step after an answer, and then lets it end", async () => {
    const { tool, ran } = noting("save");
    const { result } = await play(["Bye.", calling(["save"]), "Saved."], {
      tools: [tool],
      hooks: [hook("save_first", { onStop: () => (ran.length === 0 ? { continue: { waives: [] } } : undefined) })],
    });
    expect(ran).toEqual([0]);
    expect(result).toMatchObject({ status: "completed", reply: "Saved." });
  });

  test("O13: beforeModel cannot keep an execution going", async () => {
    const { result } = await play(["Hi."], { hooks: [hook("wrong", { beforeModel: () => ({ continue: true }) } as never)] });
    expect(result).toMatchObject({ status: "failed", error: { code: "hook.failed" } });
  });

  test("O15: a stop before the model is asked skips the call, and later hooks at that point still run", async () => {
    const trail: string[] = [];
    const { result, model } = await play(["Hi."], {
      hooks: [hook("stops", { beforeModel: () => ({ stop: { message: "Enough." } }) }), tracing("later", trail, everywhere)],
    });
    expect(model.requests).toEqual([]);
    expect(result).toMatchObject({ status: "stopped", reason: "stop_requested" });
    expect(trail).toEqual(["later:beforeExecution", "later:beforeStep", "later:beforeModel", "later:onStop", "later:afterExecution"]);
  });

  test("O16: a stop after a tool lets it finish, keeps what it returned, and asks the model no more", async () => {
    const { tool, ran } = noting("add");
    const trail: string[] = [];
    const { result, model, events } = await play([calling(["add"]), "Done."], {
      tools: [tool],
      hooks: [
        hook("stops", { afterTool: () => ({ stop: { reason: "retry_limit", message: "Enough." } }) }),
        tracing("t", trail, ["afterStep", "afterExecution"]),
      ],
    });
    expect(ran).toEqual([0]);
    expect(model.requests).toHaveLength(1);
    expect(callsIn(events)).toEqual(["called add", "returned add ok"]);
    expect(result).toMatchObject({ status: "stopped", reason: "retry_limit" });
    expect(trail).toEqual(["t:afterStep", "t:afterExecution"]);
  });

  test("O16: a stop before a tool keeps it, and the others of its reply, from running", async () => {
    const { tool, ran } = noting("add");
    const { result, events } = await play([calling(["add"], ["add"]), "Done."], {
      tools: [tool],
      hooks: [hook("stops", { beforeTool: () => ({ stop: { message: "Enough." } }) })],
    });
    expect(ran).toEqual([]);
    expect(callsIn(events).filter((line) => line.startsWith("returned"))).toEqual(["returned add skipped", "returned add skipped"]);
    expect(result).toMatchObject({ status: "stopped", reason: "stop_requested" });
  });

  test("O18: a stop on the last allowed step outranks the limit", async () => {
    const hooks = [hook("stops", { afterStep: () => ({ stop: { message: "Enough." } }) })];
    const { result } = await play([calling(["add"]), "Done."], { tools: [noting("add").tool], hooks }, { steps: 1 });
    expect(result).toMatchObject({ status: "stopped", reason: "stop_requested" });
  });

  test("O21: one that throws fails the turn, names itself, and its words stay out of the log", async () => {
    const { result, events } = await play(["Hi."], {
      hooks: [
        hook("shaky", {
          beforeStep: () => {
            throw new Error("Elm Street 4");
          },
        }),
      ],
    });
    expect(result).toMatchObject({ status: "failed", error: { code: "hook.failed", details: { hook: "shaky", point: "beforeStep" } } });
    expect(JSON.stringify(events)).not.toContain("Elm");
  });

  test("O23: a guard over what is spent stops before the third model call", async () => {
    const usage = { input: 40, output: 20 };
    const { result, model } = await play(() => ({ ...calling(["add"]), usage }), {
      tools: [noting("add").tool],
      hooks: [stopWhen("tokens", ({ execution }) => totalTokens(usageOf(execution)) >= 100, { reason: "token_limit" })],
    });
    expect(model.requests).toHaveLength(2);
    expect(result).toMatchObject({ status: "stopped", reason: "token_limit" });
  });
});

describe("hooks and tools", () => {
  test("136: a blocked call is a result of its own that says by whom and why, and the turn completes", async () => {
    const { tool, ran } = noting("rm");
    const { result, model, events } = await play([calling(["rm", { n: 1 }]), "I may not."], {
      tools: [tool],
      hooks: [blockTools(["rm"], "Files stay.")],
    });
    expect(ran).toEqual([]);
    expect(JSON.parse(toldOf(model) ?? "")).toEqual({ blocked: { by: "block_tools", reason: "Files stay." } });
    expect(callsIn(events)).toEqual(["returned rm blocked"]);
    expect(result).toMatchObject({ status: "completed", reply: "I may not." });
  });

  test("138: rewritten arguments are what runs; the log keeps what the model asked for", async () => {
    const { tool, ran } = noting("add");
    const { events } = await play([calling(["add", { n: 1 }]), "Done."], {
      tools: [tool],
      hooks: [hook("doubles", { beforeTool: ({ call }) => ({ arguments: { n: Number(call.arguments["n"]) * 2 } }) })],
    });
    expect(ran).toEqual([2]);
    expect(events.flatMap((event) => (event.kind === "message" ? (event.data.calls ?? []) : [])).map((call) => call.arguments)).toEqual([{ n: 1 }]);
    expect(events.flatMap((event) => (event.kind === "tool" && event.data.type === "called" ? [event.data.arguments] : []))).toEqual([{ n: 2 }]);
  });

  test("a rewrite that does not fit the tool's parameters is told to the model, and nothing runs", async () => {
    const { tool, ran } = noting("add");
    const { model } = await play([calling(["add", { n: 1 }]), "Done."], {
      tools: [tool],
      hooks: [hook("breaks", { beforeTool: () => ({ arguments: { n: "two" } }) })],
    });
    expect(ran).toEqual([]);
    expect(toldOf(model)).toContain("tool.arguments_invalid");
  });

  test("140, 141, 145: what hooks write during three calls is seen by the next one, and is still there after the turn", async () => {
    const seen: (number | undefined)[] = [];
    const { session } = await play([calling(["add"], ["add"], ["add"]), "Done."], {
      tools: [noting("add").tool],
      hooks: [
        hook("counts", {
          ...{ state: toolState, writes: ["total"] },
          beforeTool: ({ state: { total = 0 } }) => (seen.push(total), { delta: { total: total + 1 } }),
        }),
      ],
    });
    expect(seen).toEqual([0, 1, 2]);
    expect((await session.state()).document).toMatchObject({ total: 3 });
  });

  test("148: no later hook can let a blocked call through", async () => {
    const { tool, ran } = noting("rm");
    await play([calling(["rm"]), "Done."], {
      tools: [tool],
      hooks: [blockTools(["rm"], "No."), hook("lenient", { beforeTool: () => ({ block: undefined, arguments: {} }) })],
    });
    expect(ran).toEqual([]);
  });

  test("135: one that blocks and stops: what comes after it does not run either", async () => {
    const [one, two] = [noting("one"), noting("two")];
    const { result, events } = await play([calling(["one"], ["two"]), "Done."], {
      tools: [one.tool, two.tool],
      hooks: [hook("strict", { tools: ["one"], beforeTool: () => ({ block: "No.", stop: { message: "Nothing more." } }) })],
    });
    expect([one.ran, two.ran]).toEqual([[], []]);
    expect(callsIn(events)).toEqual(["returned one blocked", "returned two skipped"]);
    expect(result).toMatchObject({ status: "stopped", reason: "stop_requested" });
  });

  test("133: calls without ids of their own have one each", async () => {
    const { tool, ran } = noting("add");
    const blank = { call_id: "", name: "add", arguments: { n: 1 } };
    const ids: string[] = [];
    await play([{ calls: [blank, blank] }, "Done."], {
      tools: [tool],
      hooks: [hook("ids", { beforeTool: ({ call }) => void ids.push(call.call_id) })],
    });
    expect(ran).toEqual([1, 1]);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain("");
  });

  test("151: a stop after the model's answer keeps its calls from running", async () => {
    const { tool, ran } = noting("add");
    const { result, events } = await play([calling(["add"]), "Done."], {
      tools: [tool],
      hooks: [hook("stops", { afterModel: () => ({ stop: { message: "Enough." } }) })],
    });
    expect(ran).toEqual([]);
    expect(callsIn(events)).toEqual(["returned add skipped"]);
    expect(result).toMatchObject({ status: "stopped", reason: "stop_requested" });
  });

  test("afterTool can mask what a tool returned, for the model and for the log", async () => {
    const card = defineTool({ name: "card", description: "Gives the card.", effects: "none", execute: () => ({ number: "4111" }) });
    const { model, events } = await play([calling(["card"]), "Done."], {
      tools: [card],
      hooks: [hook("masks", { afterTool: () => ({ result: { type: "ok", value: { number: "****" } } }) })],
    });
    expect(toldOf(model)).toBe(`{"number":"****"}`);
    expect(JSON.stringify(events)).not.toContain("4111");
  });

  test("a call that a hook wants approved waits, with its question, and nothing has run", async () => {
    const { tool, ran } = noting("refund");
    const { session, model } = await conversation([calling(["refund", { n: 5 }]), "Refunded."], {
      loop: { tools: [tool], hooks: [approveTools(["refund"], "Refund it?")] },
    });
    await session.post("hi");
    let pending: Extract<Event["data"], { type: "paused" }> | undefined;
    for await (const event of session.events()) {
      if (event.kind !== "turn" || event.data.type !== "paused") continue;
      pending = event.data;
      break;
    }
    expect(pending?.pending).toMatchObject([{ name: "refund", kind: "approval", question: "Refund it?", by: "approve_tools" }]);
    expect([ran, model.requests.length]).toEqual([[], 1]);
  });

  test("130, 131: a tool that throws, or is not there, is an error that the model reads, and the turn completes", async () => {
    const boom = defineTool({
      ...{ name: "boom", description: "Throws.", effects: "none" },
      execute: () => {
        throw new Error("no");
      },
    });
    const results: string[] = [];
    const looks = hook("looks", { afterTool: ({ call, result }) => void results.push(`${call.name} ${result.type}`) });
    const { result, model } = await play([calling(["boom"]), calling(["ghost"]), "Done."], { tools: [boom], hooks: [looks] });
    expect(model.requests.slice(1).map(({ messages }) => messages.findLast(({ role }) => role === "tool")?.text)).toEqual([
      expect.stringContaining("tool.failed"),
      expect.stringMatching(/tool\.not_found.*ghost/),
    ]);
    expect(result.status).toBe("completed");
    expect(results).toEqual(["boom error"]);
  });
});

describe("hooks that fail in a turn", () => {
  test("one whose failures are ignored leaves the turn as it is", async () => {
    const shaky = hook("shaky", {
      onFailure: "ignore",
      beforeModel: () => {
        throw new Error("no");
      },
      afterStep: () => ({ blocked: true }) as never,
    });
    const { result } = await play(["Hi."], { hooks: [shaky] });
    expect(result).toMatchObject({ status: "completed", reply: "Hi." });
  });

  test("one that hangs fails the turn when its time is over", async () => {
    const { result } = await play(["Hi."], { hooks: [hook("hangs", { timeoutMs: 20, beforeModel: () => new Promise<undefined>(() => {}) })] });
    expect(result).toMatchObject({ status: "failed", error: { code: "hook.failed", details: { hook: "hangs", code: "timeout" } } });
  });

  test("a call that could not be checked does not run, and the model is told", async () => {
    const { tool, ran } = noting("rm");
    const checks = hook("checks", {
      onFailure: "ignore",
      beforeTool: () => {
        throw new Error("no");
      },
    });
    const { result, model } = await play([calling(["rm"]), "I cannot."], { tools: [tool], hooks: [checks] });
    expect(ran).toEqual([]);
    expect(toldOf(model)).toContain("could not be checked");
    expect(result.status).toBe("completed");
  });

  test("that a tool has run is on record although a hook failed on its result, and the result, which it may have been there to mask, is not", async () => {
    const pay = defineTool({ name: "pay", description: "Pays.", effects: "once", execute: () => "paid" });
    const { result, events } = await play([calling(["pay"]), "Done."], {
      tools: [pay],
      hooks: [hook("shaky", { afterTool: () => Promise.reject(new Error("no")) })],
    });
    expect(result).toMatchObject({ status: "failed", error: { code: "hook.failed" } });
    expect(callsIn(events)).toEqual(["called pay", "returned pay ok"]);
    expect(JSON.stringify(events)).not.toContain("paid");
  });
});

describe("hooks at the end of an execution", () => {
  test("088: the highest of the signals decides, also one that onStop raises", async () => {
    const { result } = await play([calling(["add"]), "Done."], {
      tools: [noting("add").tool],
      hooks: [
        hook("content", { afterStep: () => ({ stop: { reason: "unknown", message: "Whatever." } }) }),
        hook("user", { onStop: () => ({ stop: { reason: "user_requested", message: "The person left." } }) }),
      ],
    });
    expect(result).toMatchObject({ status: "stopped", reason: "user_requested" });
  });

  test("091: one more step after an answer, asked for once", async () => {
    let asked = false;
    const { result, model } = await play(["One.", "Two."], {
      hooks: [hook("more", { afterStep: () => (asked ? undefined : ((asked = true), { continue: true })) })],
    });
    expect([model.requests.length, result.reply]).toEqual([2, "Two."]);
  });

  test("a limit that is waived gives one more step, and then holds", async () => {
    let waived = false;
    const { result, model } = await play(
      () => calling(["add"]),
      {
        tools: [noting("add").tool],
        hooks: [hook("more", { onStop: () => (waived ? undefined : ((waived = true), { continue: { waives: ["steps_limit"] } })) })],
      },
      { steps: 2 },
    );
    expect(model.requests).toHaveLength(3);
    expect(result).toMatchObject({ status: "stopped", reason: "steps_limit" });
  });

  test("120: a finish reason ends the execution as completed, with what the model has said", async () => {
    const { result, events } = await play([{ ...calling(["add"]), text: "Half", finish: "other" }, "Done."], {
      tools: [noting("add").tool],
      hooks: [stopOnFinishReason(["other"])],
    });
    expect(result.status).toBe("completed");
    expect(events.flatMap((event) => (event.kind === "turn" && event.data.type === "signal" ? [event.data] : []))).toMatchObject([
      { reason: "finish_reason", source: "stop_on_finish_reason", context: { finish_reason: "other", stop_reasons: ["other"] } },
    ]);
  });

  test("121: cancelled before it begins: no step, stopped, with the source", async () => {
    const { result, model, events } = await play(["Hi."], { hooks: [cancelWhen(() => "The job was cancelled.")] });
    expect(model.requests).toEqual([]);
    expect(result).toMatchObject({ status: "stopped", reason: "user_requested" });
    expect(events.flatMap((event) => (event.kind === "turn" && event.data.type === "signal" ? [event.data.source] : []))).toEqual(["cancel_when"]);
  });

  test("onError retries, or answers in the model's place", async () => {
    const failing = { error: new ThroughlineError("model.failed") };
    const retried = await play([failing, "Hi."], { hooks: [hook("again", { onError: () => ({ retry: true }) })] });
    expect(retried.result).toMatchObject({ status: "completed", reply: "Hi." });
    const answered = await play([failing], { hooks: [hook("falls_back", { onError: ({ error }) => ({ fallback: `Later (${error.code}).` }) })] });
    expect(answered.result).toMatchObject({ status: "completed", reply: "Later (model.failed)." });
  });

  test("096: a model that always fails is not tried for ever", async () => {
    const { result, model } = await play(() => ({ error: new ThroughlineError("model.failed") }), {
      hooks: [hook("again", { onError: () => ({ retry: true }) })],
    });
    expect(result.status).not.toBe("completed");
    expect(model.requests.length).toBeLessThan(30);
  });

  test("afterExecution sees how it ended, also after a failure, and what it writes is kept", async () => {
    const outcomes: string[] = [];
    const looks = hook("looks", {
      ...{ state: toolState, writes: ["name"] },
      afterExecution: ({ execution }) => (outcomes.push(statusOf(execution)), { delta: { name: statusOf(execution) } }),
    });
    const { session } = await play(["Hi."], { hooks: [looks] });
    expect((await session.state()).document).toMatchObject({ name: "completed" });
    await play([{ error: new ThroughlineError("model.failed") }], { hooks: [looks] });
    await play(() => calling(["add"]), { tools: [noting("add").tool], hooks: [looks], exit: exitOn.text }, { steps: 1 });
    expect(outcomes).toEqual(["completed", "failed", "stopped"]);
  });
});
