/** Which gate a message goes through, also where the database cannot be asked whose session it is for. Loads none of the gate's code by itself. */
import { parseSessionId, type SessionId } from "../../kernel/id.ts";
import type { SafetySettings } from "../../safety/settings.ts";
import type { Agent } from "../agent.ts";
import type { RuntimeContext } from "../context.ts";

/** The agent of that name, if it has a gate; where the name is not known, any that has one: a database that is away cannot tell. */
export function gateOf(
  { agents }: Pick<RuntimeContext, "agents">,
  name: string | undefined,
): { readonly agent: Agent; readonly safety: SafetySettings } | undefined {
  const known = name === undefined ? [...agents.values()] : [agents.get(name)];
  const agent = known.find((one) => one?.safety !== undefined);
  return agent?.safety === undefined ? undefined : { agent, safety: agent.safety };
}

/** Accepts a message, as `postSafely` does where the agent has a gate. */
export async function guarded<Accepted>(
  runtime: RuntimeContext,
  session_id: SessionId,
  given: {
    readonly agent: string | undefined;
    readonly text: string;
    readonly accept: () => Promise<Accepted>;
    /** The words come from a custom event. */
    readonly custom?: boolean;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Accepted> {
  const { agent, text, accept, custom, signal } = given;
  const gated = gateOf(runtime, agent);
  if (gated === undefined || typeof text !== "string") return accept();
  const { postSafely } = await import("./unsaved.ts");
  return postSafely(runtime, { ...gated, text, session_id, custom }, { accept, signal });
}

/** A customer's message that was not taken. */
export interface UnsavedInput {
  readonly session_id: string;
  readonly text: string;
  /** The words come from a custom event. */
  readonly custom?: boolean;
  /** Who says that the session is theirs, where that was not looked up. */
  readonly customer?: string | undefined;
  /** The session's agent; undefined where the database could not tell. Looked up if it is left out. */
  readonly agent?: string | undefined;
}

/** What to throw for a message that could not even be handed to its session: see `unsaved`. */
export async function unsavedMessage(runtime: RuntimeContext, message: UnsavedInput, error: unknown): Promise<unknown> {
  const gated = gateOf(runtime, undefined);
  if (gated === undefined) return error;
  const { isRefusedInDanger, unsaved } = await import("./unsaved.ts");
  // What was refused for itself leaves the database to say whose message it is.
  const { session_id, text, customer, custom } = message;
  const agent = async (): Promise<string | undefined> => ("agent" in message ? message.agent : agentIn(runtime, session_id));
  const known = isRefusedInDanger(gated.safety, text, error) ? gateOf(runtime, await agent()) : gated;
  return known === undefined ? error : unsaved(runtime, { ...known, session_id, text, customer, custom }, error);
}

/** The agent of a session, where that can be read. */
async function agentIn({ store }: Pick<RuntimeContext, "store">, session_id: string): Promise<string | undefined> {
  try {
    return (await store.open({ session_id: parseSessionId(session_id) }))?.agent;
  } catch {
    return undefined;
  }
}
