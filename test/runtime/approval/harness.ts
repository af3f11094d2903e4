import { onTestFinished } from "vitest";
import { z } from "zod";
import {
  createRuntime,
  defineAgent,
  defineTool,
  loop,
  openStore,
  scripted,
  type Agent,
  type DecideOptions,
  type Pending,
  type Runtime,
  type RuntimeOptions,
  type Script,
  type ScriptedModel,
  type Session,
  type Store,
  type Tool,
} from "../../../packages/throughline/src/index.ts";
import { fixedClock, type FixedClock } from "../../../packages/throughline/src/testing.ts";
import { newPostgresDatabase, newSqliteFile } from "../../setup/database.ts";
import { calling, toolState } from "../loop/harness.ts";

export const minute = 60_000;

/** A tool that needs an approval, and what it ran with. */
export function transfers(options: { readonly effects?: "none" | "once"; readonly expiresMs?: number } = {}): {
  readonly tool: Tool;
  readonly ran: unknown[];
} {
  const { effects = "once", expiresMs = 10 * minute } = options;
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "transfer",
    description: "Moves money.",
    parameters: z.object({ amount: z.number() }),
    effects,
    approval: { when: ({ amount }) => `Move ${JSON.stringify(amount)}?`, expiresMs },
    execute: (args) => (ran.push(args), { moved: args.amount }),
  });
  return { tool, ran };
}

/** A tool that asks something while it runs, and what it was answered. */
export function bookings(): { readonly tool: Tool; readonly ran: unknown[] } {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "book",
    description: "Books a table.",
    parameters: z.object({ day: z.string() }),
    effects: "idempotent",
    execute: async ({ day }, context) => {
      const seats = await context.interrupt({ ask: `How many seats on ${day}?` });
      const name = await context.interrupt("Under which name?");
      ran.push([day, seats, name]);
      return { booked: [day, seats, name] };
    },
  });
  return { tool, ran };
}

export interface Bank {
  readonly session: Session;
  readonly model: ScriptedModel;
  readonly ran: unknown[];
  readonly store: Store;
  readonly agent: Agent;
  readonly clock: FixedClock;
  readonly runtime: Runtime;
}

export interface BankOptions {
  readonly agent?: Partial<Parameters<typeof defineAgent<typeof toolState>>[0]>;
  readonly tool?: { readonly tool: Tool; readonly ran: unknown[] };
  readonly more?: readonly Tool[];
  readonly store?: Store;
}

export type Kind = "memory" | "SQLite" | "PostgreSQL";

/** The location of an empty database. */
export async function location(kind: Kind): Promise<string> {
  if (kind === "memory") return ":memory:";
  return kind === "SQLite" ? newSqliteFile() : newPostgresDatabase();
}

export async function started(options: Partial<RuntimeOptions> & Pick<RuntimeOptions, "store" | "agents">): Promise<Runtime> {
  const runtime = await createRuntime({ leaseMs: 500, heartbeatMs: 100, pollMs: 20, ...options });
  onTestFinished(() => runtime.close({ drainMs: 0 }));
  return runtime;
}

/** A session of an agent that moves money, on a clock that stands still. */
export async function bank(script: Script, { agent: parts = {}, tool = transfers(), more = [], store }: BankOptions = {}): Promise<Bank> {
  const model = scripted(script);
  const clock = fixedClock();
  const given = store ?? (await openStore(":memory:", { clock }));
  const agent = defineAgent({ name: "bank", version: 1, state: toolState, reply: loop({ model, tools: [tool.tool, ...more] }), ...parts });
  const runtime = await started({ store: given, agents: [agent], clock });
  const session = await runtime.sessions.create({ agent: "bank" });
  return { session, model, ran: tool.ran, store: given, agent, clock, runtime };
}

/** A model that moves 5, then says so. */
export const movesFive: Script = [{ text: "I will.", ...calling(["transfer", { amount: 5 }]) }, "Done."];

/** What a decision on it names. */
export const named = ({ call_id, arguments_hash, index }: Pending): Pick<DecideOptions, "call_id" | "arguments_hash" | "index"> => ({
  call_id,
  arguments_hash,
  index,
});

/** The only call that is pending. */
export async function onlyPending(session: Session): Promise<Pending> {
  const { calls } = await session.pending();
  const [call] = calls;
  if (call === undefined || calls.length > 1) throw new Error(`${calls.length} calls are pending.`);
  return call;
}

/** What the model was told last of a call. */
export const toldOf = (model: ScriptedModel): string | undefined => model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool")?.text;
