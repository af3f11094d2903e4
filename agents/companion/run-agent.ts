/** One turn by itself: nothing of it is kept, and what was said before it is given with it. */
import { createRuntime, loop, openStore, scripted, defineAgent, type Agent, type Runtime, type Session } from "throughline";
import { safetyOf, type SafetyClassifier } from "throughline/safety";
import { companionContext, type CompanionOptions } from "./companion-context.ts";
import { type AgentInput, agentInputSchema, type AgentOutput, inputOf, type CompanionMessage, parseInput, resolveOwnerId } from "./contract.ts";
import { assembleCompanion } from "./create-companion.ts";
import { outputOfTurn } from "./turn-output.ts";

/** Options of {@link runAgent}: those of a companion, and a signal. */
export interface RunAgentOptions extends CompanionOptions {
  readonly signal?: AbortSignal;
}

/**
 * Runs one turn in a store that forgets. `history` and `working_memory` are the caller's; nothing is recalled, remembered or saved, as in an incognito session.
 * What was said before passes the gate too, so that a crisis in it is followed through. `input.invalid` for an input that is none, and without `user_id` and `session_id`;
 * throws what failed the turn.
 * @example const { response_text } = await runAgent({ message: "I cannot sleep.", session_id: "one" })
 */
export async function runAgent(input: AgentInput, options: RunAgentOptions = {}): Promise<AgentOutput> {
  const given = parseInput(agentInputSchema, input);
  const { signal, ...rest } = options;
  resolveOwnerId(given);
  signal?.throwIfAborted();
  const context = companionContext(rest);
  const store = await openStore(":memory:");
  try {
    const agent = assembleCompanion(context, given.working_memory);
    const session_id = await replayed(agent, { store, history: given.history });
    const runtime = await createRuntime({ store, agents: [agent] });
    try {
      const session = await runtime.sessions.get(session_id);
      return outputOfTurn(await session.send(given.message, { input: inputOf(given), ...(signal === undefined ? {} : { signal }) }));
    } finally {
      await runtime.close();
    }
  } finally {
    await store.close();
  }
}

/** An exchange of before: what the person said, and what was answered. */
interface Exchange {
  readonly said: string;
  readonly answered: string | undefined;
}

/** The exchanges of a history; what the companion said first stands by itself, and messages in a row are one. */
function exchangesOf(history: readonly CompanionMessage[]): { readonly first: readonly string[]; readonly exchanges: readonly Exchange[] } {
  const first: string[] = [];
  const exchanges: { said: string; answered: string | undefined }[] = [];
  for (const { role, content } of history) {
    const last = exchanges.at(-1);
    if (role === "system" || content.trim() === "") continue;
    if (role === "user" && (last === undefined || last.answered !== undefined)) exchanges.push({ said: content, answered: undefined });
    else if (last === undefined) first.push(content);
    else if (role === "user") last.said += `\n${content}`;
    else last.answered = last.answered === undefined ? content : `${last.answered}\n${content}`;
  }
  return { first, exchanges };
}

/** What was said before is screened, and nothing of it that is only unclear is asked about anew. */
const screenAlone: SafetyClassifier = {
  name: "screen alone",
  prompt_version: "1",
  classify: () => Promise.resolve({ level: 0, confidence: "low", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" }),
};

/** The same state and gate as the companion, answering what was answered; it asks no model. */
function replayer(agent: Agent, exchanges: readonly Exchange[]): Agent {
  const { name, version, state } = agent;
  const safety = safetyOf(agent);
  let next = 0;
  const model = scripted(() => exchanges[next++]?.answered ?? "…");
  const gate =
    safety === undefined ? {} : { safety: Object.freeze({ ...safety, classifier: screenAlone, hedge: undefined, replyBy: "model" as const }) };
  return defineAgent({ name, version, state, ...gate, reply: loop({ model }) });
}

/** A session in which the history has been said. */
async function replayed(
  agent: Agent,
  { store, history }: { readonly store: Parameters<typeof createRuntime>[0]["store"]; readonly history: readonly CompanionMessage[] },
): Promise<string> {
  const { first, exchanges } = exchangesOf(history);
  const runtime: Runtime = await createRuntime({ store, agents: [replayer(agent, exchanges)] });
  try {
    const session: Session = await runtime.sessions.create({ agent: agent.name, incognito: true });
    for (const text of first) await session.postOperator(text, { onBehalfOfAgent: true });
    for (const { said } of exchanges) await session.send(said);
    const turn_count = history.filter(({ role }) => role === "user").length;
    if (turn_count > 0) await session.edit({ session_progress: { turn_count, is_guest: true } });
    return session.id;
  } finally {
    await runtime.close();
  }
}
