/** A companion whose models play a part, on a store that forgets. */
import { createRuntime, openStore, scripted, type Model, type ModelRequest, type Runtime, type ScriptedModel, type Session } from "throughline";
import type { ModelToolCall } from "throughline/model";
import { type CompanionOptions, createCompanion } from "../../packages/companion/src/create-companion.ts";
import type { CompanionOutput } from "../../packages/companion/src/companion-state.ts";
import type { RulePack, SafetyClassifier } from "throughline/safety";

/** Few words, so that an agent is made in no time; the companion's own packs have tests of their own. */
export const plainPack: RulePack = {
  ...{ language: "en", version: "1", coverage: "a test", support: "partial", detect: { script: "Latin" }, words: {}, abbreviations: {}, lexicon: [] },
  concepts: { kill_self: ["kill myself"], wish_to_die: ["want to die"], hopeless: ["no way out"] },
  frames: { yes: ["^ yes"], no: ["^ no"] },
};

/** Finds nothing, so that nothing is asked about because nobody could be asked. */
export const calm: SafetyClassifier = {
  name: "calm",
  prompt_version: "1",
  classify: () => Promise.resolve({ level: 0, confidence: "high", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" }),
};

/** Name of a structured call; undefined for a reply. */
export function callOf({ response_format }: ModelRequest): string | undefined {
  const title = typeof response_format === "object" && response_format !== null && "title" in response_format ? response_format["title"] : undefined;
  return typeof title === "string" ? title : undefined;
}

type Answer = Readonly<Record<string, unknown>> | string | Error;

/** One call decides where a message goes and how the reply is meant; a test may give the two apart. A style that fails is none. */
function dispatched(triage: Answer | undefined, style: Answer | undefined): Answer | undefined {
  if (typeof triage !== "object" || triage instanceof Error) return triage;
  return typeof style !== "object" || style instanceof Error ? triage : { ...style, ...triage };
}

/** Answers structured calls by their names; a call that none is given for fails. */
export function control(answers: Readonly<Record<string, Answer | ((request: ModelRequest) => Answer)>> = {}): ScriptedModel {
  return scripted((request) => {
    const call = callOf(request) ?? "";
    const of = (name: string): Answer | undefined => {
      const given = answers[name];
      return typeof given === "function" ? given(request) : given;
    };
    const answer = call === "dispatch" && answers[call] === undefined ? dispatched(of("triage"), of("style")) : of(call);
    if (answer === undefined || answer instanceof Error) return { error: answer ?? new Error(`no answer to ${call}`) };
    return typeof answer === "string" ? answer : JSON.stringify(answer);
  });
}

export const triaged = (given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  route: "therapeutic",
  confidence: "high",
  ...given,
});
export const styledAs = (response_style: string, given: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  response_style,
  ...given,
});

/** A reply that calls a tool. */
export const calling = (name: string, args: ModelToolCall["arguments"] = {}): { readonly calls: readonly ModelToolCall[] } => ({
  calls: [{ call_id: "call_1", name, arguments: args }],
});

export interface Played {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly say: (
    text: string,
    input?: { readonly installed_skills?: string[] },
  ) => Promise<{ readonly reply: string; readonly output: CompanionOutput; readonly status: string }>;
}

/** Runs a companion for as long as `play` does. */
export async function withCompanion(
  {
    models,
    incognito = false,
    ...options
  }: CompanionOptions & { readonly incognito?: boolean; readonly models: { readonly control: Model; readonly response?: Model } },
  play: (played: Played) => Promise<void>,
): Promise<void> {
  const agent = createCompanion({ models: { classifier: calm, ...models }, safety: { packs: [plainPack], replyBy: "static" }, ...options });
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [agent] });
  try {
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada", incognito });
    await play({
      runtime,
      session,
      say: async (text, input = {}) => {
        const { reply = "", output, status } = await session.send(text, { input });
        return { reply, output: output as unknown as CompanionOutput, status };
      },
    });
  } finally {
    await runtime.close();
    await store.close();
  }
}
