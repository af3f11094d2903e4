/** The table of a turn's model calls in docs/reference/companion.md: played against a stub server, counted by the project's own counter. */
import type { Json, JsonObject } from "../../packages/throughline/src/index.ts";
import { createRuntime, openaiCompatible, openStore } from "../../packages/throughline/src/index.ts";
import { charactersOverFour } from "../../packages/throughline/src/context/tokens.ts";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { type ReceivedCall, startStub, type StubAnswer, type StubProvider } from "./stub-provider.ts";

/** Tokens of a request as it is sent: messages, tools and schema. */
export function requestTokens(body: JsonObject): number {
  const messages = (body["messages"] as readonly { readonly content?: Json; readonly tool_calls?: Json }[]).reduce(
    (sum, { content, tool_calls }) =>
      sum +
      charactersOverFour.count(typeof content === "string" ? content : "") +
      (tool_calls === undefined ? 0 : charactersOverFour.count(JSON.stringify(tool_calls))),
    0,
  );
  const parts = [body["tools"], body["response_format"]].filter((part) => part !== undefined);
  return parts.reduce<number>((sum, part) => sum + charactersOverFour.count(JSON.stringify(part)), messages);
}

/** A turn to play: what is said before it, what is said in it, and what the structured calls answer. */
interface Scene {
  readonly route: string;
  readonly before: readonly string[];
  readonly message: string;
  readonly verdict?: number;
  readonly dispatch?: JsonObject;
}

const talk = ["My sister and I had a fight about our mother's house.", "She never listens to me, and I end up shouting."] as const;

const scenes: readonly Scene[] = [
  { route: "conversation, first turn", before: [], message: talk[0] },
  { route: "conversation, third turn", before: talk, message: "Tomorrow we meet at the notary, and I want to stay calm this time." },
  { route: "exercise, its start by name", before: talk, message: "Can we do box breathing?" },
  { route: "exercise, a clear step", before: ["Can we do box breathing?"], message: "done" },
  { route: "exercise, an unclear answer", before: ["Can we do box breathing?"], message: "Hm, in a way, my thoughts went to the garden" },
  { route: "memory command", before: talk, message: "What do you remember about me?" },
  {
    route: "look-up",
    before: talk,
    message: "How long does caffeine stay in the body?",
    dispatch: { route: "grounded_lookup", query: "How long does caffeine stay in the body?", search_query: "caffeine half-life" },
  },
  { route: "level 1", before: talk, message: "Nobody would notice if I were not there.", verdict: 1 },
  { route: "level 2, by the model", before: talk, message: "I had those dark thoughts again last night.", verdict: 2 },
  { route: "level 2, by the rules", before: talk, message: "I want to kill myself.", verdict: 2 },
  { route: "level 3, by the rules", before: talk, message: "I have the pills in my hand and I will kill myself tonight.", verdict: 3 },
];

const ordinary: JsonObject = {
  ...{ route: "therapeutic", confidence: "high", memory_reference_mode: "none", memory_action_type: null, query: null, enabled: null },
  ...{ target_kind: null, target_index: null, preference_text: null, exercise_start_basis: "ambiguous_or_none", exercise_type: null },
  ...{ secondary_route: null, clarification_question: null, response_style: "supportive" },
  ...{ therapeutic_approach: "none", session_intent: null, guidance_permission: null, response_guidance: "", search_query: null, tools: [] },
};

const verdictOf = (level: number): JsonObject => ({
  ...{ level, confidence: "high", risk_types: level === 0 ? [] : ["suicide"], subject: "self" },
  ...{ reason_code: level === 0 ? "none" : "ideation", evidence_span: "" },
});

const answers = (scene: Scene, name: string): StubAnswer => {
  if (name === "safety_verdict") return verdictOf(scene.verdict ?? 0);
  if (name === "dispatch") return { ...ordinary, ...scene.dispatch };
  if (name === "exercise_reply") return { result: "hold", reasoning: "" };
  if (name === "lookup_answer") return { status: "no_verified_answer", answer: "", sources: [], source_quality: "none", reasoning: "" };
  return `That sounds like a lot at once. ${questions[scene.verdict ?? 0] ?? ""}`;
};

/** The question that a reply of each level has to ask. A reply without it is asked for once more. */
const questions = ["What weighs most on you tonight?", "Are you having thoughts of suicide?", "Have you thought about how you would do it?"] as const;

/** What was asked in a turn. */
export interface PlayedScene {
  readonly route: string;
  readonly calls: readonly ReceivedCall[];
}

/** Plays every scene against a stub server. */
export async function playScenes(): Promise<readonly PlayedScene[]> {
  const played: PlayedScene[] = [];
  for (const scene of scenes) {
    let now = { ...scene, verdict: 0 };
    const stub: StubProvider = await startStub(({ name }) => answers(now, name));
    const store = await openStore(":memory:");
    const control = openaiCompatible({ baseURL: stub.baseURL, model: "stub", retries: 0 });
    const runtime = await createRuntime({ store, agents: [createCompanion({ models: { control } })] });
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada" });
    for (const message of scene.before) await session.send(message);
    now = { ...scene, verdict: scene.verdict ?? 0 };
    stub.begin();
    await session.send(scene.message);
    played.push({ route: scene.route, calls: [...stub.calls] });
    await runtime.close();
    await store.close();
    await stub.close();
  }
  return played;
}

const wording: Readonly<Record<string, string>> = { safety_verdict: "gate", dispatch: "triage", exercise_reply: "step", lookup_answer: "answer" };

/** The table. A turn that ends without a request for its reply waits for the last of its other calls. */
export function callTable(played: readonly PlayedScene[]): string {
  const rows = played.map(({ route, calls }) => {
    const last = calls.findLast(({ name }) => name === "reply" || name === "lookup_answer");
    const before = last?.round ?? Math.max(0, ...calls.map(({ round }) => round + 1));
    const rounds = Map.groupBy(calls, ({ round }) => round);
    const told = [...rounds.values()].map((together) =>
      together
        .map(({ name, body }) => `${wording[name] ?? name} ${requestTokens(body).toLocaleString("en")}`)
        .toSorted()
        .join(" ∥ "),
    );
    const tokens = calls.reduce((sum, { body }) => sum + requestTokens(body), 0);
    return `| ${route} | ${calls.length} | ${before === 0 ? "none" : before} | ${told.join(", then ") || "none"} | ${tokens.toLocaleString("en")} |`;
  });
  return ["| Turn | Calls | In sequence before the reply | Calls with their tokens | Tokens |", "|---|---|---|---|---|", ...rows].join("\n");
}

const [begin, end] = ["<!-- calls:begin -->", "<!-- calls:end -->"];

/** Puts a table between its marks in a page. */
export function withTable(page: string, table: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error("The page has no place for the table of calls.");
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`;
}
