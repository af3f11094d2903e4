/** A companion that keeps what is said, with models that answer each structured call by its name, for the tables of cases. */
import { openStore, scripted, type JsonObject, type ModelRequest, type ScriptedModel, type Store } from "throughline";
import { expect } from "vitest";
import type { AssessmentRecord } from "../../../src/safety.ts";
import type { AgentInput, AgentOutput, StreamEvent } from "../../../agents/companion/contract.ts";
import { createCompanionRuntime, type CompanionRuntime, type CompanionRuntimeOptions } from "../../../agents/companion/runtime.ts";
import { englishPack } from "../../../agents/companion/safety/packs/en.ts";
import { control, styledAs, triaged } from "../support.ts";

/** Who speaks, and where. */
export const thread = { session_id: "t1", user_id: "ada" } as const;

/** A classifier's answer. */
export const verdict = (level: unknown, given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  ...{ level, confidence: "high", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" },
  ...given,
});

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
    ...rest,
  });
  try {
    await play({
      ...{ companion, store, calls, replies },
      say: async (message, input = {}) => (await companion.runTurn({ ...thread, message, ...input })).output,
      state: () => companion.getState(thread),
    });
  } finally {
    await companion.close();
    await store.close();
  }
}

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

export const inBreathing = (state: JsonObject): void => expect(state["exercise_state"]).toMatchObject({ exercise_type: "grounding_box_breathing" });
