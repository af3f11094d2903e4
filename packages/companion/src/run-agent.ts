/** Runs a single turn without persistence. The caller passes the earlier messages. */
import { createRuntime, loop, openStore, scripted, defineAgent, type Agent, type Runtime, type Session, type Store } from "throughline";
import { safetyOf, type SafetyClassifier } from "throughline/safety";
import { assembleCompanion, companionContext, type CompanionOptions } from "./create-companion.ts";
import { type AgentInput, agentInputSchema, type AgentOutput, inputOf, type CompanionMessage, parseInput, resolveOwnerId } from "./contract.ts";
import { outputOfTurn } from "./turn-output.ts";

/** Options of {@link runAgent}: those of a companion, and a signal. */
export interface RunAgentOptions extends CompanionOptions {
  readonly signal?: AbortSignal;
}

/**
 * Runs one turn in a temporary store. `history` and `working_memory` come from the caller. Nothing is recalled, remembered or stored, as in an
 * incognito session. Earlier messages pass the gate too, so that it follows up on a crisis in them. Throws `input.invalid` for invalid input, and
 * without both `user_id` and `session_id`. Throws the error of a failed turn.
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

/** An earlier exchange: the person's text, and the answer. */
interface Exchange {
  readonly message: string;
  readonly answered: string | undefined;
}

/** Returns the exchanges of a history. Messages of the companion before the first one are separate. Consecutive messages of one side are joined. */
function exchangesOf(history: readonly CompanionMessage[]): { readonly first: readonly string[]; readonly exchanges: readonly Exchange[] } {
  const first: string[] = [];
  const exchanges: { message: string; answered: string | undefined }[] = [];
  for (const { role, content } of history) {
    const last = exchanges.at(-1);
    if (role === "system" || content.trim() === "") continue;
    if (role === "user" && (last === undefined || last.answered !== undefined)) exchanges.push({ message: content, answered: undefined });
    else if (last === undefined) first.push(content);
    else if (role === "user") last.message += `\n${content}`;
    else last.answered = last.answered === undefined ? content : `${last.answered}\n${content}`;
  }
  return { first, exchanges };
}

/** Screens earlier messages without asking about unclear ones again. */
const screenAlone: SafetyClassifier = {
  name: "screen alone",
  prompt_version: "1",
  classify: () => Promise.resolve({ level: 0, confidence: "low", risk_types: [], subject: "self", reason_code: "none", evidence_span: "" }),
};

/** Creates an agent with the companion's state and gate that replays the earlier answers. It calls no model. */
function replayer(agent: Agent, exchanges: readonly Exchange[]): Agent {
  const { name, version, state } = agent;
  const safety = safetyOf(agent);
  let next = 0;
  const model = scripted(() => exchanges[next++]?.answered ?? "…");
  const gate =
    safety === undefined ? {} : { safety: Object.freeze({ ...safety, classifier: screenAlone, hedge: undefined, replyBy: "model" as const }) };
  return defineAgent({ name, version, state, ...gate, reply: loop({ model }) });
}

/** Creates a session that contains the history, and returns its id. */
async function replayed(agent: Agent, { store, history }: { readonly store: Store; readonly history: readonly CompanionMessage[] }): Promise<string> {
  const { first, exchanges } = exchangesOf(history);
  const runtime: Runtime = await createRuntime({ store, agents: [replayer(agent, exchanges)] });
  try {
    const session: Session = await runtime.sessions.create({ agent: agent.name, incognito: true });
    for (const text of first) await session.postOperator(text, { onBehalfOfAgent: true });
    for (const { message } of exchanges) await session.send(message);
    const turn_count = history.filter(({ role }) => role === "user").length;
    if (turn_count > 0) await session.edit({ session_progress: { turn_count, is_guest: true } });
    return session.id;
  } finally {
    await runtime.close();
  }
}
