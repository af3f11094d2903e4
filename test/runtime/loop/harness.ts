import { z } from "zod";
import {
  defineAgent,
  defineState,
  input,
  loop,
  reduced,
  scripted,
  turn,
  type Agent,
  type Clock,
  type Event,
  type LoopOptions,
  type Script,
  type ScriptedModel,
  type Session,
  type Store,
} from "../../../packages/throughline/src/index.ts";
import { started } from "../harness.ts";

/** A state with a field of each kind that tools meet. */
export const toolState = defineState({
  message: input(z.string()),
  docs: reduced(z.array(z.string())),
  name: reduced(z.string()),
  total: reduced(z.number()),
  note: turn(z.string()),
});

export interface Told {
  readonly agent?: Partial<Parameters<typeof defineAgent<typeof toolState>>[0]>;
  readonly loop?: Partial<LoopOptions>;
  readonly store?: Store;
  readonly clock?: Clock;
}

/** An agent whose model plays a script. */
export function scriptedAgent(
  script: Script,
  { agent = {}, loop: options = {} }: Told = {},
): { readonly agent: Agent; readonly model: ScriptedModel } {
  const model = scripted(script);
  return { model, agent: defineAgent({ name: "a1", version: 1, state: toolState, reply: loop({ model, ...options }), ...agent }) };
}

/** A session of such an agent, and its model. */
export async function conversation(
  script: Script,
  told: Told = {},
): Promise<{ readonly session: Session; readonly model: ScriptedModel; readonly store: Store }> {
  const { agent, model } = scriptedAgent(script, told);
  const runtime = await started({
    agents: [agent],
    ...(told.store === undefined ? {} : { store: told.store }),
    ...(told.clock === undefined ? {} : { clock: told.clock }),
  });
  return { session: await runtime.sessions.create({ agent: "a1" }), model, store: runtime.store };
}

/** A reply that calls tools. */
export const calling = (
  ...calls: readonly (readonly [name: string, args?: Readonly<Record<string, never>> | object])[]
): {
  readonly calls: { call_id: string; name: string; arguments: never }[];
} => ({ calls: calls.map(([name, args = {}], index) => ({ call_id: `m${index}`, name, arguments: args as never })) });

/** The turn's calls and results in the order of the log: `called a`, `returned a ok`. */
export function callsIn(events: readonly Event[]): readonly string[] {
  const names = new Map<string, string>();
  return events.flatMap((event) => {
    if (event.kind === "message") for (const call of event.data.calls ?? []) names.set(call.call_id, call.name);
    if (event.kind !== "tool") return [];
    const name = names.get(event.data.call_id) ?? event.data.call_id;
    return [event.data.type === "called" ? `called ${name}` : `returned ${name} ${event.data.result.type}`];
  });
}
