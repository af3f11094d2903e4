import { describe, expect, test } from "vitest";
import { z } from "zod";
import { eventIdOf, turnIdOf, type SessionId, type TraceId } from "../../packages/throughline/src/kernel/id.ts";
import { wireEvent, type WireEvent } from "../../packages/server/src/protocol/wire-event.ts";
import type { Scope } from "../../packages/server/src/protocol/wire-auth.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import type { Principal } from "../../packages/server/src/server/principal.ts";
import { toWireEvent } from "../../packages/server/src/server/to-wire.ts";
import type { Event, EventDataByKind } from "../../packages/throughline/src/session/event.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, reduced } from "../../packages/throughline/src/state/field.ts";
import type { EventSource } from "../../packages/throughline/src/store/port.ts";
import { kindsFor } from "../../packages/server/src/server/delivery/event-reader.ts";
import { createKey } from "../../packages/server/src/server/auth/api-keys.ts";
import { eventsIn, openReader, pageIn, problemIn } from "../setup/event-reader.ts";
import { send, startServer } from "../setup/server.ts";
import { collect, started } from "../runtime/harness.ts";

const state = defineState({ message: input(z.string()), mood: reduced(z.string(), { show: "public" }), secret: reduced(z.string()) });
const agent = defineAgent({ name: "a1", version: 1, state, reply: loop({ model: scripted(() => "hello") }) });
const service = { agents: new Map([[agent.name, agent]]) };
const session_id = "ses_00000000000000000000000000" as SessionId;

const key = (...scopes: readonly Scope[]): Principal => ({ type: "key", id: "k", name: "k", scopes: new Set(["sessions:read", ...scopes] as const) });
const customer = { type: "customer", customer: "c1", version: "v", expires_at: 0 } as const satisfies Principal;
const onBehalf: Principal = { type: "stream", sessions: [session_id], behalf: customer };

function event<Kind extends keyof EventDataByKind>(kind: Kind, data: EventDataByKind[Kind], source: EventSource = "ai_agent"): Event {
  const id = eventIdOf(session_id, 1);
  const common = { session_id, offset: 1, id, source, trace_id: "0".repeat(32) as TraceId, turn_id: turnIdOf(session_id, 1), created_at: 1 };
  return { ...common, origin: "ses_canary" as SessionId, metadata: { note: "canary" }, kind, data } as unknown as Event;
}

const shown = (principal: Principal, given: Event, name = "a1"): WireEvent | undefined => {
  const wire = toWireEvent(service, principal, name, given);
  if (wire !== undefined) expect(wireEvent.parse(JSON.parse(JSON.stringify(wire)))).toEqual(wire);
  return wire;
};

const said = { role: "assistant", parts: [{ type: "text", text: "hi" }] } as const;
const origin = { agent_id: "canary", step_id: "stp_canary" } as never as { agent_id: string; step_id: never };
const error = { code: "internal", message: "canary", hint: "canary", details: { stack: "canary" } } as const;
const handover = { status: "assigned", since: 1, operator: "canary", reason: "canary", alert: 2 } as const;
const patch = [
  { op: "add", path: "/mood", value: "calm" },
  { op: "add", path: "/secret", value: "canary" },
] as const;

describe("a customer is shown", () => {
  const cases: readonly (readonly [string, Event, unknown])[] = [
    [
      "their message, without what came with it",
      event(
        "message",
        {
          ...said,
          role: "user",
          participant: { id: "c1", display_name: "Ada" },
          input: { x: "canary" },
          start: { x: "canary" },
          flagged: ["canary"],
        },
        "customer",
      ),
      { role: "user", parts: said.parts, participant: { id: "c1", display_name: "Ada" } },
    ],
    ["the reply", event("message", { ...said, origin }), said],
    ["the apology", event("message", { ...said, origin: { ...origin, is_trace: true, stands_in: true } }), said],
    [
      "a person's message by name, not by id",
      event("message", { ...said, participant: { id: "canary", display_name: "Bo" } }, "human_agent"),
      { ...said, participant: { display_name: "Bo" } },
    ],
    ["no work", event("message", { ...said, origin: { ...origin, is_trace: true }, calls: [] }), undefined],
    ["nothing that a system says", event("message", { ...said, role: "system" }, "system"), undefined],
    ["what the agent does, not where or why", event("status", { status: "error", stage: "canary", error }), { status: "error" }],
    ["public state, not who wrote it", event("state", { patch, writer: { type: "operator", name: "canary" }, definition: 1 }), { patch: [patch[0]] }],
    ["no state that is not public", event("state", { patch: [patch[1]], writer: { type: "input" }, definition: 1 }), undefined],
    ["no call", event("tool", { type: "called", call_id: "1", name: "canary", arguments: {}, key: "k", effects: "none" }), undefined],
    ["no turn", event("turn", { type: "ended", outcome: { status: "completed" }, diagnostics: {} }), undefined],
    ["no assessment", event("assessment", { audit_id: "canary", level: 3 }), undefined],
    ["what their own page posted", event("custom", { value: 1 }, "customer_ui"), { value: 1 }],
    ["nothing that others posted", event("custom", { value: "canary" }, "system"), undefined],
    [
      "that the session began",
      event("session", { type: "created", agent: "a1", definition: 1, state: { mood: "x", secret: "canary" }, episode: 1 }, "system"),
      { type: "created", agent: "a1", episode: 1 },
    ],
    ["who answers, not why", event("session", { type: "mode", mode: "manual", handover, by: "canary" }, "system"), { type: "mode", mode: "manual" }],
    ["no change of hands", event("session", { type: "handover", handover }, "system"), undefined],
    ["what was taken back", event("session", { type: "withdrawn", from: 3, effects: ["canary"] }, "system"), { type: "withdrawn", from: 3 }],
    ["what was forgotten", event("session", { type: "redacted", offsets: [3] }, "system"), { type: "redacted", offsets: [3] }],
    ["the title", event("session", { type: "title", title: "T" }, "system"), { type: "title", title: "T" }],
    ["nobody's id", event("session", { type: "identified", customer_id: "canary" }, "system"), undefined],
    ["no other session", event("session", { type: "forked", at: 1 }, "system"), undefined],
  ];
  test.each(cases)("%s", (_name, given, data) => {
    for (const principal of [customer, onBehalf]) {
      const wire = shown(principal, given);
      expect(wire?.data).toEqual(data);
      expect(JSON.stringify(wire ?? null)).not.toContain("canary");
    }
  });

  test("kinds of which there is something for them, whatever is asked", () => {
    expect(kindsFor(customer, undefined)).toEqual(["message", "status", "custom", "state", "session"]);
    expect(kindsFor(customer, ["turn", "assessment", "message"])).toEqual(["message"]);
  });
});

describe("a key is shown", () => {
  test("metadata, state and assessments by scope", () => {
    const message = event("message", said);
    expect(shown(key(), message)).not.toHaveProperty("metadata");
    expect(shown(key("metadata:read"), message)?.metadata).toEqual({ note: "canary" });
    expect(shown({ type: "local" }, message)?.metadata).toEqual({ note: "canary" });
    const change = event("state", { patch, writer: { type: "stage", name: "s" }, definition: 1 });
    expect(shown(key(), change)?.data).toMatchObject({ patch: [patch[0]], writer: { name: "s" } });
    expect(shown(key("state:read"), change)?.data).toMatchObject({ patch });
    // Which fields are public nobody knows of an agent that is not here.
    expect(shown(key(), change, "unknown")).toBeUndefined();
    const created = event("session", { type: "created", agent: "a1", definition: 1, state: { mood: "x", secret: "y" }, episode: 1 });
    expect(shown(key(), created)?.data).toMatchObject({ state: { mood: "x" } });
    expect(shown(key(), created)?.data).not.toHaveProperty("state.secret");
    expect(shown(key("state:read"), created)?.data).toMatchObject({ state: { secret: "y" } });
    expect(shown(key(), event("assessment", { audit_id: "a", level: 3 }))).toBeUndefined();
    expect(shown(key("safety:read"), event("assessment", { audit_id: "a", level: 3 }))?.data).toEqual({ audit_id: "a", level: 3 });
  });

  test("errors by code and sentence, without what code of the agent's own put in", () => {
    expect(shown(key("admin"), event("status", { status: "error", error }))?.data).toEqual({
      status: "error",
      error: { code: "internal", message: "canary", hint: "canary" },
    });
  });

  test("the same in the events of turns", () => {
    const told = { code: "internal", message: "canary", hint: "canary" };
    const ended = event("turn", { type: "ended", outcome: { status: "failed", error }, diagnostics: {} });
    expect(shown(key("admin"), ended)?.data).toMatchObject({ outcome: { status: "failed", error: told } });
    const attempt = event("turn", { type: "attempt", step_id: "stp_1" as never, error, ms: 1 });
    for (const given of [ended, attempt]) expect(JSON.stringify(shown(key("admin"), given))).not.toContain("stack");
    expect(shown(key(), attempt)?.data).toMatchObject({ error: told });
  });

  test("of the fields that live for a turn what is public, unless they may read state", () => {
    const given = [
      [event("turn", { type: "stage", name: "s", patch, ms: 1 }), { type: "stage", name: "s", patch: [patch[0]], ms: 1 }],
      [event("turn", { type: "fields", patch: [patch[1]] }), { type: "fields", patch: [] }],
      [event("turn", { type: "stage", name: "s", ms: 1 }), { type: "stage", name: "s", ms: 1 }],
    ] as const;
    for (const [turn, data] of given) {
      expect(shown(key(), turn)?.data).toEqual(data);
      expect(shown(key("state:read"), turn)?.data).toEqual(turn.data);
    }
  });

  test("turns when they are asked for, and assessments only with their scope", async () => {
    expect(kindsFor(key(), undefined)).toEqual(["message", "tool", "status", "custom", "state", "session"]);
    expect(kindsFor(key("safety:read"), undefined)).toContain("assessment");
    expect(kindsFor(key(), ["turn"])).toEqual(["turn"]);
  });
});

test("the apology of a turn that failed is said to its customer", async () => {
  const failing = defineAgent({
    name: "a1",
    version: 1,
    state,
    reply: loop({
      model: scripted(() => {
        throw new Error("down");
      }),
    }),
  });
  const runtime = await started({ agents: [failing] });
  const session = await runtime.sessions.create({ agent: "a1" });
  await session.send("hi");
  const texts = (await collect(session, { kinds: ["message"] })).map((given) => shown(customer, given)?.data["parts" as never]);
  expect(texts).toEqual([[{ type: "text", text: "hi" }], [{ type: "text", text: failing.apology.failed }]]);
});

test("a customer's token reads the customer's own sessions, each way, and none of the work of child agents", async () => {
  const { runtime, store, url } = await startServer();
  const { key: admin } = await createKey(store, { name: "admin", scopes: ["admin"] });
  const own = await runtime.sessions.open({ agent: "a1", customer: "c1" });
  await own.send("hi");
  await own.postOperator("hello", { name: "Bo" });
  const work = await runtime.sessions.create({ agent: "a1", customer: "c1" });
  // As the runtime makes them.
  await store.commit({ commit_id: "work", at: 1, session: { session_id: work.id, header: { labels: ["subagent"] } } });
  const foreign = await runtime.sessions.open({ agent: "a1", customer: "c2" });
  const granted = await send(url, "POST", "/v1/tokens", { customer_id: "c1" }, { authorization: `Bearer ${admin}` });
  const token = z.object({ token: z.string() }).parse(granted.body).token;
  const browser = { authorization: `Bearer ${token}` };
  const page = await send(url, "GET", `/v1/sessions/${own.id}/events`, undefined, browser);
  const readers = [
    await openReader(url, `/v1/sessions/${own.id}/events`, { headers: browser }),
    await openReader(url, `/v1/stream?sessions=${own.id}`, { headers: browser }),
  ];
  for (const { frames } of readers) await expect.poll(() => eventsIn(frames)).toEqual(pageIn(page).items);
  expect(pageIn(page).items.map(({ kind }) => kind)).toEqual(["session", "message", "status", "status", "status", "message", "status", "message"]);
  expect(page.text).not.toMatch(/metadata|definition|stage|origin|step_id/);
  for (const path of [`/v1/sessions/${work.id}/events`, `/v1/sessions/${foreign.id}/events`, `/v1/stream?sessions=${own.id},${foreign.id}`]) {
    for (const accept of ["application/json", "text/event-stream"]) {
      const refused = await send(url, "GET", path, undefined, { ...browser, accept });
      expect([path, refused.status, problemIn(refused).code]).toEqual([path, 404, "session.not_found"]);
    }
  }
  const none = await send(url, "GET", `/v1/sessions/${own.id}/events?kinds=tool,turn,assessment`, undefined, browser);
  expect(pageIn(none)).toEqual({ items: [], next_offset: pageIn(page).head + 1, head: pageIn(page).head });
  const withdrawn = await send(url, "GET", `/v1/sessions/${own.id}/events?withdrawn=true`, undefined, browser);
  expect([withdrawn.status, problemIn(withdrawn).code]).toEqual([403, "auth.forbidden"]);
  const nobody = await send(url, "GET", `/v1/sessions/${own.id}/events`, undefined, { accept: "text/event-stream" });
  expect([nobody.status, problemIn(nobody).code]).toEqual([401, "auth.required"]);
});
