/** A companion that keeps what is said, with models that answer each structured call by its name, for the tables of cases. */
import {
  openStore,
  scripted,
  systemClock,
  type Clock,
  type Event,
  type JsonObject,
  type ModelRequest,
  type ScriptedModel,
  type Session,
  type Store,
} from "throughline";
import type { AssessmentRecord } from "../../../packages/throughline/src/safety.ts";
import type { AgentInput, AgentOutput, StreamEvent } from "../../../packages/companion/src/contract.ts";
import { createCompanionRuntime, type CompanionRuntime, type CompanionRuntimeOptions } from "../../../packages/companion/src/companion-runtime.ts";
import { englishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import type { CompanionOutput } from "../../../packages/companion/src/companion-state.ts";
import { control, styledAs, triaged } from "../support.ts";

/** Who speaks, and where. */
export const thread = { session_id: "t1", user_id: "ada" } as const;

/** A classifier's answer. */
export const verdict = (level: unknown, given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  ...{ level, confidence: "high", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" },
  ...given,
});

const began = systemClock.now();

/** Time goes on from a day on which the table of services is up to date, whatever day it is. */
const clock: Clock = { ...systemClock, now: () => systemClock.now() - began + Date.UTC(2026, 11, 1, 12) };

type Answers = Parameters<typeof control>[0];

/** Structured calls answered by name: an ordinary talk in which nothing is found, unless `answers` say otherwise. */
export const answering = (answers: Answers = {}): ScriptedModel =>
  control({ triage: triaged(), style: styledAs("supportive"), safety_verdict: verdict(0), ...answers });

/** What is said when nothing else is. */
export const usual = "I hear you.";

/** What a test plays with. */
export interface Played {
  readonly companion: CompanionRuntime;
  readonly store: Store;
  readonly calls: ScriptedModel;
  readonly replies: ScriptedModel;
  /** One turn of the thread. */
  readonly say: (message: string, input?: Partial<AgentInput>) => Promise<AgentOutput>;
  /** One turn of the thread, as whoever uses the runtime itself has it: the output view of the state, and the reply. */
  readonly view: (message: string, input?: JsonObject) => Promise<CompanionOutput & { readonly reply: string }>;
  /** The state after the last turn. */
  readonly state: () => Promise<JsonObject>;
}

export type PlayedOptions = Partial<CompanionRuntimeOptions> & {
  readonly answers?: Answers;
  readonly reply?: Parameters<typeof scripted>[0];
};

/** Runs a companion on a store that forgets, for as long as `play` does. English is what its gate reads. */
export async function withThread(options: PlayedOptions, play: (played: Played) => Promise<void>): Promise<void> {
  const { answers, reply = () => usual, safety, store = await openStore(":memory:"), models, ...rest } = options;
  const calls = answering(answers);
  const replies = scripted(reply);
  const companion = await createCompanionRuntime({
    store,
    models: { control: calls, response: replies, ...models },
    safety: { packs: [englishPack], replyBy: "static", ...safety },
    clock,
    ...rest,
  });
  try {
    await play({
      ...{ companion, store, calls, replies },
      view: async (message, input = {}) => {
        const { output, reply = "" } = await (await sessionOf(companion)).send(message, { input });
        return { ...(output as unknown as CompanionOutput), reply };
      },
      say: async (message, input = {}) => (await companion.runTurn({ ...thread, message, ...input })).output,
      state: () => companion.getState(thread),
    });
  } finally {
    await companion.close();
    await store.close();
  }
}

/** The session of the thread. */
export const sessionOf = ({ runtime, context }: CompanionRuntime): Promise<Session> =>
  runtime.sessions.open({ agent: context.name, key: thread.session_id, customer: thread.user_id, metadata: { external_id: thread.session_id } });

/** All assessments of a store, oldest first. */
export async function audited(store: Store): Promise<readonly AssessmentRecord[]> {
  const { items } = await store.list({ of: "records", kind: "assessment", limit: 100 });
  return items.map(({ data }) => data as unknown as AssessmentRecord).toSorted((a, b) => a.at - b.at);
}

/** All that a stream tells. */
export async function heard(events: AsyncIterable<StreamEvent>): Promise<readonly StreamEvent[]> {
  const all: StreamEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Records of how a turn was routed. */
export const traceOf = ({ diagnostics }: Pick<AgentOutput, "diagnostics">): readonly Readonly<Record<string, unknown>>[] =>
  diagnostics["routing_trace"] as readonly Readonly<Record<string, unknown>>[];

/** Text of a section of a prompt; undefined if it has none of that name. */
export const sectionOf = (request: ModelRequest | undefined, name: string): string | undefined =>
  request?.sections.find((section) => section.name === name)?.text;

/** All that a request shows a model. */
export const shownTo = (request: ModelRequest | undefined): string =>
  [...(request?.sections ?? []), ...(request?.messages ?? [])].map(({ text }) => text).join("\n");

/** The numbers and links of a text: runs of three digits and more, however they are grouped, and addresses. */
export const numbersIn = (text: string): readonly string[] => text.match(/\+?\d[\d \-()]{1,}\d|https?:\/\/\S+|www\.\S+/gu) ?? [];

/** An exercise that has been begun. */
export async function breathing({ say }: Pick<Played, "say">): Promise<void> {
  await say("can we do box breathing?");
}

/** Everything that the last turn of the thread has in the log. */
export async function lastTurn({ companion }: Pick<Played, "companion">): Promise<readonly Event[]> {
  const events = await Array.fromAsync((await sessionOf(companion)).events({ follow: false }));
  const from = events.findLastIndex(({ kind, data }) => kind === "turn" && data.type === "started");
  return events.slice(from);
}

/** What each writer wrote to in the last turn: names of fields, in order. */
export async function writesOf(played: Pick<Played, "companion">): Promise<Readonly<Record<string, readonly string[]>>> {
  const writes: Record<string, string[]> = {};
  for (const { kind, data } of await lastTurn(played)) {
    const name =
      kind === "state" && data.writer.type === "stage" ? data.writer.name : kind === "turn" && data.type === "stage" ? data.name : undefined;
    if (name === undefined) continue;
    const patch = "patch" in data ? (data.patch ?? []) : [];
    writes[name] = [...new Set([...(writes[name] ?? []), ...patch.map(({ path }) => path.split("/")[1] ?? "")])].toSorted();
  }
  return writes;
}

/** What the gate wrote to a field in the last turn; undefined for nothing. */
export async function gateWrote(played: Pick<Played, "companion">, field: string): Promise<unknown> {
  for (const { kind, data } of await lastTurn(played)) {
    if (kind !== "turn" || data.type !== "stage" || data.name !== "safety") continue;
    const change = data.patch?.find(({ path }) => path === `/${field}`);
    if (change !== undefined && "value" in change) return change.value;
  }
  return undefined;
}
