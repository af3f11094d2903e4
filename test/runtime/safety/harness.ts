/** An agent with a gate, what its model was asked, and a store that can be told to fail. */
import { z } from "zod";
import { english as englishPhrases, hotlines } from "../../../packages/companion/src/safety/crisis-data.ts";
import { englishPack } from "../../../packages/companion/src/safety/rule-packs.ts";
import {
  defineAgent,
  defineState,
  input,
  loop,
  merge,
  recentMessages,
  reduced,
  scripted,
  stage,
  turn,
  type AgentOptions,
  type Model,
  type ModelRequest,
} from "../../../packages/throughline/src/index.ts";
import {
  safety,
  safetyFields,
  type AssessmentRecord,
  type ClassifierVerdict,
  type SafetyClassifier,
  type SafetyOptions,
} from "../../../packages/throughline/src/safety.ts";
import type { Store } from "../../../packages/throughline/src/store/port.ts";

export const State = defineState({
  message: input(z.string()),
  ...safetyFields(),
  style: turn(z.string(), { initial: "plain" }),
  count: reduced(z.number(), { initial: 0 }),
  ordinary: reduced(z.array(z.string()), { initial: [] }),
  diagnostics: turn(z.record(z.string(), z.unknown()), { initial: {}, reduce: merge() }),
});

/** What a gate is made of, in English. */
export const parts: SafetyOptions = {
  packs: [englishPack],
  phrases: [englishPhrases],
  resources: hotlines,
  styles: { clarify: "safety_check", crisis: "crisis" },
};

/** A classifier that says this. */
export const saying = (verdict: Partial<ClassifierVerdict> | Error | (() => Promise<ClassifierVerdict>)): SafetyClassifier => ({
  name: "scripted",
  prompt_version: "1",
  classify: () => {
    if (typeof verdict === "function") return verdict();
    if (verdict instanceof Error) return Promise.reject(verdict);
    return Promise.resolve({ level: 0, confidence: "high", risk_types: [], subject: "self", reason_code: "none", evidence_span: "", ...verdict });
  },
});

/** Says that nothing is found, so that ordinary distress is ordinary. */
export const calm = saying({});

export function gated(
  options: Partial<SafetyOptions> = {},
  more: Partial<AgentOptions<typeof State>> & { readonly answer?: (request: ModelRequest) => string; readonly model?: Model } = {},
) {
  const requests: ModelRequest[] = [];
  const { answer = () => "I hear you.", model, ...rest } = more;
  const scriptedModel = scripted((request) => (requests.push(request), answer(request)));
  const agent = defineAgent({
    name: "companion",
    version: 1,
    state: State,
    safety: safety({ ...parts, classifier: calm, ...options }),
    prompt: { style: "style", styles: ["plain", "safety_check", "crisis"] },
    stages: [
      stage("count", { state: State, writes: ["count"], runs: "always" }, ({ state }) => ({ count: state.count + 1 })),
      stage("ordinary", { state: State, writes: ["ordinary"] }, ({ state }) => ({ ordinary: [state.message] })),
    ],
    sections: [recentMessages({ window: 10 })],
    reply: loop({ model: model ?? scriptedModel }),
    ...rest,
  });
  return { agent, requests };
}

/** All assessments of a store. */
export async function assessments(store: Store): Promise<readonly AssessmentRecord[]> {
  const { items } = await store.list({ of: "records", kind: "assessment", limit: 100 });
  return items.map(({ data }) => data as unknown as AssessmentRecord);
}
