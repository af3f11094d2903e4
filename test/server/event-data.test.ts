import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { stepIdOf, turnIdOf, type SessionId } from "../../src/kernel/id.ts";
import type { PatchOperation } from "../../src/kernel/json-patch.ts";
import { wireEvent } from "../../src/protocol/event.ts";
import { assessment } from "../../src/protocol/safety.ts";
import type { AssessmentRecord } from "../../src/safety/assessment.ts";
import type {
  AssessmentData,
  Decision,
  MessageData,
  Outcome,
  PendingCall,
  SessionData,
  StateData,
  StatusData,
  ToolData,
  ToolResult,
  TurnData,
  UsageData,
  Writer,
} from "../../src/session/event.ts";
import type { Handover } from "../../src/store/port.ts";

/** Every member is there, also those that may be left out. */
type Whole<Value> = { readonly [Member in keyof Value]-?: Exclude<Value[Member], undefined> };
/** One value of each type of a union, with every member: the compiler asks for what is new. */
type OfEach<Union extends { readonly type: string }> = { readonly [Type in Union["type"]]: Whole<Extract<Union, { readonly type: Type }>> };

const session_id = "ses_00000000000000000000000000" as SessionId;
const turn_id = turnIdOf(session_id, 1);
const step_id = stepIdOf(1);
const error = { code: "internal", message: "m", hint: "h" } as const;
const detailed = { ...error, details: { tool: "t" } } as const;
const parts = [
  { type: "text", text: "hi" },
  { type: "json", value: { a: 1 } },
] as const;
const patch: readonly PatchOperation[] = [
  { op: "add", path: "/a", value: 1 },
  { op: "replace", path: "/a", value: null },
  { op: "test", path: "/a", value: null },
  { op: "remove", path: "/a" },
  { op: "move", from: "/a", path: "/b" },
  { op: "copy", from: "/b", path: "/c" },
];
const usage: Whole<UsageData> = { input: 1, output: 1, cache_write: 1, cache_read: 1, reasoning: 1 };
const handover: Whole<Handover> = { status: "assigned", since: 1, operator: "o", reason: "r", alert: 1 };
const control = { reply: "r", mode: "manual", handover: { operator: "o", reason: "r", alert: 1 }, memory: "skip" } as const;
const call = { call_id: "c", name: "n", arguments: { a: 1 } };

const message: Whole<MessageData> = {
  role: "assistant",
  parts,
  participant: { id: "p", display_name: "P" },
  origin: { agent_id: "a", step_id, is_trace: true, stands_in: true },
  input: { a: 1 },
  start: { a: 1 },
  flagged: ["f"],
  calls: [{ ...call, malformed: "{" }],
  redacted: true,
};
const results: OfEach<ToolResult> = {
  ok: { type: "ok", value: 1, shown: parts, not_stored: detailed },
  error: { type: "error", error: detailed },
  blocked: { type: "blocked", by: "h", reason: "r" },
  skipped: { type: "skipped", reason: "r" },
  unknown: { type: "unknown" },
};
const returned: OfEach<ToolData>["returned"] = {
  type: "returned",
  call_id: "c",
  result: results.ok,
  ms: 1,
  child: session_id,
  spent: { steps: 1, attempts: 1, tokens: usage, active_ms: 1, cost: 1 },
  control,
};
const tools: OfEach<ToolData> = { called: { type: "called", ...call, key: "k", effects: "once" }, returned };
const status: Whole<StatusData> = { status: "error", stage: "s", error, data: { a: 1 } };
const writers: OfEach<Writer> = {
  input: { type: "input" },
  stage: { type: "stage", name: "s" },
  tool: { type: "tool", name: "t", call_id: "c" },
  hook: { type: "hook", name: "h" },
  operator: { type: "operator", name: "o" },
  withdrawal: { type: "withdrawal", from: 1 },
  migration: { type: "migration", from: 1, to: 2 },
};
const state: Whole<StateData> = { patch, writer: writers.input, definition: 1 };
const pending: Whole<PendingCall> = {
  ...call,
  kind: "question",
  question: "q",
  index: 0,
  arguments_hash: "h",
  by: "t",
  expires_at: 1,
  child: session_id,
};
const decisions: OfEach<Decision> = {
  approve: { type: "approve" },
  edit: { type: "edit", arguments: { a: 1 } },
  answer: { type: "answer", answer: 1 },
  reject: { type: "reject", feedback: "f", cause: "person" },
};
const ended_by = { call_id: "c", name: "n" };
const outcomes: readonly Outcome[] = [
  { status: "completed", ended_by },
  { status: "stopped", reason: "r", message: "m", ended_by },
  { status: "failed", error },
];
const versions = { agent: 1, state: 1, variables: 1, session_variables: 1, agent_variables: 1 };
const ended: OfEach<TurnData>["ended"] = { type: "ended", outcome: { status: "failed", error }, diagnostics: { turn_total_ms: 1 } };
const decided: OfEach<TurnData>["decided"] = {
  type: "decided",
  call_id: "c",
  index: 0,
  arguments_hash: "h",
  decision: decisions.approve,
  by: "b",
};
const turns: OfEach<TurnData> = {
  started: { type: "started", cause: "message", answers: [1], retries: [1], versions, stale: ["v"], refreshed: { v: 1 } },
  stage: { type: "stage", name: "s", patch, ms: 1, control, recall: { a: 1 }, assessment: { a: 1 } },
  fields: { type: "fields", patch },
  step: { type: "step", step_id, model: "m", usage, finish_reason: "stop", ms: 1, cost: 1 },
  spent: { type: "spent", model: "m", usage, ms: 1, cost: 1 },
  attempt: { type: "attempt", step_id, error, ms: 1 },
  merged: { type: "merged", step_id, calls: ["c"], ms: 1 },
  signal: { type: "signal", reason: "r", message: "m", source: "s", context: { a: 1 } },
  continue: { type: "continue", step_id, source: "s", waives: ["w"] },
  paused: { type: "paused", step_id, pending: [pending] },
  decided,
  ended,
};
const sessions: OfEach<SessionData> = {
  created: {
    type: "created",
    agent: "a",
    definition: 1,
    state: { a: 1 },
    episode: 1,
    parent: { session_id, turn_id, call_id: "c", depth: 1, budget: { steps: 1 } },
  },
  mode: { type: "mode", mode: "manual", handover, by: "b" },
  handover: { type: "handover", handover, by: "b" },
  episode: { type: "episode", closed: 1, opened: 2, reason: "silence" },
  remembered: { type: "remembered", episode: 1, counts: { added: 1 } },
  title: { type: "title", title: null },
  withdrawn: { type: "withdrawn", from: 1, effects: ["e"] },
  identified: { type: "identified", customer_id: "c", carried: { variables: ["a"], kept: ["b"], entries: 1 } },
  redacted: { type: "redacted", offsets: [1] },
  consent: { type: "consent", given: true, text_version: "1", purpose: "service" },
  disclosure: { type: "disclosure", reason: "interval", text: "t", suggests_break: true },
  forked: { type: "forked", at: 1 },
};
const assessed: Whole<AssessmentData> = { audit_id: "a", level: 2 };

const cases: readonly (readonly [kind: string, data: object])[] = [
  ["message", message],
  ...Object.values(results).map((result) => ["tool", { ...returned, result }] as const),
  ...Object.values(tools).map((data) => ["tool", data] as const),
  ["status", status],
  ...Object.values(writers).map((writer) => ["state", { ...state, writer }] as const),
  ["custom", { value: { any: ["JSON"] } }],
  ...Object.values(decisions).map((decision) => ["turn", { ...decided, decision }] as const),
  ...outcomes.map((outcome) => ["turn", { ...ended, outcome }] as const),
  ...Object.values(turns).map((data) => ["turn", data] as const),
  ...Object.values(sessions).map((data) => ["session", data] as const),
  ["assessment", assessed],
];

const record: Whole<AssessmentRecord> = {
  audit_id: "a",
  at: 1,
  level: 2,
  level_deterministic: 1,
  level_llm: 2,
  confidence: "high",
  risk_types: ["suicide"],
  subject: "self",
  override: "raised",
  reason_code: "ideation",
  path: "union",
  quality: "full",
  matches: ["m"],
  language: "en",
  subject_ref: "s",
  session_ref: "s",
  turn_ref: "t",
  agent: "a",
  policy_version: "1",
  pack_versions: { en: "1" },
  classifier: "c",
  prompt_version: "1",
  gate_ms: 1,
  deterministic_ms: 1,
  llm_ms: 1,
  action: "none",
  lookup_status: "found",
  region: "DE",
  resources_shown: ["r"],
  resources_version: "1",
  guarded: ["g"],
  reply_completed: true,
  escalation: "queued",
  incognito: true,
  hold: { until: 1, reason: "r" },
};

/** What a schema reads of a value: members that it does not describe are left out. */
const readBy = (schema: z.ZodType, value: object): unknown => schema.parse(JSON.parse(JSON.stringify(value)));

const eventOf = (kind: string, data: object): object => ({
  ...{ session_id, offset: 1, id: "evt_1", source: "system", trace_id: "0".repeat(32), turn_id, created_at: 1 },
  ...{ kind, data },
});

describe("the schema of an event", () => {
  it.each(cases)("describes every member of a %s: %j", (kind, data) => {
    expect(readBy(wireEvent, eventOf(kind, data))).toEqual(eventOf(kind, data));
  });

  it.each(cases.filter(([kind]) => kind !== "custom"))("takes no member that a %s does not have: %j", (kind, data) => {
    expect(readBy(wireEvent, eventOf(kind, { ...data, unheard_of: 1 }))).toEqual(eventOf(kind, data));
  });
});

it("the schema of a kept assessment describes every member, and takes no other", () => {
  expect(readBy(assessment, { ...record, unheard_of: 1 })).toEqual(record);
});
