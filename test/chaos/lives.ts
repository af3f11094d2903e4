/** One turn and the deaths of whoever runs it, in one process: the first dies where it is told to, the second goes on. */
import { setTimeout as delay, setImmediate as soon } from "node:timers/promises";
import {
  type DecideOptions,
  type Event,
  type Pending,
  type Runtime,
  type Session,
  type Store,
  type TurnResult,
  ThroughlineError,
  createRuntime,
} from "../../packages/throughline/src/index.ts";
import { textOf } from "./decider.ts";
import { apology, replyTo } from "./agent.ts";
import { judge, logOf } from "./law.ts";
import { type Death, mortalStore } from "../../packages/throughline/src/testing/mortal-store.ts";
import { type Done, type Outside, outsideHere } from "./outside.ts";
import { judgeFamily } from "./report.ts";
import type { ToolCounts } from "./tool-law.ts";
import { toolsAgents } from "./tools-agent.ts";
import { hangMs } from "../setup/limits.ts";

/** Dies inside a tool of that name, when it has begun or has done what it does. */
interface DeathInside {
  readonly tool: string;
  readonly when: keyof Done;
}

export interface Life {
  /** Decides what the turn calls. */
  readonly number: number;
  readonly death?: Death;
  readonly inside?: DeathInside;
}

/** What is left when the turn has ended. */
export interface Left {
  /** Whether the first process lived to see it. */
  readonly survived: boolean;
  readonly status: string;
  readonly violations: readonly string[];
  readonly counts: ToolCounts;
  readonly events: readonly Event[];
}

/** What is decided on a call, always the same. */
function wordFor({ call_id, index, arguments_hash, kind, name, arguments: given }: Pending): DecideOptions {
  const on = { call_id, index, arguments_hash };
  if (kind === "question") return { ...on, decision: "answer", answer: 4 };
  return name === "publish" ? { ...on, decision: "edit", arguments: { text: `${textOf(given)} edited` } } : { ...on, decision: "approve" };
}

/** Milliseconds that a turn may take, a lease that has to run out included. */
const patience = hangMs;

/** The outcome of a message, with a word on whatever its turn waits with. A turn that does not end is told with the end of its log. */
async function decidedOutcome(session: Session, offset: number): Promise<TurnResult> {
  const signal = AbortSignal.timeout(patience);
  for (;;) {
    const result = await session.outcome(offset, { signal }).catch(async (error: unknown) => {
      if (!signal.aborted) throw error;
      const events = await Array.fromAsync(session.events({ follow: false }));
      throw new Error(
        `The turn does not end: ${events
          .slice(-8)
          .map(({ kind, data }) => `${kind} ${JSON.stringify(data)}`)
          .join("\n")}`,
      );
    });
    if (result.status !== "paused") return result;
    signal.throwIfAborted();
    const { calls } = await session.pending();
    // What a child does not wait with any more was handed on to it meanwhile.
    for (const call of calls)
      await session.decide(wordFor(call)).catch((error: unknown) => {
        if (!ThroughlineError.is(error, "approval.not_pending")) throw error;
      });
    await delay(3);
  }
}

/** Lives through one turn on an empty store, and judges it. */
export async function live(store: Store, { number, death, inside }: Life): Promise<Left> {
  const { outside, done } = outsideHere();
  const mortal = mortalStore(store, death);
  const runtimes: Runtime[] = [];
  const begin = async (on: Store, options: { readonly work: boolean; readonly mortal?: boolean }): Promise<Runtime> => {
    const isDead = (): boolean => options.mortal === true && mortal.isDead();
    const noting: Outside = {
      note(key, what, given) {
        outside.note(key, what, given);
        if (options.mortal === true && what === inside?.when && key.endsWith(suffixOf(inside.tool, number))) mortal.die();
      },
    };
    const pause = (): Promise<void> => (isDead() ? new Promise<never>(() => {}) : soon());
    const agents = toolsAgents({ outside: noting, pause, replyTo, apology, expiresMs: 60_000 });
    return createRuntime({ store: on, agents, leaseMs: 5_000, pollMs: 10, work: options.work });
  };
  const client = await begin(store, { work: false });
  runtimes.push(client);
  const session = await client.sessions.create({ agent: "patient" });
  const text = `x says ${number}`;
  const { offset } = await session.post(text);
  const first = await begin(mortal.store, { work: true, mortal: true });
  const outcome = decidedOutcome(session, offset);
  const takesOver = mortal.died.then(async () => void runtimes.push(await begin(store, { work: true })));
  const { status } = await outcome;
  const survived = !mortal.isDead();
  // The dead are not closed: whatever they wait for does not come.
  if (survived) runtimes.push(first);
  else await takesOver;
  const verdict = await judge(store, session.id, [{ session: "x", key: "x", text, offset }]);
  const family = await judgeFamily(store, session.id, done);
  const unknown = [...done.keys()].filter((key) => !family.keys.includes(key)).map((key) => `${key} was done without a record`);
  const left = {
    ...{ survived, status, counts: family.counts },
    violations: [...verdict.violations, ...family.violations, ...unknown],
    events: await logOf(store, session.id),
  };
  for (const runtime of runtimes) await runtime.close({ drainMs: 0 });
  return left;
}

/** The end of the key of a call: where the first plan has it. */
const suffixOf = (tool: string, number: number): string => {
  if (number % 3 !== 0) throw new Error("Only the plan with all calls in one reply is told where they are.");
  const place = ["look", "save", "charge", "helper", "publish", "ask", "tally"].indexOf(tool);
  return `.call_1_1_${place + 1}`;
};
