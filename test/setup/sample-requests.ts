/** One request of each operation that is answered well, and a service whose rows it is about. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { recentMessages } from "../../packages/throughline/src/context/section.ts";
import { memory } from "../../packages/throughline/src/memory/memory-extension.ts";
import { scripted } from "../../packages/throughline/src/model/scripted.ts";
import type { OperationId } from "../../packages/server/src/protocol/operations.ts";
import { defineRoutine } from "../../packages/throughline/src/routines/routine.ts";
import { routineFields } from "../../packages/throughline/src/routines/position.ts";
import { routines } from "../../packages/throughline/src/routines/routines-extension.ts";
import type { Agent } from "../../packages/throughline/src/runtime/agent/agent.ts";
import { defineAgent } from "../../packages/throughline/src/runtime/agent/define-agent.ts";
import { loop } from "../../packages/throughline/src/runtime/loop/loop.ts";
import { defineState } from "../../packages/throughline/src/state/define.ts";
import { input, reduced } from "../../packages/throughline/src/state/field.ts";
import { defineReducer } from "../../packages/throughline/src/state/reducer.ts";
import { counter } from "../../packages/throughline/src/state/reducers.ts";
import { defineTool } from "../../packages/throughline/src/tools/define-tool.ts";
import type { TestServer } from "./server.ts";

/** A request without its host. */
export interface Sample {
  readonly path: string;
  readonly body?: unknown;
}

const broken = defineReducer<string>({
  name: "broken",
  version: 1,
  reduce: () => {
    throw new Error("canary-reducer");
  },
});

const state = defineState({
  message: input(z.string()),
  tier: input(z.enum(["gold", "silver"]).optional()),
  note: reduced(z.string(), { show: "public" }),
  opening: reduced(z.string(), { start: true, show: "output" }),
  hits: reduced(z.number(), { reduce: counter(), start: true }),
  broken: reduced(z.string(), { reduce: broken, start: true }),
  secret: reduced(z.string()),
});

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ amount: z.number() }),
  effects: "once",
  approval: true,
  execute: ({ amount }) => ({ paid: amount }),
});

/** Answers a message m with `re:m`, fails at `fail`, and asks before it pays at `pay`; it remembers people, unless it is told not to. */
export const clerkOf = (version: number, { remembers = true }: { readonly remembers?: boolean } = {}): Agent =>
  defineAgent({
    name: "clerk",
    version,
    waitingLimit: 3,
    state,
    stages: [],
    reply: loop({
      model: scripted(({ messages }) => {
        const text = messages.at(-1)?.text ?? "";
        if (text === "fail") return { error: new Error("canary-model") };
        return text === "pay" ? { calls: [{ call_id: "m0", name: "pay", arguments: { amount: 5 } }] } : `re:${text}`;
      }),
      tools: [pay],
    }),
    sections: [recentMessages],
    ...(remembers ? { memory: memory() } : {}),
    keepRequests: true,
  });

/** The version of it that the rows are made by. */
export const clerk = clerkOf(2);

const runs = defineState({ message: input(z.string()), ...routineFields() });
const autonomous = { callback_hosts: ["desk.example.com"] };

/** The routines of {@link runner}. */
export const runnerRoutines = routines({
  routines: [
    defineRoutine({
      ...{ id: "instant", title: "Instant", state: runs, autonomous },
      input: z.object({ n: z.string() }),
      output: z.object({ n: z.string() }),
      nodes: { emit: { emit_output: { output: ({ input: given }) => ({ n: given.n }) } } },
    }),
    defineRoutine({
      ...{ id: "patient", title: "Patient", state: runs, autonomous },
      nodes: { hold: { wait: { event: "parcel" }, next: "end" } },
    }),
    defineRoutine({ id: "talk", title: "Talk", state: runs, nodes: { ask: { chat: { instructions: "Ask." }, next: "end" } } }),
  ],
});

/** Runs routines: one that is over at once, and one that waits. */
export const runner = defineAgent({
  name: "runner",
  state: runs,
  extensions: [runnerRoutines],
  reply: loop({ model: scripted(() => "nothing") }),
});

/** The agents that the rows need. */
export const sampleAgents = [clerk, runner] as const;

/** A bundle of sessions with this title: one anonymous session if nothing else is named. */
export function bundleWith(
  title: string,
  {
    customer = null,
    sessions = 1,
    from = 0,
  }: { readonly customer?: string | null; readonly sessions?: number; /** The first offset. */ readonly from?: number } = {},
): string {
  const trace_id = `${"0".repeat(31)}1`;
  const data = { type: "created", agent: "clerk", definition: 2, state: {}, episode: 1 };
  const session = (number: number): readonly object[] => [
    {
      ...{ type: "session", session_id: `ses_${String(number).padStart(26, "0")}`, agent: "clerk", agent_version: 2, mode: "auto", title },
      ...{ metadata: {}, labels: [], consumers: {}, episode: 1, created_at: 1, first_offset: from, head: from, waiting: [], turns: [] },
      ...(from === 0 ? {} : { base: {}, base_offset: from - 1 }),
    },
    { type: "event", offset: from, kind: "session", source: "system", trace_id, created_at: 1, version: 1, data },
  ];
  const lines = [
    { type: "bundle", format: "throughline-bundle/1", exported_at: 1, redacted: false },
    { type: "owner", customer_id: customer, name: null, metadata: {}, variables: {}, created_at: null },
    ...Array.from({ length: sessions }, (_, number) => session(number)).flat(),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  return text + JSON.stringify({ type: "end", lines: lines.length, sessions, events: sessions, sha256 });
}

/** Ids of rows that are there. */
export interface Fixture {
  readonly customer: string;
  readonly session: string;
  readonly turn: string;
  readonly job: string;
  /** A run that is over. */
  readonly run: string;
  /** Id of an API key. */
  readonly key: string;
  /** Id of an event that a webhook could not deliver, of a service with webhooks. */
  readonly letter?: string;
  /** Ids of facts that are remembered of the customer. */
  readonly facts: readonly string[];
  readonly pending: { readonly session: string; readonly turn: string; readonly call_id: string; readonly arguments_hash: string };
}

const encoded = encodeURIComponent;

/** A request of each operation. `n` tells several of them apart. */
export function samplesOf(
  { customer, session, turn, job, run, key, letter, facts, pending }: Fixture,
  n: string,
): Readonly<Record<OperationId, Sample>> {
  const of = `/v1/sessions/${session}`;
  const whose = `/v1/customers/${encoded(customer)}`;
  const agent = `/v1/agents/clerk`;
  const entry = (place: string, index: number): string => `${place}/memory/entries/${encoded(facts[index] ?? "")}`;
  return {
    createCustomer: { path: "/v1/customers", body: { id: `made-${n}` } },
    listCustomers: { path: "/v1/customers" },
    getCustomer: { path: whose },
    updateCustomer: { path: whose, body: { name: n } },
    eraseCustomer: { path: whose },
    previewCustomerErasure: { path: `${whose}/erasure` },
    exportCustomer: { path: `${whose}/exports` },
    getCustomerUsage: { path: `${whose}/usage` },
    getJob: { path: `/v1/jobs/${job}` },
    getJobResult: { path: `/v1/jobs/${job}/result` },
    listCustomerVariables: { path: `${whose}/variables` },
    updateCustomerVariables: { path: `${whose}/variables`, body: { known: n } },
    getCustomerVariable: { path: `${whose}/variables/known` },
    setCustomerVariable: { path: `${whose}/variables/known`, body: { value: n } },
    deleteCustomerVariable: { path: `${whose}/variables/gone` },
    listSessionVariables: { path: `${of}/variables` },
    updateSessionVariables: { path: `${of}/variables`, body: { known: n } },
    getSessionVariable: { path: `${of}/variables/known` },
    setSessionVariable: { path: `${of}/variables/known`, body: { value: n } },
    deleteSessionVariable: { path: `${of}/variables/gone` },
    listAgentVariables: { path: `${agent}/variables` },
    updateAgentVariables: { path: `${agent}/variables`, body: { known: n } },
    getAgentVariable: { path: `${agent}/variables/known` },
    setAgentVariable: { path: `${agent}/variables/known`, body: { value: n } },
    deleteAgentVariable: { path: `${agent}/variables/gone` },
    getCustomerMemory: { path: `${whose}/memory` },
    listCustomerMemory: { path: `${whose}/memory/entries` },
    findCustomerMemory: { path: `${whose}/memory/find?q=lemon` },
    recallCustomerMemory: { path: `${whose}/memory/recall`, body: { text: `lemon ${n}` } },
    getCustomerMemoryEntry: { path: entry(whose, 0) },
    listCustomerMemoryConflicts: { path: `${whose}/memory/conflicts` },
    exportCustomerMemory: { path: `${whose}/memory/export` },
    updateCustomerMemory: { path: `${whose}/memory`, body: { recall_enabled: n !== "again" } },
    addCustomerMemoryRule: { path: `${whose}/memory/rules`, body: { text: `Say ${n}.` } },
    addCustomerMemoryFact: { path: `${whose}/memory/facts`, body: { quote: `I like ${n}.` } },
    markCustomerMemoryEntry: { path: entry(whose, 0), body: { pinned: true, never_recall: n !== "other" } },
    correctCustomerMemoryEntry: { path: `${entry(whose, 1)}/correct`, body: { object: `thing ${n}` } },
    forgetCustomerMemoryEntry: { path: entry(whose, 2) },
    forgetCustomerMemory: { path: `${whose}/memory/forget`, body: { entry_ids: [facts[3]], messages: n === "other" } },
    clearCustomerMemory: { path: `${whose}/memory?kind=rule` },
    getSessionMemory: { path: `${of}/memory` },
    listSessionMemory: { path: `${of}/memory/entries` },
    findSessionMemory: { path: `${of}/memory/find?q=lemon` },
    recallSessionMemory: { path: `${of}/memory/recall`, body: { text: `lemon ${n}` } },
    getSessionMemoryEntry: { path: entry(of, 4) },
    listSessionMemoryConflicts: { path: `${of}/memory/conflicts` },
    exportSessionMemory: { path: `${of}/memory/export` },
    updateSessionMemory: { path: `${of}/memory`, body: { recall_enabled: n !== "again" } },
    addSessionMemoryRule: { path: `${of}/memory/rules`, body: { text: `Say ${n}.` } },
    addSessionMemoryFact: { path: `${of}/memory/facts`, body: { quote: `I like ${n}.` } },
    markSessionMemoryEntry: { path: entry(of, 4), body: { pinned: true, never_recall: n !== "other" } },
    correctSessionMemoryEntry: { path: `${entry(of, 5)}/correct`, body: { object: `thing ${n}` } },
    forgetSessionMemoryEntry: { path: entry(of, 6) },
    forgetSessionMemory: { path: `${of}/memory/forget`, body: { entry_ids: [facts[7]], messages: n === "other" } },
    clearSessionMemory: { path: `${of}/memory?kind=rule` },
    listAgents: { path: "/v1/agents" },
    getAgent: { path: agent },
    createSession: { path: "/v1/sessions", body: { agent: "clerk", customer_id: customer } },
    openSession: { path: "/v1/sessions/open", body: { agent: "clerk", customer_id: customer, key: n } },
    listSessions: { path: "/v1/sessions" },
    getSession: { path: of },
    updateSession: { path: of, body: { title: n } },
    deleteSession: { path: of },
    previewSessionErasure: { path: `${of}/erasure` },
    exportSession: { path: `${of}/export?redacted=true` },
    importBundle: { path: "/v1/sessions/import", body: { bundle: bundleWith(n) } },
    deleteSessions: { path: `/v1/sessions?customer_id=${encoded(customer)}` },
    endEpisode: { path: `${of}/end-episode` },
    closeEpisode: { path: `${of}/close-episode` },
    identifySession: { path: `${of}/identify`, body: { customer_id: customer } },
    forkSession: { path: `${of}/fork`, body: { title: n } },
    getSessionUsage: { path: `${of}/usage` },
    postEvent: { path: `${of}/events`, body: { kind: "custom", data: n } },
    getEvent: { path: `${of}/events/0` },
    listEvents: { path: `${of}/events` },
    listEventSummaries: { path: `${of}/summaries?order=desc` },
    withdrawEvents: { path: `${of}/events?min_offset=900000` },
    streamMessage: { path: `${of}/stream`, body: { text: `fail ${n}` } },
    followMessage: { path: `${of}/events/1/stream` },
    followTurn: { path: `${of}/turns/${turn}/stream` },
    streamEvents: { path: `/v1/stream?sessions=${session}` },
    getState: { path: `${of}/state` },
    listStateWriters: { path: `${of}/state/writers` },
    previewState: { path: `${of}/state/preview`, body: { delta: { note: n } } },
    editState: { path: `${of}/state`, body: { delta: { note: n } } },
    listTurns: { path: `${of}/turns` },
    getTurn: { path: `${of}/turns/${turn}` },
    getTurnMemory: { path: `${of}/turns/${turn}/memory` },
    getPrompt: { path: `${of}/prompt` },
    startTurn: { path: `${of}/turns`, body: { cause: "resume" } },
    stopTurn: { path: `${of}/turns/${turn}/stop` },
    retryTurn: { path: `${of}/turns/${turn}/retry` },
    listEffects: { path: `${of}/effects` },
    listPending: { path: `${of}/pending` },
    decideCall: {
      path: `/v1/sessions/${pending.session}/turns/${pending.turn}/decisions`,
      body: { call_id: pending.call_id, arguments_hash: pending.arguments_hash, decision: "reject" },
    },
    handOver: { path: `${of}/handover` },
    assignSession: { path: `${of}/handover/assign`, body: { operator: "ada" } },
    unassignSession: { path: `${of}/handover/unassign` },
    handBack: { path: `${of}/handover/back` },
    startRun: { path: "/v1/runs", body: { routine: "instant", input: { n } } },
    listRuns: { path: "/v1/runs" },
    getRun: { path: `/v1/runs/${run}` },
    getRunResult: { path: `/v1/runs/${run}/result` },
    cancelRun: { path: `/v1/runs/${run}/cancel` },
    resendRun: { path: `/v1/runs/${run}/resend`, body: { callback_url: `https://desk.example.com/${n}` } },
    listHandovers: { path: "/v1/handovers?queue=waiting" },
    listAssessments: { path: "/v1/safety/assessments" },
    listSessionSafety: { path: `/v1/safety/sessions?sessions=${session}` },
    getSafetyReport: { path: "/v1/safety/report" },
    giveFeedback: { path: `${of}/feedback`, body: { label: "positive" } },
    giveConsent: { path: `${of}/consent`, body: { given: true, text_version: n } },
    listWebhooks: { path: "/v1/webhooks" },
    pauseWebhook: { path: "/v1/webhooks/crm/pause" },
    resumeWebhook: { path: "/v1/webhooks/crm/resume" },
    rotateWebhookSecret: { path: "/v1/webhooks/crm/rotate" },
    listDeadLetters: { path: "/v1/webhooks/dead-letters" },
    resendDeadLetter: { path: "/v1/webhooks/dead-letters/resend", body: { id: n === "other" ? n : (letter ?? `crm/${session}/000000000000`) } },
    listSessionWebhooks: { path: `${of}/webhooks` },
    createToken: { path: "/v1/tokens", body: { customer_id: customer } },
    revokeTokens: { path: `${whose}/tokens` },
    createStreamToken: { path: "/v1/stream-tokens", body: { sessions: [session] } },
    createKey: { path: "/v1/keys", body: { name: n, scopes: ["sessions:read"] } },
    listKeys: { path: "/v1/keys" },
    revokeKey: { path: `/v1/keys/${key}` },
    listAudit: { path: "/v1/audit" },
    getStatus: { path: "/v1/status" },
    listOpenTurns: { path: "/v1/open-turns" },
    livez: { path: "/livez" },
    health: { path: "/health" },
    readyz: { path: "/readyz" },
    version: { path: "/version" },
    openapi: { path: "/openapi.json" },
    errors: { path: "/errors/session.not_found" },
  };
}

/** Waits until there is something to see. */
export async function answered<Value>(look: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < 500; tries++) {
    const value = await look();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("It has not happened.");
}

const remembered = z.object({ entry_id: z.string() });
const made = z.object({ id: z.string() });
const turns = z.object({ items: z.array(z.object({ turn_id: z.string(), status: z.string() })) });
const calls = z.object({ items: z.array(z.object({ call_id: z.string(), arguments_hash: z.string(), turn_id: z.string() })) });

/** The turn of a session, once it has ended. */
export const endedTurn = (request: TestServer["request"], session: string): Promise<string> =>
  answered(async () => {
    const [turn] = turns.parse((await request("GET", `/v1/sessions/${session}/turns`)).body).items;
    return turn?.status === "ended" ? turn.turn_id : undefined;
  });

/** Makes rows of a customer: a session with a turn that has failed, and one with a call that waits. `request` may make and read everything. */
export async function makeFixture(request: TestServer["request"], name: string): Promise<Fixture> {
  const customer = `${name}@example.com`;
  await request("POST", "/v1/customers", { id: customer, name, variables: { known: 1 } });
  const open = async (text: string): Promise<string> => {
    const { id } = made.parse((await request("POST", "/v1/sessions", { agent: "clerk", customer_id: customer })).body);
    await request("POST", `/v1/sessions/${id}/events`, { kind: "message", text });
    return id;
  };
  const [session, waiting] = [await open("fail"), await open("pay")];
  await request("PUT", `/v1/sessions/${session}/variables/known`, { value: 1 });
  await request("PUT", "/v1/agents/clerk/variables/known", { value: 1 });
  const call = await answered(async () => calls.parse((await request("GET", `/v1/sessions/${waiting}/pending`)).body).items[0]);
  const turn = await endedTurn(request, session);
  const { id: job } = made.parse((await request("POST", `/v1/customers/${encoded(customer)}/exports`)).body);
  await answered(async () => ((await request("GET", `/v1/jobs/${job}/result`)).status === 200 ? true : undefined));
  const { id: run } = made.parse((await request("POST", "/v1/runs", { routine: "instant", input: { n: name } })).body);
  // With its session, so that lists hold no more than the rows below.
  await answered(async () => ((await request("GET", `/v1/runs/${run}/result`)).text.includes('"erasure"') ? true : undefined));
  await request("POST", `/v1/customers/${encoded(customer)}/memory/rules`, { text: "Keep it short." });
  const facts: string[] = [];
  for (const fruit of ["lemon", "plum", "fig", "pear", "lime", "grape", "melon", "peach"]) {
    const fact = await request("POST", `/v1/customers/${encoded(customer)}/memory/facts`, { quote: `${name} likes ${fruit}.`, object: fruit });
    facts.push(remembered.parse(fact.body).entry_id);
  }
  const { id: key } = made.parse((await request("POST", "/v1/keys", { name, scopes: ["sessions:read"] })).body);
  const { call_id, arguments_hash, turn_id } = call;
  return { customer, session, turn, job, run, key, facts, pending: { session: waiting, turn: turn_id, call_id, arguments_hash } };
}
