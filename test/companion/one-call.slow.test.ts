/** One call before the first word: what happens if one of the two calls fails, hangs, is malformed or is late. Over HTTP, against a stub server. */
import {
  createRuntime,
  openaiCompatible,
  openStore,
  scripted,
  type JsonObject,
  type ModelRequest,
  type Runtime,
  type Session,
  type Store,
} from "throughline";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import type { CompanionOutput } from "../../packages/companion/src/companion-state.ts";
import { type ReceivedCall, startStub, type StubAnswer } from "../../scripts/companion/stub-provider.ts";
import { calm, callOf, control, styledAs, triaged } from "./support.ts";

const verdict = (level: number): JsonObject => ({
  ...{ level, confidence: "high", risk_types: level === 0 ? [] : ["suicide"], subject: "self", reason_code: level === 0 ? "none" : "ideation" },
  evidence_span: "",
});
const dispatch: JsonObject = { ...triaged(), ...styledAs("reflective"), tools: [] };
const down: StubAnswer = { status: 500, body: {} };

/** A companion whose models are a stub server. */
async function opened(answers: Readonly<Record<string, StubAnswer | ((call: ReceivedCall) => StubAnswer)>>) {
  const stub = await startStub((call) => {
    const given = call.name in answers ? answers[call.name] : { safety_verdict: verdict(0), dispatch, reply: "I hear you." }[call.name];
    return typeof given === "function" ? given(call) : given;
  });
  const store: Store = await openStore(":memory:");
  const model = openaiCompatible({ baseURL: stub.baseURL, model: "stub", retries: 0 });
  const agents = [createCompanion({ models: { control: model }, dispatchMs: 60_000 })];
  const runtime: Runtime = await createRuntime({ store, agents });
  onTestFinished(async () => {
    await runtime.close({ drainMs: 0 });
    await store.close();
    await stub.close();
  });
  const session: Session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
  const say = async (text: string) => {
    stub.begin();
    const { output, reply = "" } = await session.send(text);
    return { output: output as unknown as CompanionOutput, reply, calls: stub.calls.map(({ name }) => name) };
  };
  return { stub, say, session };
}

describe("one call before the first word", () => {
  it("triage decides although the classifier fails", async () => {
    const { say } = await opened({ safety_verdict: down });
    const { output, calls } = await say("We meet at the notary tomorrow");
    expect(calls).toContain("dispatch");
    expect(output).toMatchObject({ route: "therapeutic", response_style: "reflective", diagnostics: { triage_route: "therapeutic" } });
  });

  it("the classifier decides although triage fails, and talk is supportive", async () => {
    const { say } = await opened({ dispatch: down });
    const { output, reply } = await say("We meet at the notary tomorrow");
    expect(reply).toBe("I hear you.");
    expect(output).toMatchObject({ crisis: { level: 0 }, response_style: "supportive", diagnostics: { triage_fallback_reason: "model.failed" } });
  });

  it.each([1, 2, 3])("a verdict of %i waits for no triage that hangs", async (level) => {
    const { say } = await opened({
      dispatch: undefined,
      safety_verdict: verdict(level),
      reply: "I am glad that you told me. Are you thinking about suicide?",
    });
    const { output, reply, calls } = await say("It was one of those evenings by the water");
    expect(output.crisis.level).toBe(level);
    expect(output.diagnostics["triage_route"]).toBeUndefined();
    expect(reply).not.toBe("");
    expect(calls).toContain("dispatch");
  });

  it("a malformed answer is sent back once with what is wrong", async () => {
    let asked = 0;
    const { say, stub } = await opened({ dispatch: () => ((asked += 1) === 1 ? '{"route":"elsewhere"}' : dispatch) });
    expect((await say("We meet at the notary tomorrow")).output.response_style).toBe("reflective");
    const sent = stub.calls.filter(({ name }) => name === "dispatch").map(({ body }) => JSON.stringify(body["messages"]));
    expect(sent).toHaveLength(2);
    expect(sent[1]).toContain("does not fit the schema at /route");
  });

  it("after three failures in a row triage is asked no more", async () => {
    const { say } = await opened({ dispatch: down });
    for (let turn = 0; turn < 3; turn += 1) expect((await say("We meet at the notary tomorrow")).calls).toContain("dispatch");
    const { output, calls, reply } = await say("And the day after");
    expect(calls).toEqual(["safety_verdict", "reply"]);
    expect(output.diagnostics).toMatchObject({ triage_fallback_reason: "breaker_open" });
    expect(reply).toBe("I hear you.");
  });

  it("no reply is asked for before the verdict, however quick triage is", async () => {
    const { promise: judged, resolve: judge } = Promise.withResolvers<void>();
    const { promise: triagedNow, resolve: triage } = Promise.withResolvers<void>();
    const models = {
      control: control({ triage: () => (triage(), triaged()), style: styledAs("reflective") }),
      response: scripted(() => "I hear you."),
      classifier: { ...calm, classify: async (...given: Parameters<typeof calm.classify>) => (await judged, calm.classify(...given)) },
    };
    const store = await openStore(":memory:");
    const runtime = await createRuntime({ store, agents: [createCompanion({ models })] });
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
    const sent = session.send("We meet at the notary tomorrow");
    await triagedNow;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(models.response.requests).toHaveLength(0);
    judge();
    expect((await sent).reply).toBe("I hear you.");
    expect(models.control.requests.map(callOf)).toEqual(["dispatch"]);
    await runtime.close();
    await store.close();
  });

  it("a process that dies between the calls asks them again, and a message is answered once", async () => {
    const store = await openStore(":memory:");
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const asked: string[] = [];
    const models = (hang: boolean) => ({
      control: control({
        triage: () => (asked.push("triage"), triaged()),
        style: styledAs("reflective"),
      }),
      response: hang
        ? {
            name: "hangs",
            stream: async function* (request: ModelRequest) {
              reach();
              await new Promise(() => {});
              yield* scripted(["never"]).stream(request, { signal: new AbortController().signal });
            },
          }
        : scripted(() => "I hear you."),
      classifier: calm,
    });
    const options = { store, leaseMs: 500, heartbeatMs: 100, pollMs: 50 };
    const dying = await createRuntime({ ...options, agents: [createCompanion({ models: models(true) })] });
    const session = await dying.sessions.open({ agent: "companion", customer: "ada" });
    const { offset } = await session.post("We meet at the notary tomorrow");
    await reached;
    await dying.close({ drainMs: 0 });
    const next = await createRuntime({ ...options, agents: [createCompanion({ models: models(false) })] });
    const resumed = await next.sessions.get(session.id);
    expect(await resumed.outcome(offset)).toMatchObject({ reply: "I hear you.", output: { response_style: "reflective" } });
    expect((await resumed.messages()).filter(({ role }) => role === "assistant").map(({ text }) => text)).toEqual(["I hear you."]);
    expect(asked.length).toBeLessThanOrEqual(2);
    await next.close();
    await store.close();
  });
});

/** Faults of a schema against the strict subset of OpenAI's structured outputs. */
function faultsIn(schema: unknown, path = ""): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((one, index) => faultsIn(one, `${path}/${index}`));
  if (typeof schema !== "object" || schema === null) return [];
  const found: string[] = [];
  const { properties, required, additionalProperties, type } = schema as Readonly<Record<string, unknown>>;
  const allowed = new Set([
    "type",
    "properties",
    "required",
    "additionalProperties",
    "enum",
    "const",
    "items",
    "anyOf",
    "description",
    "title",
    "$ref",
    "$defs",
  ]);
  for (const [name, value] of Object.entries(schema)) {
    if (!allowed.has(name)) found.push(`${path}/${name}`);
    if (name === "properties" || name === "$defs")
      for (const [member, one] of Object.entries(value as object)) found.push(...faultsIn(one, `${path}/${name}/${member}`));
    else if (name === "items" || name === "anyOf") found.push(...faultsIn(value, `${path}/${name}`));
  }
  if (type === "object") {
    if (additionalProperties !== false) found.push(`${path}: open`);
    if (JSON.stringify(Object.keys(properties as object)) !== JSON.stringify(required)) found.push(`${path}: not all required`);
  }
  return found;
}

it("every schema that is sent fits the strict subset", async () => {
  const lookup = { ...dispatch, route: "grounded_lookup", query: "How long does caffeine stay in the body?" };
  const search = { status: "search", search_query: "caffeine", answer: "", reasoning: "" };
  const sent = new Map<string, unknown>();
  const { say, stub, session } = await opened({
    dispatch: ({ body }) => {
      const text = JSON.stringify(body["messages"]);
      const practice = { ...dispatch, route: "guided_exercise", exercise_start_basis: "explicit_user_request" };
      return text.includes("some practice") ? practice : text.includes("caffeine") ? lookup : dispatch;
    },
    lookup_preflight: search,
    lookup_answer: { status: "no_verified_answer", answer: "", sources: [], source_quality: "none", reasoning: "" },
    exercise_selection: { exercise_type: "grounding_box_breathing", confidence: "high", reasoning: "" },
    exercise_reply: { result: "hold", reasoning: "" },
    structured: { facts: [], rules: [], arc: null, reason: "" },
  });
  const collect = (): void => {
    for (const { name, body } of stub.calls) {
      const format = body["response_format"] as { readonly json_schema: { readonly strict?: boolean; readonly schema: unknown } } | undefined;
      if (format === undefined) continue;
      sent.set(`${name} ${JSON.stringify(format.json_schema.schema).length}`, format.json_schema.schema);
      expect([name, format.json_schema.strict]).toEqual([name, true]);
    }
  };
  for (const message of [
    "My sister Ana came by",
    "How long does caffeine stay in the body?",
    "I would like some practice with you",
    "Hm, in a way, my thoughts went to the garden",
  ]) {
    await say(message);
    collect();
  }
  stub.begin();
  await session.closeEpisode();
  collect();
  const names = [...sent.keys()].map((key) => key.split(" ")[0] ?? "");
  expect(new Set(names)).toEqual(
    new Set(["safety_verdict", "dispatch", "lookup_preflight", "lookup_answer", "exercise_selection", "exercise_reply", "structured"]),
  );
  for (const [name, schema] of sent) expect([name, faultsIn(schema)]).toEqual([name, []]);
});
