/** Plays conversations to the companion as it comes: offline, by rules, in a store that forgets. */
import { createRuntime, openStore } from "../../packages/throughline/src/index.ts";
import { createCompanion } from "../../packages/companion/src/create-companion.ts";
import { isPlainObject } from "../../packages/throughline/src/kernel/json.ts";
import type { Trajectory, Turn } from "./trajectories.ts";

/** One thing that a turn had to come to. */
export interface Checked {
  readonly trajectory: string;
  /** From 1. */
  readonly turn: number;
  /** The place in the output, or `reply`, `never`, `status`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  readonly ok: boolean;
}

interface Came {
  readonly status: string;
  readonly reply: string;
  readonly output: unknown;
}

/** The value at a path with dots; undefined where there is none. */
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((inner, name) => (isPlainObject(inner) ? inner[name] : undefined), value);

type Seen = Omit<Checked, "trajectory" | "turn">;

function checksOf({ expect, reply, never }: Turn, came: Came): readonly Seen[] {
  const values = Object.entries(expect).map(([what, expected]) => {
    const got = at(came.output, what);
    const ok = Array.isArray(expected) ? expected.some((one) => one === got) : expected === got;
    return { what, expected: JSON.stringify(expected), got: JSON.stringify(got) ?? "nothing", ok };
  });
  const patterns = (what: string, sources: readonly string[], wanted: boolean): readonly Seen[] =>
    sources.map((source) => ({ what, expected: source, got: came.reply, ok: new RegExp(source, "iu").test(came.reply) === wanted }));
  return [
    { what: "status", expected: "completed", got: came.status, ok: came.status === "completed" && came.reply.trim() !== "" },
    ...values,
    ...patterns("reply", reply, true),
    ...patterns("never", never, false),
  ];
}

/** Everything that the turns of a conversation had to come to, and whether they did. */
export async function play({ name, incognito, turns }: Trajectory): Promise<readonly Checked[]> {
  const store = await openStore(":memory:");
  const runtime = await createRuntime({ store, agents: [createCompanion()] });
  try {
    const session = await runtime.sessions.open({ agent: "companion", customer: "ada", incognito });
    const checked: Checked[] = [];
    for (const [place, turn] of turns.entries()) {
      const { status, output, reply = "" } = await session.send(turn.say);
      checked.push(...checksOf(turn, { status, reply, output }).map((seen) => ({ trajectory: name, turn: place + 1, ...seen })));
    }
    return checked;
  } finally {
    await runtime.close();
    await store.close();
  }
}
