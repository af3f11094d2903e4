/** A parent and its child agent, for tests. */
import { expect } from "vitest";
import { z } from "zod";
import {
  counter,
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  subagent,
  type Agent,
  type Event,
  type Runtime,
  type Script,
  type ScriptedModel,
  type Session,
  type SessionId,
  type Store,
  type SubagentOptions,
  type TypedAgent,
} from "../../packages/throughline/src/index.ts";
import { collect, gate, started } from "./harness.ts";
import { calling } from "./loop/harness.ts";

export const childState = defineState({
  message: input(z.string()),
  style: input(z.string().optional()),
  known: reduced(z.array(z.string()), { start: true }),
  facts: reduced(z.array(z.string()), { show: "output" }),
  private_notes: reduced(z.string()),
});
export const parentState = defineState({
  message: input(z.string()),
  tone: reduced(z.string(), { start: true }),
  topics: reduced(z.array(z.string())),
  findings: reduced(z.array(z.string())),
  answer: reduced(z.string()),
  spent: reduced(z.number(), { reduce: counter() }),
});
type ChildOptions = Partial<SubagentOptions<typeof childState, typeof parentState, undefined>>;

export interface Given {
  readonly parent: Script;
  readonly child?: Script;
  readonly tool?: ChildOptions;
  readonly childAgent?: Partial<Parameters<typeof defineAgent<typeof childState>>[0]>;
  readonly parentAgent?: Partial<Parameters<typeof defineAgent<typeof parentState>>[0]>;
  readonly store?: Store;
}

export const childOf = (model: ScriptedModel, more: Given["childAgent"] = {}): TypedAgent<typeof childState> =>
  defineAgent({ name: "researcher", version: 1, state: childState, reply: loop({ model }), ...more });

export function family({ parent, child = () => "found it", tool = {}, childAgent = {}, parentAgent = {} }: Given): {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly childModel: ScriptedModel;
} {
  const model = scripted(parent);
  const childModel = scripted(child);
  const agent = childOf(childModel, childAgent);
  const research = subagent({ agent, name: "research", description: "Looks things up.", state: parentState, ...tool });
  const reply = loop({ model, tools: [research] });
  return { model, childModel, agent: defineAgent({ name: "desk", version: 1, state: parentState, reply, ...parentAgent }) };
}

export async function conversation(
  given: Given,
): Promise<ReturnType<typeof family> & { readonly session: Session; readonly runtime: Runtime & { readonly store: Store } }> {
  const made = family(given);
  const runtime = await started({ agents: [made.agent], ...(given.store === undefined ? {} : { store: given.store }) });
  return { ...made, runtime, session: await runtime.sessions.create({ agent: "desk" }) };
}

export const returnedOf = (events: readonly Event[]) =>
  events.flatMap(({ kind, data }) => (kind === "tool" && data.type === "returned" ? [data] : []));
export const askOnce =
  (answer: string, ...prompts: readonly string[]): Script =>
  (request) =>
    request.messages.at(-1)?.role === "tool" ? answer : calling(...prompts.map((prompt) => ["research", { prompt }] as const));

export async function childOfOnly(runtime: Runtime, session: Session): Promise<{ readonly child: Session; readonly id: SessionId }> {
  const [returned] = returnedOf(await collect(session));
  const id = returned?.child as SessionId;
  return { id, child: await runtime.sessions.get(id) };
}

/** A child that waits until it is told to go on, and a parent that waits for it. */
export async function held(
  given: Partial<Given> = {},
): Promise<
  Awaited<ReturnType<typeof conversation>> & { readonly child: () => Promise<Session>; readonly go: () => void; readonly aborted: () => number }
> {
  const waiting = gate();
  let aborted = 0;
  const wait = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => (aborted += 1), { once: true });
    await Promise.race([
      waiting.opened,
      new Promise<void>((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    ]);
  };
  const made = await conversation({ parent: askOnce("done", "x"), child: () => ({ text: "found", wait }), ...given });
  const child = async (): Promise<Session> => {
    await expect.poll(() => made.childModel.requests.length, { interval: 5 }).toBeGreaterThan(0);
    const [row] = (await made.runtime.sessions.list({ labels: ["subagent"] })).items;
    return made.runtime.sessions.get(row?.id ?? "");
  };
  return { ...made, child, go: () => waiting.open(), aborted: () => aborted };
}
